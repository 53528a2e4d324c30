// Rows that are all zero: found wherever they come from, looked for only where something changed.
#include "workspace/empty_rows.hpp"

#include "problem.hpp"

using namespace vest;

namespace {

const Team kTeam(2);

/// Rows that have entries and yet are all zero are known, and known anew after an edit.
void empty_rows_are_seen() {
  const test::Problem problem = test::make_problem({"", {3, 9, 8}, {2, 2, 2}, 50, 0.0});
  TuckerModel model = problem.model;
  const Plan plan = make_plan(problem.tensor(), model.ranks(), kTeam);
  EmptyRows empty(plan, model);
  empty.update(model, kTeam);
  for (Mode n = 0; n < 3; ++n) CHECK(std::ranges::count(empty[n], 1) == 0);
  const index_t* cell = problem.entries.alpha(7);
  std::fill_n(test::edit_row(model, 1, cell[1]), 2, 0.0);
  test::edit_row(model, 2, cell[2])[0] = 0.0;  // one element is not a row
  empty.update(model, kTeam);
  CHECK(std::ranges::count(empty[1], 1) == 1);
  CHECK(empty[1][static_cast<std::size_t>(cell[1])] == 1);
  CHECK(std::ranges::count(empty[2], 1) == 0);
  const Mode two[] = {0, 1};
  CHECK(any_empty(empty, two, std::vector<index_t>{0, cell[1]}));
  CHECK(!any_empty(empty, two, std::vector<index_t>{0, cell[1] == 0 ? 1 : 0}));
  // One row in nine is not worth a look each; all of them are, but not for their own mode.
  CHECK(!empty.worth_skipping(0) && !empty.worth_skipping(1));
  for (index_t row = 0; row < 9; ++row) std::fill_n(test::edit_row(model, 1, row), 2, 0.0);
  empty.update(model, kTeam);
  CHECK(empty.worth_skipping(0) && !empty.worth_skipping(1));
}

/// Who has looked at the rows it changed is believed; who did not say so is not.
void a_mode_that_was_looked_at_is_not_looked_at_again() {
  const test::Problem problem = test::make_problem({"", {3, 9, 8}, {2, 2, 2}, 50, 0.0});
  TuckerModel model = problem.model;
  const Plan plan = make_plan(problem.tensor(), model.ranks(), kTeam);
  EmptyRows empty(plan, model);
  empty.update(model, kTeam);
  const index_t row = problem.entries.alpha(0)[1];
  std::fill_n(test::edit_row(model, 1, row), 2, 0.0);
  empty.looked_at(model, 1);  // a lie, by which it is seen that nobody looks
  empty.update(model, kTeam);
  CHECK(std::ranges::count(empty[1], 1) == 0);
  static_cast<void>(model.edit(2));
  empty.update(model, kTeam);
  CHECK(std::ranges::count(empty[1], 1) == 1);
  std::fill_n(test::edit_row(model, 1, row), 2, 1.0);
  empty.look_at(model, 1, row);
  CHECK(std::ranges::count(empty[1], 1) == 0);
}

}  // namespace

int main() {
  RUN(empty_rows_are_seen);
  RUN(a_mode_that_was_looked_at_is_not_looked_at_again);
  return check::report();
}
