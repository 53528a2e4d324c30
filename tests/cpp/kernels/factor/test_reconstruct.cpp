// Residuals of the entries and predictions of any cells, against the paper's sums.
#include "kernels/factor/reconstruct.hpp"

#include "problem.hpp"

using namespace vest;

namespace {

/// x - B(alpha), entry by entry in the plan's order, times the root of the weight: their squares
/// add up to the paper's error.
void residuals_of_the_entries(const test::Problem& problem) {
  const double want = literal::squared_error(problem.entries, problem.model, 1);
  test::Rig rig(problem.tensor(), problem.model, 3, {{}, PlanOverrides::Core::kBlocks});
  fill_residuals(rig.plan, rig.model, rig.ws);
  double squares = 0.0;
  for (const double r : rig.ws.blocks.residual) squares += r * r;
  CHECK_CLOSE(squares, want, test::kTol * want);
}

void a_zero_model_leaves_the_norm() {
  const test::Problem problem = test::make_problem({"", {9, 8, 7}, {3, 2, 2}, 100, 1.0});
  const SparseTensor x = problem.tensor();
  test::Rig rig(x, problem.model, 2, {});
  CHECK_CLOSE(squared_error(rig.plan, rig.model, rig.ws), x.norm2(), 1e-14);
}

/// Values that the model predicts exactly leave nothing.
void an_exact_model_has_no_error() {
  test::Problem problem = test::make_problem({"", {9, 8, 7}, {3, 2, 2}, 100, 0.0});
  const literal::CoreIndices j(problem.model);
  for (pos_t e = 0; e < problem.entries.nnz(); ++e)
    problem.entries.values[static_cast<std::size_t>(e)] =
        literal::reconstruct(problem.model, j, problem.entries.alpha(e));
  const SparseTensor x = problem.tensor();
  test::Rig rig(x, problem.model, 2, {});
  CHECK(squared_error(rig.plan, rig.model, rig.ws) < 1e-26 * x.norm2());
}

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

}  // namespace

int main() {
  test::for_cases("residuals", residuals_of_the_entries);
  RUN(a_zero_model_leaves_the_norm);
  RUN(an_exact_model_has_no_error);
  test::for_cases("predict", predictions);
  RUN(a_prediction_can_be_interrupted);
  return check::report();
}
