// Plans: entries sorted and none lost, tuples numbered, every row and entry in one chunk.
#include "vest/plan.hpp"

#include <algorithm>
#include <numeric>

#include "problem.hpp"

using namespace vest;

namespace {

using Force = PlanOverrides::Force;
using Core = PlanOverrides::Core;

/// Calls body(row, entry) for every entry the chunks reach, chunk by chunk.
template <class Body>
void for_entries(const ModePlan& plan, Body&& body) {
  for (const Chunk& chunk : plan.chunks)
    plan.for_rows(chunk, [&](index_t row, pos_t begin, pos_t end) {
      for (pos_t e = begin; e < end; ++e) body(row, static_cast<std::size_t>(e));
    });
}

/// Coordinates in mode order, the value times the root of the weight, and that root: put together
/// from row, tuple and last.
using Entry = std::vector<double>;

Entry entry_of(const ModePlan& plan, index_t row, std::size_t e) {
  Entry entry(plan.tuple_modes.size() + 4);
  entry[plan.mode] = row;
  entry[plan.last] = plan.last_index[e];
  const index_t& tuple = plan.tuple[e];
  for (std::size_t k = 0; k < plan.tuple_modes.size(); ++k)
    entry[plan.tuple_modes[k]] = plan.coords_of(tuple)[k];
  entry[plan.tuple_modes.size() + 2] = plan.value[e];
  entry.back() = plan.weighted() ? plan.root_weight[e] : 1.0;
  return entry;
}

void nothing_is_lost(const SparseTensor& x, const ModePlan& plan) {
  std::vector<Entry> want;
  std::vector<Entry> got;
  for (pos_t e = 0; e < x.nnz(); ++e) {
    want.emplace_back();
    for (Mode n = 0; n < x.order(); ++n) want.back().push_back(x.coord(e, n));
    const double root = x.weighted() ? std::sqrt(x.weight(e)) : 1.0;
    want.back().push_back(root * x.value(e));
    want.back().push_back(root);
  }
  for_entries(plan, [&](index_t row, std::size_t e) { got.push_back(entry_of(plan, row, e)); });
  CHECK(plan.weighted() == x.weighted());
  std::ranges::sort(want);
  std::ranges::sort(got);
  CHECK(got == want);
}

void entries_are_sorted(const SparseTensor& x, const ModePlan& plan) {
  std::vector<std::vector<index_t>> keys;
  std::vector<index_t> numbers;
  for_entries(plan, [&](index_t row, std::size_t e) {
    const index_t& tuple = plan.tuple[e];
    keys.push_back({row});
    keys.back().insert(keys.back().end(), plan.coords_of(tuple).begin(),
                       plan.coords_of(tuple).end());
    keys.back().push_back(plan.last_index[e]);
  });
  CHECK(std::ssize(keys) == x.nnz());
  CHECK(std::ranges::is_sorted(keys));  // by (row, tuple, last), lexicographically
  CHECK(std::ranges::adjacent_find(keys) == keys.end());
}

/// Each distinct tuple has one number, in sorted order.
void tuples_are_numbered(const SparseTensor& x, const ModePlan& plan) {
  const std::size_t k = plan.tuple_modes.size();
  if (k == 0) CHECK(plan.tuple_count == 1);
  if (k == 1) CHECK(plan.tuple_count == x.dim(plan.tuple_modes[0]));
  if (k < 2) return CHECK(plan.tuple_coords.empty());
  CHECK(plan.tuple_coords.size() == static_cast<std::size_t>(plan.tuple_count) * k);
  std::vector<std::vector<index_t>> tuples;
  for (index_t t = 0; t < plan.tuple_count; ++t)
    tuples.emplace_back(plan.coords_of(t).begin(), plan.coords_of(t).end());
  CHECK(std::ranges::is_sorted(tuples));
  CHECK(std::ranges::adjacent_find(tuples) == tuples.end());
  std::vector<bool> used(tuples.size());
  for (const index_t t : plan.tuple) used[static_cast<std::size_t>(t)] = true;
  CHECK(std::ranges::find(used, false) == used.end());
}

void rows_are_counted(const SparseTensor& x, const ModePlan& plan) {
  std::vector<std::uint32_t> want(static_cast<std::size_t>(x.dim(plan.mode)));
  for (pos_t e = 0; e < x.nnz(); ++e) ++want[static_cast<std::size_t>(x.coord(e, plan.mode))];
  CHECK(plan.row_size == want);
}

/// Chunks follow each other without gap or overlap, in rows and in entries.
void chunks_cover_all_once(const SparseTensor& x, const ModePlan& plan) {
  pos_t entry = 0;
  index_t row = 0;
  index_t piece = 0;
  for (std::size_t c = 0; c < plan.chunks.size(); ++c) {
    const Chunk& chunk = plan.chunks[c];
    const bool continues = chunk.is_piece() && c > 0 && plan.chunks[c - 1].is_piece() &&
                           plan.chunks[c - 1].row_begin == chunk.row_begin;
    CHECK(chunk.begin == entry);
    CHECK(chunk.row_begin == (continues ? row - 1 : row));
    CHECK(chunk.row_end > chunk.row_begin);
    if (chunk.is_piece()) {
      CHECK(chunk.piece == piece++);  // pieces are numbered in order
      CHECK(chunk.row_end == chunk.row_begin + 1 && chunk.end > chunk.begin);
    } else {
      const auto sizes = std::span(plan.row_size)
                             .subspan(static_cast<std::size_t>(chunk.row_begin),
                                      static_cast<std::size_t>(chunk.row_end - chunk.row_begin));
      CHECK(std::accumulate(sizes.begin(), sizes.end(), pos_t{0}) == chunk.end - chunk.begin);
    }
    entry = chunk.end;
    row = chunk.row_end;
  }
  CHECK(entry == x.nnz());
  CHECK(row == x.dim(plan.mode));
  CHECK(piece == plan.piece_count);
}

/// A split row's pieces are exactly its entries, and every piece belongs to one split row.
void split_rows_own_their_pieces(const ModePlan& plan) {
  std::vector<Chunk> pieces;
  std::ranges::copy_if(plan.chunks, std::back_inserter(pieces), &Chunk::is_piece);
  index_t next = 0;
  for (const SplitRow& split : plan.split_rows) {
    CHECK(split.piece_begin == next && split.piece_end > split.piece_begin + 1);
    pos_t entries = 0;
    for (index_t p = split.piece_begin; p < split.piece_end; ++p) {
      const Chunk& piece = pieces.at(static_cast<std::size_t>(p));
      CHECK(piece.row_begin == split.row);
      entries += piece.end - piece.begin;
    }
    CHECK(entries == plan.row_size[static_cast<std::size_t>(split.row)]);
    next = split.piece_end;
  }
  CHECK(next == plan.piece_count);
}

/// All of the above, for every mode and in the orders of both core sweeps.
void plans_are_sound(const test::Problem& problem) {
  const SparseTensor x = problem.tensor();
  for (const Core core : {Core::kGram, Core::kBlocks}) {
    const Plan plan = make_plan(x, problem.model.ranks(), Team(2), {Force::kAuto, core});
    for (const ModePlan& mode : plan.modes) {
      nothing_is_lost(x, mode);
      entries_are_sorted(x, mode);
      tuples_are_numbered(x, mode);
      rows_are_counted(x, mode);
      chunks_cover_all_once(x, mode);
      split_rows_own_their_pieces(mode);
    }
  }
}

void long_rows_are_split_and_short_ones_are_not() {
  for (const test::Case& c : test::cases()) {
    const test::Problem problem = test::make_problem(c);
    const Plan plan = make_plan(problem.tensor(), problem.model.ranks(), Team(1));
    for (const ModePlan& mode : plan.modes) {
      const bool two_rows = c.entries > 1000 && c.shape[mode.mode] <= 3;
      CHECK(mode.split_rows.size() == (two_rows ? 2 : 0));
      if (two_rows) CHECK(mode.chunks.size() > 4);
    }
  }
}

/// Rows without entries still cost a pass: a long run of them is cut, too.
void empty_rows_are_shared_out() {
  const std::vector<index_t> coords{0, 0, 99999, 1};
  const std::vector<double> values{1.0, 2.0};
  const SparseTensor x(coords, values, {100000, 2});
  const std::vector<index_t> ranks{2, 2};
  const Plan plan = make_plan(x, ranks, Team(1));
  CHECK(plan.modes[0].chunks.size() > 10);
  chunks_cover_all_once(x, plan.modes[0]);
}

bool same(const ModePlan& a, const ModePlan& b) {
  const auto bounds = [](const ModePlan& plan) {
    std::vector<pos_t> all;
    for (const Chunk& c : plan.chunks)
      all.insert(all.end(), {c.begin, c.end, c.row_begin, c.row_end, c.piece});
    return all;
  };
  return a.mode == b.mode && a.last == b.last && a.tuple_modes == b.tuple_modes &&
         a.tabulated == b.tabulated && a.last_index == b.last_index && a.tuple == b.tuple &&
         a.value == b.value && a.tuple_coords == b.tuple_coords && bounds(a) == bounds(b);
}

void plans_do_not_depend_on_threads() {
  test::for_cases("any number of threads", [](const test::Problem& problem) {
    const SparseTensor x = problem.tensor();
    const Plan one = make_plan(x, problem.model.ranks(), Team(1));
    for (const int threads : test::kThreads) {
      const Plan plan = make_plan(x, problem.model.ranks(), Team(threads));
      for (Mode n = 0; n < x.order(); ++n) CHECK(same(plan.modes[n], one.modes[n]));
    }
  });
}

void a_plan_knows_what_it_is_of() {
  const test::Problem problem = test::make_problem(test::cases()[2]);
  const SparseTensor x = problem.tensor();
  const Plan plan = make_plan(x, problem.model.ranks(), Team(1));
  CHECK(plan.ranks == problem.model.ranks() && plan.norm2 == x.norm2());
  CHECK(plan.order() == x.order());
  for (Mode n = 0; n < x.order(); ++n) CHECK(plan.dim(n) == x.dim(n));
  for (const std::vector<index_t>& ranks : {std::vector<index_t>{2, 2}, {2, 0, 2}, {}})
    CHECK_THROWS(static_cast<void>(make_plan(x, ranks, Team(1))), std::invalid_argument);
}

void tables_are_as_forced() {
  const test::Problem problem = test::make_problem(test::cases()[4]);
  for (const Force force : {Force::kTables, Force::kOnTheFly})
    for (const ModePlan& mode :
         make_plan(problem.tensor(), problem.model.ranks(), Team(1), {force, Core::kGram}).modes)
      CHECK(mode.tabulated == (force == Force::kTables));
}

/// The arrays are borrowed: writing to them after the check must not send a sort out of bounds.
void a_coordinate_changed_later_is_noticed() {
  test::Problem problem = test::make_problem(test::cases()[2]);
  const SparseTensor x = problem.tensor();
  for (const index_t bad : {30, -1}) {
    problem.entries.coords[3 * 17] = bad;
    CHECK_THROWS(make_plan(x, problem.model.ranks(), Team(1)), CoordinateError);
  }
}

void planning_can_be_interrupted() {
  const test::Problem problem = test::make_problem(test::cases()[2]);
  CHECK_THROWS(make_plan(problem.tensor(), problem.model.ranks(), Team(1, [] { return true; })),
               Interrupted);
}

}  // namespace

int main() {
  test::for_cases("plans", plans_are_sound);
  RUN(long_rows_are_split_and_short_ones_are_not);
  RUN(empty_rows_are_shared_out);
  plans_do_not_depend_on_threads();
  RUN(a_plan_knows_what_it_is_of);
  RUN(tables_are_as_forced);
  RUN(a_coordinate_changed_later_is_noticed);
  RUN(planning_can_be_interrupted);
  return check::report();
}
