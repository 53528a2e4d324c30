// Sizing the workspace: the most that any kernel asks for, allocated once.
#include "engine/workspace.hpp"

#include <algorithm>
#include <atomic>

#include "kernels/core/core_sweep.hpp"
#include "kernels/core/fiber_sum.hpp"
#include "kernels/factor/delta.hpp"
#include "kernels/vectors/outer_sums.hpp"

namespace vest {
namespace {

constexpr std::size_t kPadding = 16;  // doubles: two cache lines apart
// Slots share memory of about this many doubles, or one per entry up to a bound: adding them up
// must stay cheap beside filling them. A few there must always be, for threads to share.
constexpr pos_t kSlotDoubles = pos_t{1} << 21;
constexpr pos_t kMostSlotDoubles = pos_t{1} << 24;
constexpr pos_t kFewestSlots = 4;
constexpr pos_t kMostSlots = 64;
constexpr pos_t kWorthSkipping = 8;  // one empty row in so many

std::size_t core_scratch(const ModePlan& plan, const CorePlan& core, const TuckerModel& model) {
  const Path path(plan);
  const std::size_t values = FiberSum<Feature::kValues>::scratch_size(model, path);
  std::size_t sweep = block_size(model.ranks(), core.trailing);
  if (core.strategy == CoreStrategy::kGram)
    sweep = FiberSum<Feature::kPairs>::scratch_size(model, path) + values +
            2 * model.rank(plan.last);  // a row and a sum, where the rank is not a fixed one
  return std::max({sweep, pass_scratch_size(plan, model), 2 * values});
}

/// Sums per slot: for the responsibilities, and for the sweep.
std::size_t slot_size(const ModePlan& plan, const CorePlan& core, const TuckerModel& model) {
  const Path path(plan);
  const std::size_t values = FiberSum<Feature::kValues>::total_size(model, path);
  if (core.strategy == CoreStrategy::kGram)
    return FiberSum<Feature::kPairs>::total_size(model, path) + values;
  const std::size_t block = block_size(model.ranks(), core.trailing);
  return std::max(block * block + block, 2 * values);
}

CoreSlots make_slots(std::size_t size, pos_t chunks, pos_t entries) {
  const pos_t slots =
      std::clamp<pos_t>(wanted_slots(static_cast<double>(size), entries), 1, chunks);
  CoreSlots made;
  made.cut = {chunks, (chunks + slots - 1) / slots};
  made.partial.set_size(size, static_cast<arma::uword>(made.cut.count()));
  made.total.set_size(size);
  return made;
}

}  // namespace

pos_t wanted_slots(double size, pos_t entries) {
  const pos_t doubles = std::clamp(entries, kSlotDoubles, kMostSlotDoubles);
  const double fitting = static_cast<double>(doubles) / size;
  return static_cast<pos_t>(std::clamp<double>(fitting, static_cast<double>(kFewestSlots),
                                               static_cast<double>(kMostSlots)));
}

Workspace::Workspace(const Plan& made, const TuckerModel& model, const Team& crew)
    : plan(made), team(crew) {
  const ModePlan& core_mode = plan.modes[plan.core.mode];
  std::size_t most_scratch = core_scratch(core_mode, plan.core, model);
  std::size_t most_table = 0;
  pos_t most_tuples = 0;
  std::size_t most_core = 0;
  std::size_t most_chunks = 0;
  std::size_t most_sums = 0;
  index_t most_pieces = 0;
  std::size_t most_split = 0;
  for (const ModePlan& mode : plan.modes) {
    const std::size_t rank = model.rank(mode.mode);
    most_scratch = std::max(most_scratch, pass_scratch_size(mode, model));
    most_chunks = std::max(most_chunks, mode.chunks.size());
    most_pieces = std::max(most_pieces, mode.piece_count);
    most_split = std::max(most_split, mode.split_rows.size());
    most_sums = std::max(most_sums, outer_size(rank));
    if (mode.tabulated) most_tuples = std::max(most_tuples, mode.tuple_count);
    if (mode.tabulated)
      most_table = std::max(most_table, static_cast<std::size_t>(mode.tuple_count) *
                                            model.rank(mode.last) * padded_rank(rank));
    most_core = std::max(most_core, padded_core_size(mode, model));
  }
  threads.set_size(most_scratch + kPadding, static_cast<arma::uword>(team.threads()));
  core.resize(most_core);
  tables.resize(most_table);
  zero.resize(static_cast<std::size_t>(most_tuples));
  pieces.set_size(most_sums, static_cast<arma::uword>(most_pieces));
  pieces_left.resize(most_split);
  squares.resize(most_chunks);
  slots = make_slots(slot_size(core_mode, plan.core, model), std::ssize(core_mode.chunks),
                     std::ssize(core_mode.value));
  gradient.resize(model.core().n_elem);
  if (plan.core.strategy == CoreStrategy::kGram) {
    const GramLayout layout(model.ranks());
    gram.resize(layout.size());
    target.resize(model.core().n_elem);
    change.resize(model.core().n_elem);
    offsets.resize(layout.block * layout.block);
  } else {
    residual.set_size(core_mode.value.size());
    lead.set_size(core_mode.value.size());
    product.set_size(core_mode.value.size());
  }
  for (Mode n = 0; n < model.order(); ++n) empty.emplace_back(model.factor(n).n_cols);
  look_at(model);
}

void Workspace::look_at(const TuckerModel& model) {
  forget();
  for (Mode n = 0; n < model.order(); ++n) {
    const Cut cut{std::ssize(empty[n]), 65536};
    team.for_chunks(cut.count(), [&](pos_t chunk, int) {
      for (pos_t i = cut.begin(chunk); i < cut.end(chunk); ++i)
        look_at_row(model, n, static_cast<index_t>(i));
    });
  }
}

void Workspace::expect_pieces(const ModePlan& mode) {
  for (std::size_t i = 0; i < mode.split_rows.size(); ++i)
    pieces_left[i] = mode.split_rows[i].piece_end - mode.split_rows[i].piece_begin;
}

const SplitRow* Workspace::complete_piece(const ModePlan& mode, index_t row) {
  const auto split = std::ranges::lower_bound(mode.split_rows, row, {}, &SplitRow::row);
  index_t& left = pieces_left[static_cast<std::size_t>(split - mode.split_rows.begin())];
  const index_t before = std::atomic_ref(left).fetch_sub(1, std::memory_order_acq_rel);
  return before == 1 ? &*split : nullptr;
}

bool Workspace::worth_skipping(Mode n) const {
  for (Mode m = 0; m < empty.size(); ++m)
    if (m != n && kWorthSkipping * std::ranges::count(empty[m], 1) > std::ssize(empty[m]))
      return true;
  return false;
}

}  // namespace vest
