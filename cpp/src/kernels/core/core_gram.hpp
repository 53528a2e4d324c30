// The core sweep on the Gram matrix of all core features.
#pragma once

#include <span>

#include "vest/model.hpp"
#include "vest/penalty.hpp"
#include "vest/plan.hpp"
#include "workspace/workspace.hpp"

namespace vest::inline VEST_ISA {

/// Sums all inner products in one pass, then sweeps without the data.
void sweep_by_gram(const Plan& plan, const Penalty& penalty, TuckerModel& model, Workspace& ws);

/// The inner products of each core feature with itself, into `squares`, and with the residual at
/// the present state, into ws.gradient; both in C order.
void core_products(const Plan& plan, const TuckerModel& model, Workspace& ws,
                   std::span<double> squares);

}  // namespace vest::inline VEST_ISA
