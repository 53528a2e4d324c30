// The core's update where elements have variances, against plain loops, by either sweep.
#include "kernels/core/core_moments.hpp"

#include "noise.hpp"

using namespace vest;

namespace {

void every_case(test::NoisyProblem& noisy) {
  for (const bool nonnegative : {false, true}) {
    const Penalty penalty = noisy.penalty(0, nonnegative);
    test::check_noisy(
        noisy, 0, test::dense_ways(),
        [&](TuckerModel& model, const Plan&) {
          literal::update_noisy_core(noisy.problem.entries, penalty, model);
        },
        [&](test::Rig& rig, const KernelTable& kernels) {
          kernels.update_core(rig.plan, penalty, rig.model, rig.ws);
        });
  }
}

}  // namespace

int main() {
  test::for_noisy_cases(every_case);
  return check::report();
}
