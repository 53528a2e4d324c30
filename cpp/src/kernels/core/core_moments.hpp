// What is known of the core's features where their elements have variances.
#pragma once

#include "vest/model.hpp"
#include "vest/penalty.hpp"
#include "vest/plan.hpp"
#include "workspace/workspace.hpp"

namespace vest::inline VEST_ISA {

/// Sums the second moments of all core features over the entries, as they are summed, into
/// ws.slots.
void sum_moment_features(const Plan& plan, const TuckerModel& model, Workspace& ws);

/// Sums the second moments of all core features over the entries; from these, the denominators of
/// the core's steps into ws.denominator, and the variances of its live elements into the model.
void sum_moments(const Plan& plan, const Penalty& penalty, const TuckerModel& model, Workspace& ws);

}  // namespace vest::inline VEST_ISA
