// Responsibilities of factors against the paper's loops and against their definition.
#include "judging.hpp"

using namespace vest;

namespace {

void the_papers_responsibilities(const test::Problem& problem) {
  for (std::size_t part = 1; part < problem.model.parts(); ++part)
    test::check_responsibilities(problem, part);
}

/// The error falls out of the pass.
void the_error_too(const test::Problem& problem) {
  const double want = literal::squared_error(problem.entries, problem.model, 1);
  for (Mode n = 0; n < problem.model.order(); ++n)
    test::check_kernel(
        problem, std::vector<double>{want}, [&](test::Rig& rig, const KernelTable& kernels) {
          std::vector<double> scores(rig.model.marks(n + 1).size());
          return std::vector<double>{
              kernels.factor_responsibilities(rig.plan.modes[n], rig.model, rig.ws, scores)};
        });
}

void the_papers_error(const test::Problem& problem) {
  const double want = literal::squared_error(problem.entries, problem.model, 1);
  test::check_kernel(
      problem, std::vector<double>{want}, [](test::Rig& rig, const KernelTable& kernels) {
        return std::vector<double>{kernels.squared_error(rig.plan, rig.model, rig.ws)};
      });
}

void the_definition() {
  const test::Problem problem = test::make_problem({"", {6, 5, 4}, {2, 3, 2}, 50});
  for (std::size_t part = 1; part < problem.model.parts(); ++part)
    test::check_definition(problem, part);
}

void pruned_and_zero_elements_score_exactly_zero() {
  for (std::size_t part = 1; part < 4; ++part) test::check_zeros_score_zero(part);
}

}  // namespace

int main() {
  test::for_cases("responsibilities", the_papers_responsibilities);
  test::for_cases("error beside them", the_error_too, 5000);
  test::for_cases("squared_error", the_papers_error);
  RUN(the_definition);
  RUN(pruned_and_zero_elements_score_exactly_zero);
  return check::report();
}
