// The row update of elements with variances against plain loops.
#include "kernels/factor/update_noisy_factor.hpp"

#include "noise.hpp"

using namespace vest;

namespace {

void check_update(test::NoisyProblem& noisy, std::span<const PlanOverrides> ways,
                  bool nonnegative) {
  for (Mode n = 0; n < noisy.problem.model.order(); ++n) {
    const Penalty penalty = noisy.penalty(n + 1, nonnegative);
    test::check_noisy(
        noisy, n + 1, ways,
        [&](TuckerModel& model, const Plan& plan) {
          literal::update_noisy_factor(noisy.problem.entries, n, penalty,
                                       {plan.modes[n].last, plan.modes[n].by_runs}, model);
        },
        [&](test::Rig& rig, const KernelTable& kernels) {
          kernels.update_factor(rig.plan.modes[n], penalty, rig.model, rig.ws);
        });
  }
}

void every_case(test::NoisyProblem& noisy) {
  for (const bool nonnegative : {false, true}) check_update(noisy, test::dense_ways(), nonnegative);
}

/// Rows without entries: zero where they may move, and as unsure as the prior.
void a_row_without_entries_is_the_prior() {
  test::NoisyProblem noisy = test::make_noisy(test::cases()[2]);
  const Mode n = 0;
  test::Rig rig(noisy.problem.tensor(), noisy.problem.model, 1, {});
  update_factor(rig.plan.modes[n], noisy.penalty(n + 1), rig.model, rig.ws);
  std::size_t untouched = 0;
  for (std::size_t row = 0; row < rig.plan.modes[n].row_size.size(); ++row) {
    if (rig.plan.modes[n].row_size[row] > 0) continue;
    ++untouched;
    for (std::size_t j = 0; j < rig.model.rank(n); ++j) {
      const std::size_t i = row * rig.model.rank(n) + j;
      const Mark mark = rig.model.marks(n + 1)[i];
      if (mark == Mark::kFixed) {
        CHECK(rig.model.values(n + 1)[i] == noisy.problem.model.values(n + 1)[i]);
        CHECK(rig.model.variances(n + 1)[i] == 0.0);
      } else {
        CHECK(rig.model.values(n + 1)[i] == 0.0);
        CHECK(rig.model.variances(n + 1)[i] ==
              (is_live(mark) ? 1.0 / noisy.priors[n + 1][j] : 0.0));
      }
    }
  }
  CHECK(untouched > 0);
}

/// Rows that are zero but not surely so say something of what multiplies them.
void rows_of_zeros_with_variances_are_not_passed_over() {
  test::NoisyProblem noisy = test::make_noisy({"", {12, 10, 8}, {3, 3, 2}, 200, 0.0});
  for (Mode n = 0; n < 3; ++n)
    for (std::size_t i = 0; i < noisy.problem.model.marks(n + 1).size() / 2; ++i)
      noisy.problem.model.edit(n + 1)[i] = 0.0;
  check_update(noisy, test::dense_ways(), false);
}

}  // namespace

int main() {
  test::for_noisy_cases(every_case);
  RUN(a_row_without_entries_is_the_prior);
  RUN(rows_of_zeros_with_variances_are_not_passed_over);
  return check::report();
}
