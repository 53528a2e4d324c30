// Sorting the entries of a mode, and numbering their tuples.
#include "engine/planning/mode_plan.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/planning/entry_order.hpp"

namespace vest {
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

/// Sorts the entries by (row, tuple, last) into the plan's arrays, whose rows begin with
/// `first_row`.
template <class Pos>
void sort_entries(const SparseTensor& x, index_t first_row, const Team& team, ModePlan& plan) {
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
  plan.row_size.assign(static_cast<std::size_t>(plan.rows), 0);
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
    if (++plan.row_size.at(static_cast<std::size_t>(x.coord(entry, plan.mode) - first_row)) == 0)
      throw std::length_error("a row has more than 2^32 - 1 entries");
  }
}

}  // namespace

ModePlan outline_mode(Mode n, pos_t rows, const ModeChoice& choice,
                      const PlanOverrides& overrides) {
  ModePlan plan;
  plan.by_runs = overrides.core == PlanOverrides::Core::kRuns;
  plan.ones = plan.by_runs && overrides.ones;
  plan.mode = n;
  plan.last = choice.last;
  plan.tuple_modes = choice.tuple_modes;
  plan.tabulated = choice.tabulated;
  plan.rows = rows;
  return plan;
}

void sort_mode(const SparseTensor& x, index_t first_row, const Team& team, ModePlan& plan) {
  with_position_type(x.nnz(),
                     [&](auto pos) { sort_entries<decltype(pos)>(x, first_row, team, plan); });
}

void check_ranks(std::span<const index_t> ranks, std::size_t order) {
  if (ranks.size() != order || std::ranges::min(ranks) < 1)
    throw std::invalid_argument("a plan needs a rank of at least 1 for each of the " +
                                std::to_string(order) + " modes");
}

}  // namespace vest
