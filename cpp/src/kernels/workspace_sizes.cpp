// Adding up what the layouts of all kernels need.
#include "kernels/workspace_sizes.hpp"

#include <algorithm>

#include "kernels/core/core_blocks.hpp"
#include "kernels/core/core_by_runs.hpp"
#include "kernels/core/fiber_sum.hpp"
#include "kernels/core/gram/gram_layout.hpp"
#include "kernels/delta/delta.hpp"
#include "kernels/vectors/outer_sums.hpp"

namespace vest::inline VEST_ISA {
namespace {

using Values = FiberSum<Feature::kValues>;
using Pairs = FiberSum<Feature::kPairs>;

/// The scratch of the core's passes: its sweep, its residuals and its responsibilities.
std::size_t core_scratch(const ModePlan& mode, const CorePlan& core,
                         std::span<const index_t> ranks) {
  const Path path(mode);
  if (core.strategy == CoreStrategy::kRuns)
    return kMostJudged + RunDelta::scratch_size(static_cast<std::size_t>(ranks[mode.mode]));
  const std::size_t values = Values::scratch_size(ranks, path);
  std::size_t sweep = block_size(ranks, core.trailing);
  if (core.strategy == CoreStrategy::kGram)
    sweep = Pairs::scratch_size(ranks, path) + values +
            2 * static_cast<std::size_t>(ranks[mode.last]);  // a row and a sum, for any rank
  return std::max(sweep, 2 * values);
}

/// Sums per slot: for the sweep, and for the responsibilities.
std::size_t slot_size(const ModePlan& mode, const CorePlan& core, std::span<const index_t> ranks) {
  const Path path(mode);
  if (core.strategy == CoreStrategy::kRuns) return sums_by_runs();
  const std::size_t values = Values::total_size(ranks, path);
  if (core.strategy == CoreStrategy::kGram) return Pairs::total_size(ranks, path) + values;
  const std::size_t block = block_size(ranks, core.trailing);
  return std::max(block * block + block, 2 * values);
}

}  // namespace

WorkspaceSizes workspace_sizes(const Plan& plan) {
  const std::span<const index_t> ranks = plan.ranks;
  const ModePlan& core_mode = plan.modes[plan.core.mode];
  const std::size_t core_size = block_size(ranks, ranks.size());
  WorkspaceSizes sizes;
  sizes.scratch = core_scratch(core_mode, plan.core, ranks);
  sizes.slot = slot_size(core_mode, plan.core, ranks);
  for (const ModePlan& mode : plan.modes) {
    const auto rank = static_cast<std::size_t>(ranks[mode.mode]);
    const std::size_t table = table_size(static_cast<std::size_t>(ranks[mode.last]), rank);
    const std::size_t tables =
        mode.tabulated ? static_cast<std::size_t>(mode.tuple_count) * table : 0;
    sizes.scratch = std::max(sizes.scratch, pass_scratch_size(mode, ranks, core_size));
    if (!mode.by_runs) sizes.core = std::max(sizes.core, padded_core_size(core_size, rank));
    sizes.tables = std::max(sizes.tables, tables);
    sizes.row_sums = std::max(sizes.row_sums, noisy_sums_size(rank, mode.by_runs));
  }
  if (plan.core.strategy == CoreStrategy::kGram) {
    const GramLayout layout(ranks);
    sizes.gram = layout.size();
    sizes.offsets = layout.block * layout.block;
  }
  return sizes;
}

}  // namespace vest::inline VEST_ISA
