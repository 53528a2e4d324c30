// Responsibilities of the core against the paper's loops and against their definition.
#include "judging.hpp"

using namespace vest;

namespace {

void the_papers_responsibilities(const test::Problem& problem) {
  test::check_responsibilities(problem, 0);
}

void the_definition() {
  test::check_definition(test::make_problem({"", {6, 5, 4}, {2, 3, 2}, 50}), 0);
}

void pruned_and_zero_elements_score_exactly_zero() { test::check_zeros_score_zero(0); }

/// After a sweep its sums are used again, as long as no factor has changed; then they are not.
void sums_of_the_sweep_are_used_while_they_are_right() {
  const test::Problem problem = test::make_problem(test::cases()[4]);
  const PlanOverrides gram{PlanOverrides::Force::kAuto, PlanOverrides::Core::kGram};
  test::Rig rig(problem.tensor(), problem.model, 2, gram);
  const auto check_scores = [&] {
    const std::vector<double> r = literal::residuals(problem.entries, rig.model, 1);
    std::vector<double> got(rig.model.values(0).size());
    core_responsibilities(rig.plan, rig.model, rig.ws, got);
    CHECK_CLOSE(test::apart(got, literal::responsibilities(problem.entries, r, 0, rig.model, 1)),
                0.0, 1e-11);
  };
  const ModelStamp& stamp = rig.ws.gram.stamp;
  CHECK(!stamp.fits(rig.model, 0));
  update_core(rig.plan, {PenaltyKind::kL1, test::kLambda}, rig.model, rig.ws);
  CHECK(stamp.fits(rig.model, 0));  // the core changed, but is no part of the sums
  check_scores();
  update_factor(rig.plan.modes[1], {PenaltyKind::kL1, test::kLambda}, rig.model, rig.ws);
  CHECK(!stamp.fits(rig.model, 0));
  check_scores();
}

}  // namespace

int main() {
  test::for_cases("responsibilities", the_papers_responsibilities);
  RUN(the_definition);
  RUN(pruned_and_zero_elements_score_exactly_zero);
  RUN(sums_of_the_sweep_are_used_while_they_are_right);
  return check::report();
}
