// The sweep over a sparse core, read by its non-zero elements, against the dense path.
#include "kernels/core/core_by_runs.hpp"

#include "judging.hpp"
#include "sparse_cores.hpp"

using namespace vest;

namespace {

void the_same_sweep(const test::Problem& problem, bool ones) {
  for (const PenaltyKind kind : test::kKinds)
    for (const bool nonnegative : {false, true})
      test::check_by_runs(problem, ones, [&](test::Rig& rig, const KernelTable& kernels) {
        kernels.update_core(rig.plan, {kind, 0.3, nonnegative}, rig.model, rig.ws);
        return test::copy(rig.model.values(0));
      });
}

void noisy_core(test::NoisyProblem& noisy, bool ones) {
  const PlanOverrides ways[] = {test::by_runs(ones)};
  for (const bool nonnegative : {false, true}) {
    const Penalty penalty = noisy.penalty(0, nonnegative);
    test::check_noisy(
        noisy, 0, ways,
        [&](TuckerModel& model, const Plan&) {
          literal::update_noisy_core(noisy.problem.entries, penalty, model);
        },
        [&](test::Rig& rig, const KernelTable& kernels) {
          kernels.update_core(rig.plan, penalty, rig.model, rig.ws);
        });
  }
}

/// As many as one pass can judge.
void the_same_responsibilities(const test::Problem& problem, bool ones) {
  test::check_by_runs(problem, ones, [](test::Rig& rig, const KernelTable& kernels) {
    return test::judge(rig, kernels, 0);
  });
}

/// More elements than are swept at once, some of them zero though live.
void more_elements_than_fit() {
  test::Problem problem = test::make_problem({"", {20, 15, 10}, {6, 6, 5}, 600, 0.0});
  for (std::size_t i = 0; i < 180; i += 7) problem.model.edit(0)[i] = 0.0;
  CHECK(problem.model.values(0).size() > 2 * kMostTogether);
  the_same_sweep(problem, false);
}

/// More than one pass can judge.
void more_elements_than_are_judged_at_once() {
  const test::Problem problem = test::make_problem({"", {20, 15, 10}, {14, 14, 13}, 40, 0.0});
  CHECK(problem.model.values(0).size() > kMostJudged);
  the_same_responsibilities(problem, false);
}

}  // namespace

int main() {
  test::for_sparse_cases("sweep", the_same_sweep);
  test::for_sparse_cases("responsibilities", the_same_responsibilities);
  test::for_noisy_sparse_cases(noisy_core, 1000);
  RUN(more_elements_than_fit);
  RUN(more_elements_than_are_judged_at_once);
  return check::report();
}
