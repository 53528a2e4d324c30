// The Gram sweep of large cores, which goes in several blocks; small ones are in test_update_core.
#include "kernels/core/gram/core_gram.hpp"

#include "kernels/core/gram/gram_layout.hpp"
#include "problem.hpp"

using namespace vest;

namespace {

constexpr PlanOverrides kGram{PlanOverrides::Force::kAuto, PlanOverrides::Core::kGram};

/// Most elements are pruned, to keep the paper's loops short.
void large_cores_are_swept_exactly() {
  const std::pair<Mode, std::vector<index_t>> cases[] = {
      {1, {13, 10, 9}}, {2, {5, 4, 60}}, {2, {9, 4, 40}}, {3, {3, 3, 4, 40}}};
  for (const auto& [leading, ranks] : cases) {
    CHECK(GramLayout(ranks).leading == leading);
    std::vector<pos_t> shape{9, 8, 7, 6};
    shape.resize(ranks.size());
    const test::Problem problem = test::make_problem({"", shape, ranks, 60, 0.8});
    for (const PenaltyKind kind : test::kKinds) {
      TuckerModel want = problem.model;
      literal::update_core(problem.entries, {kind, test::kLambda}, want, 1);
      std::vector<double> first;
      for (const int threads : {1, 3, 8}) {
        test::Rig rig(problem.tensor(), problem.model, threads, kGram);
        CHECK(GramLayout(ranks).lead_size > 5);
        sweep_by_gram(rig.plan, {kind, test::kLambda}, rig.model, rig.ws);
        if (threads == 1) first = test::copy(rig.model.values(0));
        CHECK_CLOSE(test::apart(rig.model.values(0), want.values(0)), 0.0, test::kTol);
        CHECK(test::same_bits(rig.model.values(0), first));
      }
    }
  }
}

/// From the same sums, which stand in several blocks.
void large_cores_are_judged_exactly() {
  const std::pair<Mode, std::vector<index_t>> cases[] = {{1, {13, 10, 9}}, {3, {3, 3, 4, 40}}};
  for (const auto& [leading, ranks] : cases) {
    CHECK(GramLayout(ranks).leading == leading);
    std::vector<pos_t> shape{9, 8, 7, 6};
    shape.resize(ranks.size());
    const test::Problem problem = test::make_problem({"", shape, ranks, 60, 0.8});
    test::Rig rig(problem.tensor(), problem.model, 2, kGram);
    std::vector<double> got(rig.model.values(0).size());
    core_responsibilities(rig.plan, rig.model, rig.ws, got);
    const std::vector<double> r = literal::residuals(problem.entries, rig.model, 1);
    const auto want = literal::responsibilities(problem.entries, r, 0, rig.model, 1);
    CHECK_CLOSE(test::apart(got, want), 0.0, 1e-11);
  }
}

}  // namespace

int main() {
  RUN(large_cores_are_swept_exactly);
  RUN(large_cores_are_judged_exactly);
  return check::report();
}
