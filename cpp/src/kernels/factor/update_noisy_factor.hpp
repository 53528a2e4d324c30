// The row update when every element is known only as well as its entries allow.
#pragma once

#include "vest/model.hpp"
#include "vest/penalty.hpp"
#include "vest/plan.hpp"
#include "workspace/workspace.hpp"

namespace vest::inline VEST_ISA {

/// The steps of L_F with a penalty of its own for each element; writes the variance of each element
/// beside its value.
void update_noisy_factor(const ModePlan& plan, const Penalty& penalty, TuckerModel& model,
                         Workspace& ws);

}  // namespace vest::inline VEST_ISA
