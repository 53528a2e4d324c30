// Predictions by whatever kernels run here: right cells get numbers, wrong ones an error.
#include "vest/predict.hpp"

#include "problem.hpp"

using namespace vest;

namespace {

void cells_are_predicted() {
  const test::Problem problem = test::make_problem(test::cases()[2]);
  const literal::CoreIndices j(problem.model);
  std::vector<double> got(static_cast<std::size_t>(problem.entries.nnz()), test::kNaN);
  std::vector<double> want;
  predict_cells(problem.model, problem.entries.coords, Team(2), got);
  for (pos_t e = 0; e < problem.entries.nnz(); ++e)
    want.push_back(literal::reconstruct(problem.model, j, problem.entries.alpha(e)));
  CHECK_CLOSE(test::apart(got, want), 0.0, test::kTol);
}

void cells_outside_are_refused() {
  const test::Problem problem = test::make_problem(test::cases()[0]);
  std::vector<double> out(1);
  for (const std::vector<index_t>& cell : {std::vector<index_t>{40, 0}, {0, 30}, {-1, 0}})
    CHECK_THROWS(predict_cells(problem.model, cell, Team(1), out), CoordinateError);
}

void variances_must_fit_the_model() {
  const test::Problem problem = test::make_problem(test::cases()[0]);
  const test::Problem another = test::make_problem(test::cases()[1]);
  std::vector<double> out(1, test::kNaN);
  const std::vector<index_t> cell{1, 1};
  predict_cell_variances(problem.model, problem.model, cell, Team(1), out);
  CHECK(std::isfinite(out[0]));
  CHECK_THROWS(predict_cell_variances(problem.model, another.model, cell, Team(1), out),
               std::invalid_argument);
  const std::vector<index_t> outside{40, 0};
  CHECK_THROWS(predict_cell_variances(problem.model, problem.model, outside, Team(1), out),
               CoordinateError);
}

}  // namespace

int main() {
  RUN(cells_are_predicted);
  RUN(cells_outside_are_refused);
  RUN(variances_must_fit_the_model);
  return check::report();
}
