// Predictions of any cells, by the whole core or by its terms, against the paper's sums.
#include "problem.hpp"

using namespace vest;

namespace {

/// Cells in no order, several chunks of them, most never observed.
void predictions(const test::Problem& problem) {
  test::Random random(9);
  const literal::CoreIndices j(problem.model);
  const std::size_t cells = 5000;
  std::vector<index_t> coords;
  for (std::size_t cell = 0; cell < cells; ++cell)
    for (const pos_t dim : problem.entries.shape) coords.push_back(random.below(dim));
  std::vector<double> want;
  for (std::size_t cell = 0; cell < cells; ++cell)
    want.push_back(
        literal::reconstruct(problem.model, j, coords.data() + cell * problem.model.order()));
  for (const KernelTable* kernels : kernel_tables()) {
    std::vector<double> first;
    for (const int threads : test::kThreads) {
      std::vector<double> got(cells, test::kNaN);
      kernels->predict(problem.model, coords, Team(threads), got);
      if (threads == 1) first = got;
      CHECK_CLOSE(test::apart(got, want), 0.0, test::kTol);
      CHECK(test::same_bits(got, first));
    }
  }
  predict(problem.model, {}, Team(2), {});  // no cells, no complaint
}

void a_prediction_can_be_interrupted() {
  const test::Problem problem = test::make_problem(test::cases()[0]);
  std::vector<double> out(problem.entries.values.size());
  CHECK_THROWS(predict(problem.model, problem.entries.coords, Team(1, [] { return true; }), out),
               Interrupted);
}

/// Most of a core zero, so that its terms are listed, in shapes of orders 2 to 5.
void few_terms() {
  for (const test::Case& c : {test::Case{"", {30, 20}, {13, 14}, 10, 0.0},
                              test::Case{"", {30, 20, 9}, {12, 11, 7}, 10, 0.0},
                              test::Case{"", {12, 9, 8, 7}, {9, 8, 5, 6}, 10, 0.0},
                              test::Case{"", {7, 6, 2, 4, 6}, {5, 4, 2, 3, 4}, 10, 0.0}})
    for (const std::size_t every : {5, 11, 40}) {
      test::Problem problem = test::make_problem(c);
      const std::span<double> core = problem.model.edit(0);
      for (std::size_t at = 0; at < core.size(); ++at)
        if (at % every != 3) core[at] = 0.0;
      predictions(problem);
    }
}

/// A cell gets the same bits in any company.
void a_cell_does_not_depend_on_its_neighbours() {
  test::Problem problem = test::make_problem({"", {30, 20, 9}, {12, 11, 7}, 300, 0.0});
  const std::span<double> core = problem.model.edit(0);
  for (std::size_t at = 0; at < core.size(); ++at)
    if (at % 13 != 0) core[at] = 0.0;
  std::vector<double> all(300), alone(1);
  const std::span<const index_t> coords(problem.entries.coords);
  predict(problem.model, coords, Team(1), all);
  for (std::size_t cell = 0; cell < all.size(); ++cell) {
    predict(problem.model, coords.subspan(3 * cell, 3), Team(1), alone);
    CHECK(alone[0] == all[cell]);
  }
}

void a_core_of_zeros_predicts_zero() {
  test::Problem problem = test::make_problem({"", {9, 8, 7}, {3, 2, 2}, 100, 0.0});
  std::ranges::fill(problem.model.edit(0), 0.0);
  std::vector<double> out(100, test::kNaN);
  predict(problem.model, problem.entries.coords, Team(2), out);
  CHECK(std::ranges::count(out, 0.0) == 100);
}

}  // namespace

int main() {
  test::for_cases("predict", predictions);
  RUN(few_terms);
  RUN(a_cell_does_not_depend_on_its_neighbours);
  RUN(a_core_of_zeros_predicts_zero);
  RUN(a_prediction_can_be_interrupted);
  return check::report();
}
