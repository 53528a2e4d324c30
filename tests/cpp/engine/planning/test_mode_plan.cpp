// The plan of one mode: what was chosen, and entries of some rows numbered from the first of them.
#include "engine/planning/mode_plan.hpp"

#include "problem.hpp"

using namespace vest;

namespace {

void an_outline_has_what_was_chosen() {
  const ModePlan plan = outline_mode(1, 7, {.last = 2, .tuple_modes = {0}, .tabulated = false},
                                     {.core = PlanOverrides::Core::kRuns, .ones = true});
  CHECK(plan.mode == 1 && plan.last == 2 && plan.rows == 7 && plan.value.empty());
  CHECK(plan.tuple_modes == std::vector<Mode>{0} && !plan.tabulated && plan.by_runs && plan.ones);
  CHECK(!outline_mode(0, 1, {}, {.ones = true}).ones);
}

void rows_are_numbered_from_the_first() {
  const std::vector<index_t> coords{5, 1, 4, 0, 5, 0};
  const std::vector<double> values{1.0, 2.0, 3.0};
  const SparseTensor x(coords, values, {9, 2});
  ModePlan plan = outline_mode(0, 2, {.last = 1, .tuple_modes = {}}, {});
  sort_mode(x, 4, Team(1), plan);
  CHECK(plan.row_size == (std::vector<std::uint32_t>{1, 2}));
  CHECK(plan.value == (BigVector<double>{2.0, 3.0, 1.0}));
}

void ranks_are_checked() {
  const std::vector<index_t> ranks{2, 0};
  CHECK_THROWS(check_ranks(ranks, 2), std::invalid_argument);
  CHECK_THROWS(check_ranks(std::span(ranks).first(1), 2), std::invalid_argument);
  check_ranks(std::span(ranks).first(1), 1);
}

}  // namespace

int main() {
  RUN(an_outline_has_what_was_chosen);
  RUN(rows_are_numbered_from_the_first);
  RUN(ranks_are_checked);
  return check::report();
}
