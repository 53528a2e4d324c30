// Shards: made of their own entries, they give rows, sums and errors the bits of the whole.
#include "vest/shard.hpp"

#include "shards.hpp"
#include "solving.hpp"

using namespace vest;

namespace {

/// The model of a shard: its own rows of its mode, all of the others.
TuckerModel part_of(const TuckerModel& model, Mode n, std::span<const index_t> rows) {
  std::vector<pos_t> shape;
  for (Mode m = 0; m < model.order(); ++m)
    shape.push_back(static_cast<pos_t>(m == n ? rows.size() : model.rows(m)));
  TuckerModel part = test::zero_model(model.ranks(), shape);
  for (std::size_t p = 0; p < model.parts(); ++p) {
    const std::size_t width = p == n + 1 ? model.rank(n) : model.marks(p).size();
    const std::size_t count = p == n + 1 ? rows.size() : 1;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t from = p == n + 1 ? static_cast<std::size_t>(rows[i]) * width : 0;
      std::copy_n(model.values(p).data() + from, width, part.edit(p).data() + i * width);
      std::copy_n(model.marks(p).data() + from, width, part.marks(p).data() + i * width);
    }
  }
  return part;
}

std::vector<index_t> rows_of(const Plan& shard) {
  std::vector<index_t> rows(static_cast<std::size_t>(shard.modes[shard.shared].rows));
  std::iota(rows.begin(), rows.end(), static_cast<index_t>(shard.first_row));
  return rows;
}

/// What all shards of a mode give: rows that are theirs alone, and pieces of the others.
struct Round {
  std::vector<double> rows;
  std::vector<double> pieces;
  std::vector<double> squares;
  std::vector<index_t> open;  // rows, in order
  std::vector<index_t> counts;
};

/// Runs step(solver) on every shard of mode n, and on the rows that are cut between them.
template <class Step>
Round run_shards(const test::Problem& problem, const Plan& outline, Mode n, pos_t count,
                 Step&& step) {
  const TuckerModel& model = problem.model;
  Round round{test::copy(model.values(n + 1)), {}, {}, {}, {}};
  const std::size_t rank = model.rank(n);
  const std::vector<pos_t> cuts = test::cuts_of(outline, n, count);
  for (std::size_t s = 0; s + 1 < cuts.size(); ++s) {
    const literal::Entries own = test::share_of(problem.entries, outline, n, cuts[s], cuts[s + 1]);
    const bool any = own.nnz() > 0;
    const auto tensor = any ? std::make_unique<SparseTensor>(test::tensor_of(own)) : nullptr;
    const auto shard = std::make_shared<const Plan>(
        make_shard(tensor.get(), outline, n, cuts[s], cuts[s + 1], Team(2)));
    const std::vector<index_t> rows = rows_of(*shard);
    Solver solver(shard, part_of(model, n, rows), test::options(PenaltyKind::kL1, 2));
    const std::vector<double> found = step(solver);
    for (std::size_t i = 0; i < rows.size(); ++i)
      std::copy_n(found.data() + i * rank, rank,
                  round.rows.data() + static_cast<std::size_t>(rows[i]) * rank);
    for (const auto column : solver.open_sums())
      round.pieces.insert(round.pieces.end(), column.begin(), column.end());
    for (const SplitRow& split : shard->modes[n].split_rows) {
      if (!split.open) continue;
      const auto row = static_cast<index_t>(shard->first_row + split.row);
      if (round.open.empty() || round.open.back() != row) {
        round.open.push_back(row);
        round.counts.push_back(0);
      }
      round.counts.back() += split.piece_end - split.piece_begin;
    }
    const auto squares = solver.squares();
    round.squares.insert(round.squares.end(), squares.begin(), squares.end());
  }
  if (round.open.empty()) return round;
  const auto endings = std::make_shared<const Plan>(make_endings(outline, n, round.counts));
  Solver solver(endings, part_of(model, n, round.open), test::options());
  solver.give_sums(round.pieces);
  const std::vector<double> found = step(solver);
  for (std::size_t i = 0; i < round.open.size(); ++i)
    std::copy_n(found.data() + i * rank, rank,
                round.rows.data() + static_cast<std::size_t>(round.open[i]) * rank);
  return round;
}

std::vector<double> updated(Solver& solver, Mode n) {
  solver.update_factor(n);
  return test::copy(solver.model().values(n + 1));
}

void shards_have_the_bits_of_the_whole(const test::Problem& problem) {
  const PlanOverrides overrides{};
  const Plan outline = test::outline_of(problem.entries, problem.model.ranks(), overrides);
  for (Mode n = 0; n < problem.model.order(); ++n) {
    Solver whole(problem.tensor(), problem.model, test::options());
    const std::vector<double> rows = updated(whole, n);
    Solver judge(problem.tensor(), problem.model, test::options());
    const std::vector<double> scores = test::scores(judge, n + 1);
    for (const pos_t count : {1, 2, 3, 7}) {
      const Round update =
          run_shards(problem, outline, n, count, [&](Solver& s) { return updated(s, n); });
      CHECK(test::same_bits(update.rows, rows));
      const Round judged =
          run_shards(problem, outline, n, count, [&](Solver& s) { return test::scores(s, n + 1); });
      CHECK(test::same_bits(judged.rows, scores));
      CHECK(test::same_bits(judged.squares, judge.squares()) || n != outline.core.mode);
    }
  }
}

void rows_are_cut_between_shards() {
  const test::Problem problem = test::make_problem({"", {3, 180, 170}, {6, 2, 1}, 20000});
  const Plan outline = test::outline_of(problem.entries, problem.model.ranks(), {});
  CHECK(!run_shards(problem, outline, 0, 7, [&](Solver& s) { return updated(s, 0); }).open.empty());
}

/// The core, where a solver without entries asks for the sums of shards.
void the_core_has_the_bits_of_the_whole(const test::Problem& problem) {
  for (const PlanOverrides::Core core : {PlanOverrides::Core::kGram, PlanOverrides::Core::kRuns}) {
    PlanOverrides overrides;
    overrides.core = core;
    const Plan outline = test::outline_of(problem.entries, problem.model.ranks(), overrides);
    SolverOptions options = test::options();
    options.plan = overrides;
    options.norm = 1.0;
    Solver whole(problem.tensor(), problem.model, options);
    Solver driver(std::make_shared<const Plan>(outline), problem.model, options);
    driver.set_elsewhere([&](const CoreSum& which, std::span<double> total) {
      test::Problem now{problem.entries, driver.model()};
      bool first = true;
      (void)run_shards(now, outline, outline.core.mode, 3, [&](Solver& s) {
        if (s.plan().modes[outline.core.mode].summed)
          return test::copy(s.model().values(outline.core.mode + 1));
        for (const auto column : s.core_sums(which)) {
          for (std::size_t i = 0; i < total.size(); ++i)
            total[i] = first ? column[i] : total[i] + column[i];
          first = false;
        }
        return test::copy(s.model().values(outline.core.mode + 1));
      });
    });
    CHECK(test::same_bits(test::scores(driver, 0), test::scores(whole, 0)));
    whole.update_core();
    driver.update_core();
    CHECK(test::same_bits(driver.model().values(0), whole.model().values(0)));
  }
}

void other_entries_are_refused() {
  const test::Problem problem = test::make_problem(test::cases()[2]);
  const Plan outline = test::outline_of(problem.entries, problem.model.ranks(), {});
  const auto chunks = std::ssize(outline.modes[0].chunks);
  const std::vector<pos_t> some{0, 1, 2};
  const literal::Entries few = test::taken(problem.entries, some);
  const SparseTensor x = test::tensor_of(few);
  CHECK_THROWS(make_shard(&x, outline, 0, 0, chunks, Team(1)), std::invalid_argument);
  CHECK_THROWS(make_shard(nullptr, outline, 0, 0, chunks, Team(1)), std::invalid_argument);
  CHECK_THROWS(make_shard(&x, outline, 0, 0, chunks + 1, Team(1)), std::invalid_argument);
  CHECK_THROWS(test::outline_of(few, std::vector<index_t>{1, 1}, {}), std::invalid_argument);
}

void a_plan_survives_being_packed() {
  const test::Problem problem = test::with_weights(test::make_problem(test::cases()[7]));
  const Plan outline = test::outline_of(problem.entries, problem.model.ranks(), {});
  const pos_t chunks = std::ssize(outline.modes[0].chunks);
  const literal::Entries own = test::share_of(problem.entries, outline, 0, 1, chunks - 1);
  const SparseTensor x = test::tensor_of(own);
  const Plan narrow = unpack_plan(pack_plan(narrow_outline(outline, 0, 1, chunks - 1)));
  const Plan shard = make_shard(&x, narrow, 0, 0, chunks - 2, Team(1));
  const std::vector<std::byte> bytes = pack_plan(shard);
  const Plan wanted = make_shard(&x, outline, 0, 1, chunks - 1, Team(1));
  for (const Plan& got : {shard, unpack_plan(bytes)}) {
    CHECK(got.modes[0].value == wanted.modes[0].value);
    CHECK(got.modes[0].root_weight == wanted.modes[0].root_weight);
    CHECK(got.modes[0].tuple == wanted.modes[0].tuple);
    CHECK(got.modes[0].row_size == wanted.modes[0].row_size);
    CHECK(got.modes[0].chunks.back().end == wanted.modes[0].chunks.back().end);
    CHECK(got.modes[0].split_rows.front().open == wanted.modes[0].split_rows.front().open);
    CHECK(got.first_row == wanted.first_row && got.ranks == wanted.ranks);
  }
  CHECK(bytes.size() == bytes_of(shard));
  CHECK_THROWS(unpack_plan(std::span(bytes).first(bytes.size() - 1)), std::invalid_argument);
  CHECK_THROWS(unpack_plan(std::span(bytes).subspan(8)), std::invalid_argument);
  CHECK_THROWS(narrow_outline(outline, 0, 1, chunks + 1), std::invalid_argument);
}

}  // namespace

int main() {
  test::for_cases("rows", shards_have_the_bits_of_the_whole, 20000);
  test::for_cases("core", the_core_has_the_bits_of_the_whole, 1000);
  RUN(rows_are_cut_between_shards);
  RUN(other_entries_are_refused);
  RUN(a_plan_survives_being_packed);
  return check::report();
}
