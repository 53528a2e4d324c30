// The core's update and responsibilities where only its non-zero elements are read.
#pragma once

#include <span>

#include "vest/model.hpp"
#include "vest/penalty.hpp"
#include "vest/plan.hpp"
#include "workspace/workspace.hpp"

namespace vest::inline VEST_ISA {

/// How many elements are swept at once: the inner products of their features are summed together.
inline constexpr std::size_t kMostTogether = 64;

/// Sums per slot: inner products, products with the residual, second moments.
[[nodiscard]] constexpr std::size_t sums_by_runs() {
  return kMostTogether * kMostTogether + 2 * kMostTogether;
}

/// Of how many elements the responsibilities are summed in one pass.
inline constexpr std::size_t kMostJudged = sums_by_runs() / 2;

/// One Gauss-Seidel sweep over the live elements in C order.
void sweep_by_runs(const Plan& plan, const Penalty& penalty, TuckerModel& model, Workspace& ws);

/// The sums that `which` names, over all entries, into ws.slots.
void sum_by_runs(const Plan& plan, const TuckerModel& model, const CoreSum& which, Workspace& ws);

/// sum r phi, into the workspace's gradient, and sum phi^2 of each element that is not zero.
void products_by_runs(const Plan& plan, const TuckerModel& model, Workspace& ws,
                      std::span<double> squares);

}  // namespace vest::inline VEST_ISA
