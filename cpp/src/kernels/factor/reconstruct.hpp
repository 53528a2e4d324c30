// Residuals of the observed entries.
#pragma once

#include "vest/model.hpp"
#include "vest/plan.hpp"
#include "workspace/workspace.hpp"

namespace vest::inline VEST_ISA {

/// x - B(alpha) for every entry, in the core's entry order, into ws.blocks.residual.
void fill_residuals(const Plan& plan, const TuckerModel& model, Workspace& ws);

}  // namespace vest::inline VEST_ISA
