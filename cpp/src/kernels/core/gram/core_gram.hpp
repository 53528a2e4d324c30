// The core sweep on the Gram matrix of all core features.
#pragma once

#include <span>

#include "vest/model.hpp"
#include "vest/penalty.hpp"
#include "vest/plan.hpp"
#include "workspace/workspace.hpp"

namespace vest::inline VEST_ISA {

/// Sums pairs of features and products of features with the values over all entries, in one pass,
/// into ws.slots, as they are summed.
void sum_pairs(const Plan& plan, const TuckerModel& model, Workspace& ws);

/// Sums K and the products of the core's features with the values over all entries, in one pass,
/// into ws.gram.matrix and ws.gram.target; nothing is done if they are there for these factors.
void sum_gram(const Plan& plan, const TuckerModel& model, Workspace& ws);

/// The Gauss-Seidel steps on what sum_gram has summed: no entry is read.
void sweep_gram(const Penalty& penalty, TuckerModel& model, Workspace& ws);

/// Both, one after the other.
void sweep_by_gram(const Plan& plan, const Penalty& penalty, TuckerModel& model, Workspace& ws);

/// The inner products of each core feature with itself, into `squares`, and with the residual at
/// the present state, into ws.gradient; both in C order.
void core_products(const Plan& plan, const TuckerModel& model, Workspace& ws,
                   std::span<double> squares);

}  // namespace vest::inline VEST_ISA
