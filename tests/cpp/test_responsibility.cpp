// Responsibilities against the paper's loops and against their definition.
#include "problem.hpp"

using namespace vest;

namespace {

void the_papers_responsibilities(const test::Problem& problem) {
  const std::vector<double> r = literal::residuals(problem.entries, problem.model, 1);
  for (std::size_t part = 0; part < problem.model.parts(); ++part) {
    const std::vector<double> want =
        literal::responsibilities(problem.entries, r, part, problem.model, 1);
    test::check_kernel(problem, want, [&](test::Rig& rig, const KernelTable& kernels) {
      std::vector<double> got(rig.model.marks(part).size(), test::kNaN);
      kernels.responsibilities(rig.plan, part, rig.model, rig.ws, got);
      for (std::size_t p = 0; p < rig.model.parts(); ++p)  // it only looks
        CHECK(test::same_bits(rig.model.values(p), problem.model.values(p)));
      return got;
    });
  }
}

/// By how much the squared error grows when an element is set to zero.
void the_definition() {
  const test::Problem problem = test::make_problem({"", {6, 5, 4}, {2, 3, 2}, 50});
  test::Rig rig(problem.tensor(), problem.model, 1, {});
  const double before = literal::squared_error(problem.entries, problem.model, 1);
  for (std::size_t part = 0; part < problem.model.parts(); ++part) {
    std::vector<double> got(problem.model.marks(part).size());
    responsibilities(rig.plan, part, rig.model, rig.ws, got);
    for (std::size_t i = 0; i < got.size(); ++i) {
      TuckerModel without = problem.model;
      without.values(part)[i] = 0.0;
      const double after = literal::squared_error(problem.entries, without, 1);
      CHECK_CLOSE(got[i], after - before, 1e-10 * before);
    }
  }
}

void pruned_and_zero_elements_score_exactly_zero() {
  test::Problem problem = test::make_problem(test::cases()[4]);
  for (std::size_t part = 0; part < problem.model.parts(); ++part)
    problem.model.values(part)[1] = 0.0;  // zero, but perhaps free
  test::Rig rig(problem.tensor(), problem.model, 2, {});
  for (std::size_t part = 0; part < problem.model.parts(); ++part) {
    std::vector<double> got(problem.model.marks(part).size(), test::kNaN);
    responsibilities(rig.plan, part, rig.model, rig.ws, got);
    CHECK(got[1] == 0.0);
    std::size_t scored = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (problem.model.marks(part)[i] != Mark::kFree) CHECK(got[i] == 0.0);
      scored += got[i] != 0.0;
    }
    CHECK(scored > 0);
  }
}

}  // namespace

int main() {
  test::for_cases("responsibilities", the_papers_responsibilities);
  RUN(the_definition);
  RUN(pruned_and_zero_elements_score_exactly_zero);
  return check::report();
}
