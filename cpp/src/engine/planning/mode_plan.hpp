// The plan of one mode, step by step: what was chosen, then the entries in that order.
#pragma once

#include <span>

#include "engine/planning/plan_choice.hpp"
#include "vest/parallel.hpp"
#include "vest/plan.hpp"
#include "vest/sparse_tensor.hpp"

namespace vest {

/// What was chosen for mode n, without entries.
[[nodiscard]] ModePlan outline_mode(Mode n, pos_t rows, const ModeChoice& choice,
                                    const PlanOverrides& overrides);

/// Sorts the entries by (row, tuple, last) into the plan's arrays. `first_row` of the tensor is the
/// plan's first: it may have but some of them.
void sort_mode(const SparseTensor& x, index_t first_row, const Team& team, ModePlan& plan);

/// Throws std::invalid_argument unless there is a rank of at least 1 for each mode.
void check_ranks(std::span<const index_t> ranks, std::size_t order);

}  // namespace vest
