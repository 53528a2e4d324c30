// The core sweep in blocks of trailing modes.
#pragma once

#include <cstddef>
#include <span>

#include "vest/model.hpp"
#include "vest/penalty.hpp"
#include "vest/plan.hpp"
#include "workspace/workspace.hpp"

namespace vest::inline VEST_ISA {

/// One pass over the entries for each block of trailing modes.
void sweep_by_blocks(const Plan& plan, const Penalty& penalty, TuckerModel& model, Workspace& ws);

/// Elements of a block of `trailing` modes.
[[nodiscard]] std::size_t block_size(std::span<const index_t> ranks, std::size_t trailing);

}  // namespace vest::inline VEST_ISA
