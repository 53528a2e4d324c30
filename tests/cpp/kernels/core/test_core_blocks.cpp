// The sweep in blocks: every number of trailing modes, and blocks with nothing to do.
#include "kernels/core/core_blocks.hpp"

#include "problem.hpp"

using namespace vest;

namespace {

constexpr PlanOverrides kBlocks{PlanOverrides::Force::kAuto, PlanOverrides::Core::kBlocks};

void blocks_have_the_size_of_their_modes() {
  const std::vector<index_t> ranks{2, 3, 5};
  CHECK(block_size(ranks, 1) == 5);
  CHECK(block_size(ranks, 2) == 15);
  CHECK(block_size(ranks, 3) == 30);
}

/// One block step after the other, judged by the paper's loops, with t trailing modes.
void check_trailing(const test::Problem& problem, const TuckerModel& want, PenaltyKind kind,
                    std::size_t trailing) {
  std::vector<double> first;
  for (const int threads : {1, 3, 8}) {
    Plan plan = make_plan(problem.tensor(), problem.model.ranks(), Team(threads), kBlocks);
    plan.core.trailing = trailing;
    test::Rig rig(problem.model, threads, std::move(plan));
    sweep_by_blocks(rig.plan, {kind, test::kLambda}, rig.model, rig.ws);
    if (threads == 1) first = test::copy(rig.model.values(0));
    CHECK_CLOSE(test::apart(rig.model.values(0), want.values(0)), 0.0, test::kTol);
    CHECK(test::same_bits(rig.model.values(0), first));
  }
}

void any_number_of_trailing_modes(const test::Problem& problem) {
  for (const PenaltyKind kind : test::kKinds) {
    TuckerModel want = problem.model;
    literal::update_core(problem.entries, {kind, test::kLambda}, want, 1);
    for (std::size_t t = 1; t < problem.model.order(); ++t) check_trailing(problem, want, kind, t);
  }
}

/// A block that is pruned whole is passed over; the change before it must not get lost.
void pruned_blocks_are_passed_over() {
  test::Problem problem = test::make_problem({"", {9, 8, 7}, {3, 4, 2}, 150, 0.0});
  for (std::size_t i = 0; i < 24; ++i) {
    const std::size_t block = i / 2;  // of one trailing mode
    if (block == 3 || block == 7 || block == 10) continue;
    problem.model.marks(0)[i] = Mark::kPruned;
    problem.model.edit(0)[i] = 0.0;
  }
  any_number_of_trailing_modes(problem);
}

}  // namespace

int main() {
  RUN(blocks_have_the_size_of_their_modes);
  test::for_cases("trailing modes", any_number_of_trailing_modes);
  RUN(pruned_blocks_are_passed_over);
  return check::report();
}
