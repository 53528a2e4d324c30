// Counting distinct combinations: close to the exact count, and the same on every run.
#include "engine/planning/distinct.hpp"

#include <set>

#include "problem.hpp"

using namespace vest;

namespace {

double exact(const SparseTensor& x, ModeSet modes) {
  std::set<std::vector<index_t>> seen;
  for (pos_t e = 0; e < x.nnz(); ++e) {
    std::vector<index_t> key;
    for (Mode n = 0; n < x.order(); ++n)
      if (modes & bit(n)) key.push_back(x.coord(e, n));
    seen.insert(key);
  }
  return static_cast<double>(seen.size());
}

void few_entries_are_counted_closely() {
  test::for_cases("every set of modes", [](const test::Problem& problem) {
    const SparseTensor x = problem.tensor();
    std::vector<ModeSet> sets;
    for (ModeSet set = 1; set < bit(x.order()); ++set) sets.push_back(set);
    const std::vector<double> counts = estimate_distinct(x, sets, Team(2));
    CHECK(counts.size() == sets.size());
    for (std::size_t i = 0; i < sets.size(); ++i) {
      const double want = exact(x, sets[i]);
      CHECK_CLOSE(counts[i] / want, 1.0, 0.03);
    }
  });
}

/// More entries than the bitmap takes whole: a sample of the hash range is counted.
void many_entries_are_sampled() {
  const pos_t count = 600000;
  const pos_t groups = 90000;
  std::vector<index_t> coords;
  for (pos_t e = 0; e < count; ++e) {
    coords.push_back(static_cast<index_t>(e % groups));
    coords.push_back(static_cast<index_t>(e / groups));
    coords.push_back(static_cast<index_t>(e));
  }
  const std::vector<double> values(static_cast<std::size_t>(count), 1.0);
  const SparseTensor x(coords, values, {groups, 7, count});
  const std::vector<ModeSet> sets{bit(0), bit(0) | bit(1), bit(2)};
  const std::vector<double> counts = estimate_distinct(x, sets, Team(1));
  CHECK_CLOSE(counts[0] / static_cast<double>(groups), 1.0, 0.05);
  CHECK_CLOSE(counts[1] / static_cast<double>(count), 1.0, 0.05);
  CHECK_CLOSE(counts[2] / static_cast<double>(count), 1.0, 0.05);
  for (const int threads : {2, 8}) CHECK(estimate_distinct(x, sets, Team(threads)) == counts);
}

void nothing_asked_nothing_counted() {
  const test::Problem problem = test::make_problem(test::cases()[0]);
  CHECK(estimate_distinct(problem.tensor(), {}, Team(1)).empty());
}

void a_count_can_be_interrupted() {
  const test::Problem problem = test::make_problem(test::cases()[2]);
  const std::vector<ModeSet> sets{3, 5, 6};
  CHECK_THROWS(estimate_distinct(problem.tensor(), sets, Team(1, [] { return true; })),
               Interrupted);
}

}  // namespace

int main() {
  few_entries_are_counted_closely();
  RUN(many_entries_are_sampled);
  RUN(nothing_asked_nothing_counted);
  RUN(a_count_can_be_interrupted);
  return check::report();
}
