// Carrying out a plan's choices: sort the entries for each mode, number tuples, cut into chunks.
#include "vest/plan.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/planning/entry_order.hpp"
#include "engine/planning/plan_choice.hpp"

namespace vest {
namespace {

/// About 256 chunks, so that eight threads share them evenly, of a size that repays its overhead.
pos_t chunk_size(pos_t entries) { return std::clamp<pos_t>(entries / 256, 512, 16384); }

}  // namespace

pos_t plan_chunks(pos_t entries) { return entries / chunk_size(entries) + 1; }

double plan_bytes(double entries, double rows, double tuples, std::size_t tuple_modes,
                  bool weighted) {
  using Size = decltype(ModePlan::row_size)::value_type;
  const double coords = tuple_modes > 1 ? tuples * static_cast<double>(tuple_modes) : 0.0;
  const double doubles = weighted ? 2.0 : 1.0;
  return entries * (2.0 * sizeof(index_t) + doubles * sizeof(double)) + rows * sizeof(Size) +
         coords * sizeof(index_t);
}

double sort_bytes(pos_t entries, std::size_t tuple_modes) {
  const auto count = static_cast<double>(entries);
  const double numbers = tuple_modes > 1 ? count * sizeof(index_t) : 0.0;
  return numbers + with_position_type(
                       entries, [&](auto pos) { return EntryOrder<decltype(pos)>::bytes(count); });
}

namespace {

/// After sorting by tuple: gives each distinct tuple the next number, in sorted order.
template <class Pos>
BigVector<index_t> number_tuples(const SparseTensor& x, const BigVector<Pos>& order,
                                 const Team& team, ModePlan& plan) {
  BigVector<index_t> tuple_of(order.size());
  pos_t next = -1;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i % kEntriesPerLook == 0) team.checkpoint();
    if (i + kAhead < order.size()) x.prefetch_coords(static_cast<pos_t>(order[i + kAhead]));
    const auto entry = static_cast<pos_t>(order[i]);
    const auto differs = [&](Mode q) {
      return x.coord(entry, q) != x.coord(static_cast<pos_t>(order[i - 1]), q);
    };
    if (i == 0 || std::ranges::any_of(plan.tuple_modes, differs)) {
      if (++next > kMaxIndex) throw std::length_error("more than 2^31 - 1 distinct tuples");
      for (const Mode q : plan.tuple_modes) plan.tuple_coords.push_back(x.coord(entry, q));
    }
    tuple_of[static_cast<std::size_t>(entry)] = static_cast<index_t>(next);
  }
  plan.tuple_count = next + 1;
  plan.tuple_coords.shrink_to_fit();
  return tuple_of;
}

/// Sorts the entries by (row, tuple, last) into the plan's arrays.
template <class Pos>
void sort_entries(const SparseTensor& x, const Team& team, ModePlan& plan) {
  EntryOrder<Pos> sorted(x, team);
  sorted.sort_by(plan.last);
  for (std::size_t k = plan.tuple_modes.size(); k-- > 0;) sorted.sort_by(plan.tuple_modes[k]);
  BigVector<index_t> tuple_of;
  if (plan.tuple_modes.size() > 1) tuple_of = number_tuples(x, sorted.order(), team, plan);
  if (plan.tuple_modes.size() == 1) plan.tuple_count = x.dim(plan.tuple_modes[0]);
  sorted.sort_by(plan.mode);

  const BigVector<Pos>& order = sorted.order();
  plan.last_index.resize(order.size());
  plan.tuple.resize(order.size());
  plan.value.resize(order.size());
  if (x.weighted()) plan.root_weight.resize(order.size());
  plan.row_size.assign(static_cast<std::size_t>(x.dim(plan.mode)), 0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i % kEntriesPerLook == 0) team.checkpoint();
    if (i + kAhead < order.size()) {
      x.prefetch_coords(static_cast<pos_t>(order[i + kAhead]));
      x.prefetch_value(static_cast<pos_t>(order[i + kAhead]));
    }
    const auto entry = static_cast<pos_t>(order[i]);
    plan.last_index[i] = x.coord(entry, plan.last);
    plan.value[i] = x.value(entry);
    if (x.weighted()) {
      plan.root_weight[i] = std::sqrt(x.weight(entry));
      plan.value[i] *= plan.root_weight[i];
    }
    if (plan.tuple_modes.size() == 1) plan.tuple[i] = x.coord(entry, plan.tuple_modes[0]);
    if (plan.tuple_modes.size() > 1) plan.tuple[i] = tuple_of[static_cast<std::size_t>(entry)];
    if (++plan.row_size[static_cast<std::size_t>(x.coord(entry, plan.mode))] == 0)
      throw std::length_error("a row has more than 2^32 - 1 entries");
  }
}

/// Whole rows are gathered until a chunk is full; a row of several chunks' size is cut in pieces.
void cut_chunks(pos_t entries, ModePlan& plan) {
  const pos_t full = chunk_size(entries);
  const auto rows = static_cast<index_t>(plan.row_size.size());
  Chunk open{0, 0, 0, 0, -1};
  pos_t at = 0;
  const auto close = [&](index_t next_row) {
    if (open.row_begin < open.row_end) plan.chunks.push_back(open);
    open = {at, at, next_row, next_row, -1};
  };
  for (index_t row = 0; row < rows; ++row) {
    const pos_t size = plan.row_size[static_cast<std::size_t>(row)];
    if (size > 2 * full) {
      close(row);
      const index_t first = plan.piece_count;
      const Cut pieces{size, full};
      for (pos_t piece = 0; piece < pieces.count(); ++piece)
        plan.chunks.push_back(
            {at + pieces.begin(piece), at + pieces.end(piece), row, row + 1, plan.piece_count++});
      plan.split_rows.push_back({row, first, plan.piece_count});
      at += size;
      close(row + 1);
      continue;
    }
    at += size;
    open.end = at;
    open.row_end = row + 1;
    // A row costs something even without entries.
    if ((open.end - open.begin) + (open.row_end - open.row_begin) / 4 >= full) close(row + 1);
  }
  close(rows);
}

ModePlan plan_mode(const SparseTensor& x, Mode n, const ModeChoice& choice, const Team& team,
                   const PlanOverrides& overrides) {
  ModePlan plan;
  plan.by_runs = overrides.core == PlanOverrides::Core::kRuns;
  plan.ones = plan.by_runs && overrides.ones;
  plan.mode = n;
  plan.last = choice.last;
  plan.tuple_modes = choice.tuple_modes;
  plan.tabulated = choice.tabulated;
  with_position_type(x.nnz(), [&](auto pos) { sort_entries<decltype(pos)>(x, team, plan); });
  cut_chunks(x.nnz(), plan);
  return plan;
}

}  // namespace

Plan make_plan(const SparseTensor& x, std::span<const index_t> ranks, const Team& team) {
  return make_plan(x, ranks, team, PlanOverrides{});
}

Plan make_plan(const SparseTensor& x, std::span<const index_t> ranks, const Team& team,
               const PlanOverrides& overrides) {
  if (ranks.size() != x.order() || std::ranges::min(ranks) < 1)
    throw std::invalid_argument("a plan needs a rank of at least 1 for each of the " +
                                std::to_string(x.order()) + " modes");
  const Choices choices = choose(x, ranks, team, overrides);
  Plan plan{.modes = std::vector<ModePlan>(x.order()),
            .core = choices.core,
            .ranks = {ranks.begin(), ranks.end()},
            .norm2 = x.norm2()};
  team.for_chunks(
      static_cast<pos_t>(x.order()),
      [&](pos_t n, int) {
        const auto mode = static_cast<Mode>(n);
        plan.modes[mode] = plan_mode(x, mode, choices.modes[mode], team, overrides);
      },
      worthwhile_chunks(8.0 * static_cast<double>(x.nnz())));
  return plan;
}

}  // namespace vest
