// Sizing the workspace: the most that any kernel asks for, allocated once.
#include "vest/workspace.hpp"

#include <algorithm>

#include "contract.hpp"
#include "core_sweep.hpp"
#include "fiber_sum.hpp"

namespace vest {
namespace {

constexpr std::size_t kPadding = 16;                        // doubles: two cache lines apart
constexpr std::size_t kSlotDoubles = std::size_t{1} << 24;  // all partial sums: 128 MiB at most
constexpr pos_t kMostSlots = 64;

std::size_t factor_scratch(const ModePlan& plan, const TuckerModel& model) {
  const std::size_t rank = model.rank(plan.mode);
  return rank * rank + 4 * rank + PrefixContraction::scratch_size(model, plan.tuple_modes);
}

std::size_t core_scratch(const ModePlan& plan, const CorePlan& core, const TuckerModel& model) {
  const Path path(plan);
  const std::size_t values = FiberSum<Feature::kValues>::scratch_size(model, path);
  std::size_t sweep = block_size(model.ranks(), core.trailing);
  if (core.strategy == CoreStrategy::kGram)
    sweep = FiberSum<Feature::kPairs>::scratch_size(model, path) + values;
  return std::max(sweep, factor_scratch(plan, model) + 2 * values);
}

/// Sums per slot: for the responsibilities, and for the sweep.
std::size_t slot_size(const CorePlan& core, const TuckerModel& model) {
  const std::size_t elements = model.core().n_elem;
  const std::size_t block = block_size(model.ranks(), core.trailing);
  const std::size_t sweep = core.strategy == CoreStrategy::kGram
                                ? FiberSum<Feature::kPairs>::total_size(model) + elements
                                : block * block + block;
  return std::max(sweep, 2 * elements);
}

CoreSlots make_slots(std::size_t size, pos_t chunks) {
  const auto affordable = static_cast<pos_t>(kSlotDoubles / size);
  const pos_t slots = std::max<pos_t>(1, std::min({affordable, kMostSlots, chunks}));
  CoreSlots made;
  made.cut = {chunks, (chunks + slots - 1) / slots};
  made.partial.set_size(size, static_cast<arma::uword>(made.cut.count()));
  made.total.set_size(size);
  return made;
}

}  // namespace

Workspace::Workspace(const Plan& plan, const TuckerModel& model, const Team& crew) : team(crew) {
  const ModePlan& core_mode = plan.modes[plan.core.mode];
  std::size_t most_scratch = core_scratch(core_mode, plan.core, model);
  std::size_t most_table = 0;
  std::size_t most_chunks = 0;
  std::size_t most_sums = 0;
  index_t most_pieces = 0;
  for (const ModePlan& mode : plan.modes) {
    const std::size_t rank = model.rank(mode.mode);
    most_scratch = std::max(most_scratch, factor_scratch(mode, model));
    most_chunks = std::max(most_chunks, mode.chunks.size());
    most_pieces = std::max(most_pieces, mode.piece_count);
    most_sums = std::max(most_sums, rank * rank + 2 * rank);
    if (mode.tabulated)
      most_table = std::max(
          most_table, static_cast<std::size_t>(mode.tuple_count) * model.rank(mode.last) * rank);
  }
  threads.set_size(most_scratch + kPadding, static_cast<arma::uword>(team.threads()));
  core.resize(model.core().n_elem);
  tables.resize(most_table);
  pieces.set_size(most_sums, static_cast<arma::uword>(most_pieces));
  squares.resize(most_chunks);
  slots = make_slots(slot_size(plan.core, model), std::ssize(core_mode.chunks));
  gradient.resize(model.core().n_elem);
  if (plan.core.strategy == CoreStrategy::kGram) {
    gram.resize(GramLayout(model.ranks()).size());
  } else {
    residual.set_size(core_mode.value.size());
    lead.set_size(core_mode.value.size());
    product.set_size(core_mode.value.size());
  }
}

}  // namespace vest
