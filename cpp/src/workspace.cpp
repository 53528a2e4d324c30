// Sizing the workspace: the most that any kernel asks for, allocated once.
#include "vest/workspace.hpp"

#include <algorithm>

#include "core_sweep.hpp"
#include "delta.hpp"
#include "fiber_sum.hpp"

namespace vest {
namespace {

constexpr std::size_t kPadding = 16;  // doubles: two cache lines apart
// Slots share memory of about this many doubles, or one per entry up to a bound: adding them up
// must stay cheap beside filling them. A few there must always be, for threads to share.
constexpr pos_t kSlotDoubles = pos_t{1} << 21;
constexpr pos_t kMostSlotDoubles = pos_t{1} << 24;
constexpr pos_t kFewestSlots = 4;
constexpr pos_t kMostSlots = 64;

std::size_t core_scratch(const ModePlan& plan, const CorePlan& core, const TuckerModel& model) {
  const Path path(plan);
  const std::size_t last = model.rank(plan.last);
  const std::size_t values = FiberSum<Feature::kValues>::scratch_size(model, path);
  std::size_t sweep = block_size(model.ranks(), core.trailing);
  if (core.strategy == CoreStrategy::kGram)
    sweep = FiberSum<Feature::kPairs>::scratch_size(model, path) + values + last * last + 2 * last;
  return std::max(sweep, pass_scratch_size(plan, model) + 2 * values);
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

CoreSlots make_slots(std::size_t size, pos_t chunks, pos_t entries) {
  const pos_t doubles = std::clamp(entries, kSlotDoubles, kMostSlotDoubles);
  const pos_t wanted = std::clamp(doubles / static_cast<pos_t>(size), kFewestSlots, kMostSlots);
  const pos_t slots = std::clamp<pos_t>(wanted, 1, chunks);
  CoreSlots made;
  made.cut = {chunks, (chunks + slots - 1) / slots};
  made.partial.set_size(size, static_cast<arma::uword>(made.cut.count()));
  made.total.set_size(size);
  return made;
}

}  // namespace

double* Scratch::take(std::size_t size) {
  if (size > left_.size()) throw std::logic_error("a kernel's scratch was sized too small");
  double* const taken = left_.data();
  left_ = left_.subspan(size);
  return taken;
}

Workspace::Workspace(const Plan& plan, const TuckerModel& model, const Team& crew) : team(crew) {
  const ModePlan& core_mode = plan.modes[plan.core.mode];
  std::size_t most_scratch = core_scratch(core_mode, plan.core, model);
  std::size_t most_table = 0;
  std::size_t most_core = 0;
  std::size_t most_chunks = 0;
  std::size_t most_sums = 0;
  index_t most_pieces = 0;
  for (const ModePlan& mode : plan.modes) {
    const std::size_t rank = model.rank(mode.mode);
    most_scratch = std::max(most_scratch, pass_scratch_size(mode, model));
    most_chunks = std::max(most_chunks, mode.chunks.size());
    most_pieces = std::max(most_pieces, mode.piece_count);
    most_sums = std::max(most_sums, rank * rank + 2 * rank);
    if (mode.tabulated)
      most_table = std::max(most_table, static_cast<std::size_t>(mode.tuple_count) *
                                            model.rank(mode.last) * padded_rank(rank));
    most_core = std::max(most_core, padded_core_size(mode, model));
  }
  threads.set_size(most_scratch + kPadding, static_cast<arma::uword>(team.threads()));
  core.resize(most_core);
  tables.resize(most_table);
  pieces.set_size(most_sums, static_cast<arma::uword>(most_pieces));
  squares.resize(most_chunks);
  slots = make_slots(slot_size(plan.core, model), std::ssize(core_mode.chunks),
                     std::ssize(core_mode.value));
  gradient.resize(model.core().n_elem);
  if (plan.core.strategy == CoreStrategy::kGram) {
    const GramLayout layout(model.ranks());
    gram.resize(layout.size());
    offsets.resize(layout.block * layout.block);
  } else {
    residual.set_size(core_mode.value.size());
    lead.set_size(core_mode.value.size());
    product.set_size(core_mode.value.size());
  }
}

}  // namespace vest
