// Residuals of the entries, against the paper's sums.
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
  const Unfilled& residual = rig.ws.blocks.residual;
  for (const double r : std::span(residual.data(), residual.size())) squares += r * r;
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

}  // namespace

int main() {
  test::for_cases("residuals", residuals_of_the_entries);
  RUN(a_zero_model_leaves_the_norm);
  RUN(an_exact_model_has_no_error);
  return check::report();
}
