// Allocating the workspace, once.
#include "workspace/workspace.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

namespace vest {
namespace {

constexpr std::size_t kApart = 16;  // doubles between the scratch of two threads: two cache lines
// Slots share memory of about this many doubles, or one per entry up to a bound: adding them up
// must stay cheap beside filling them. A few there must always be, for threads to share.
constexpr pos_t kSlotDoubles = pos_t{1} << 21;
constexpr pos_t kMostSlotDoubles = pos_t{1} << 24;
constexpr pos_t kFewestSlots = 4;
constexpr pos_t kMostSlots = 64;

/// How many slots there are: as many as memory allows, but no more than chunks.
pos_t slot_count(std::size_t size, pos_t chunks, pos_t entries) {
  const pos_t doubles = std::clamp(entries, kSlotDoubles, kMostSlotDoubles);
  const pos_t fitting = doubles / static_cast<pos_t>(size);
  return std::clamp<pos_t>(std::clamp(fitting, kFewestSlots, kMostSlots), 1, chunks);
}

/// A share of entries that has none of the core's mode has no slots, and a plan without entries has
/// nothing but the total.
CoreSlots make_slots(const Plan& plan, std::size_t size, pos_t chunks, pos_t entries) {
  CoreSlots made;
  if (plan.holds == Holds::kShare && chunks == 0) return made;
  made.total = Unfilled(size);
  if (plan.holds == Holds::kNone) return made;
  const pos_t together = plan.core.chunks_per_slot;
  made.cut = {chunks, together > 0 ? together : chunks_per_slot(size, chunks, entries)};
  made.partial = Unfilled(size, static_cast<std::size_t>(made.cut.count()));
  return made;
}

WorkspaceCounts count(const Plan& plan, const TuckerModel& model, const Team& team) {
  const ModePlan& core_mode = plan.modes[plan.core.mode];
  WorkspaceCounts counts;
  counts.entries = std::ssize(core_mode.value);
  counts.elements = static_cast<pos_t>(model.values(0).size());
  counts.core_chunks = std::ssize(core_mode.chunks);
  counts.threads = team.threads();
  counts.denominators = model.has_variances() && plan.core.strategy != CoreStrategy::kRuns;
  for (const ModePlan& mode : plan.modes) {
    counts.rows += mode.rows;
    counts.chunks = std::max<pos_t>(counts.chunks, std::ssize(mode.chunks));
    counts.pieces = std::max<pos_t>(counts.pieces, mode.piece_count);
    if (mode.tabulated) counts.tuples = std::max(counts.tuples, mode.tuple_count);
  }
  return counts;
}

}  // namespace

Workspace::Workspace(const Plan& plan, const TuckerModel& model, const Team& crew,
                     const WorkspaceSizes& sizes)
    : team(crew), empty(plan, model) {
  const WorkspaceCounts counts = count(plan, model, team);
  const auto elements = static_cast<std::size_t>(counts.elements);
  threads = Unfilled(sizes.scratch + kApart, static_cast<std::size_t>(counts.threads));
  pass.core.resize(sizes.core);
  pass.tables.resize(sizes.tables);
  pass.zero.resize(static_cast<std::size_t>(counts.tuples));
  pass.pieces = Unfilled(sizes.row_sums, static_cast<std::size_t>(counts.pieces));
  pass.pieces_left.resize(static_cast<std::size_t>(counts.pieces));  // long rows are fewer
  pass.squares.resize(static_cast<std::size_t>(counts.chunks));
  slots = make_slots(plan, sizes.slot, counts.core_chunks, counts.entries);
  gradient.resize(elements);
  if (counts.denominators) denominator.resize(elements);
  if (plan.core.strategy == CoreStrategy::kGram && plan.holds == Holds::kShare) return;
  if (plan.core.strategy == CoreStrategy::kGram) {
    gram.matrix.resize(sizes.gram);
    gram.offsets.resize(sizes.offsets);
    gram.target.resize(elements);
    gram.change.resize(elements);
  } else {
    const auto entries = static_cast<std::size_t>(counts.entries);
    blocks.residual = Unfilled(entries);
    if (plan.core.strategy == CoreStrategy::kBlocks)
      for (Unfilled* each : {&blocks.lead, &blocks.product}) *each = Unfilled(entries);
  }
}

void FactorPass::expect_pieces(const ModePlan& mode) {
  for (std::size_t i = 0; i < mode.split_rows.size(); ++i)
    pieces_left[i] = mode.split_rows[i].open  // never complete here
                         ? std::numeric_limits<index_t>::max()
                         : mode.split_rows[i].piece_end - mode.split_rows[i].piece_begin;
}

pos_t chunks_per_slot(std::size_t size, pos_t chunks, pos_t entries) {
  const pos_t slots = slot_count(size, chunks, entries);
  return (chunks + slots - 1) / slots;
}

const SplitRow* FactorPass::complete_piece(const ModePlan& mode, index_t row) {
  const auto split = std::ranges::lower_bound(mode.split_rows, row, {}, &SplitRow::row);
  index_t& left = pieces_left[static_cast<std::size_t>(split - mode.split_rows.begin())];
  const index_t before = std::atomic_ref(left).fetch_sub(1, std::memory_order_acq_rel);
  return before == 1 ? &*split : nullptr;
}

double workspace_bytes(const WorkspaceSizes& sizes, const WorkspaceCounts& counts,
                       CoreStrategy strategy) {
  const auto number = [](auto count) { return static_cast<double>(count); };
  const bool by_gram = strategy == CoreStrategy::kGram;
  const double scratch = number(counts.threads) * number(sizes.scratch + kApart);
  const double factor_pass = number(sizes.core) + number(sizes.tables) +
                             number(counts.pieces) * number(sizes.row_sums) + number(counts.chunks);
  const pos_t slots = slot_count(sizes.slot, counts.core_chunks, counts.entries);
  const double sums = (number(slots) + 1.0) * number(sizes.slot);
  const double per_element = (by_gram ? 3.0 : 1.0) + (counts.denominators ? 1.0 : 0.0);
  const double per_entry = by_gram ? 0.0 : strategy == CoreStrategy::kRuns ? 1.0 : 3.0;
  const double sweep = number(sizes.gram) + per_element * number(counts.elements) +
                       per_entry * number(counts.entries);
  return (scratch + factor_pass + sums + sweep) * number(sizeof(double)) +
         number(sizes.offsets) * number(sizeof(std::size_t)) +
         number(counts.pieces) * number(sizeof(index_t)) + number(counts.tuples) +
         number(counts.rows);
}

}  // namespace vest
