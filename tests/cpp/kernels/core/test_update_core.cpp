// The core update against the paper's loops, by either sweep.
#include "problem.hpp"

using namespace vest;

namespace {

/// What L1 made of free elements: both must occur, or the comparison says little.
struct Outcomes {
  int zeros = 0;
  int others = 0;
};

void the_papers_update(const test::Problem& problem, bool nonnegative, Outcomes& l1) {
  for (const PenaltyKind kind : test::kKinds) {
    TuckerModel want = problem.model;
    const Penalty penalty{kind, test::kLambda, nonnegative};
    literal::update_core(problem.entries, penalty, want, 1);
    if (nonnegative) CHECK(std::ranges::min(want.values(0)) >= 0.0);
    test::check_kernel(problem, want.values(0), [&](test::Rig& rig, const KernelTable& kernels) {
      kernels.update_core(rig.plan, penalty, rig.model, rig.ws);
      return test::copy(rig.model.values(0));
    });
    for (std::size_t i = 0; kind == PenaltyKind::kL1 && i < want.marks(0).size(); ++i)
      if (want.marks(0)[i] == Mark::kFree) ++(want.values(0)[i] == 0.0 ? l1.zeros : l1.others);
  }
}

template <class Test>
void for_both_sweeps(const test::Problem& problem, Test&& test) {
  using Core = PlanOverrides::Core;
  for (const Core core : {Core::kGram, Core::kBlocks}) {
    test::Rig rig(problem.tensor(), problem.model, 2, {PlanOverrides::Force::kAuto, core});
    test(rig);
  }
}

void factors_and_marked_elements_stay() {
  const test::Problem problem = test::make_problem(test::cases()[4]);
  for_both_sweeps(problem, [&](test::Rig& rig) {
    update_core(rig.plan, {PenaltyKind::kFrobenius, test::kLambda}, rig.model, rig.ws);
    for (std::size_t part = 0; part < rig.model.parts(); ++part) {
      CHECK(std::ranges::equal(rig.model.marks(part), problem.model.marks(part)));
      CHECK(test::same_bits(rig.model.values(part), problem.model.values(part)) == (part != 0));
    }
    for (std::size_t i = 0; i < rig.model.marks(0).size(); ++i)
      if (rig.model.marks(0)[i] != Mark::kFree) CHECK(rig.model.values(0)[i] == 0.0);
  });
}

/// Column 1 of A(1) is zero: core elements (., 1, .) predict nothing and become zero.
void an_element_without_a_feature_becomes_zero() {
  test::Problem problem = test::make_problem({"", {9, 8, 7}, {3, 2, 2}, 100, 0.0});
  for (index_t i = 0; i < 8; ++i) test::edit_row(problem.model, 1, i)[1] = 0.0;
  for (const PenaltyKind kind : test::kKinds)
    for (const double lambda : {0.0, test::kLambda})
      for_both_sweeps(problem, [&](test::Rig& rig) {
        update_core(rig.plan, {kind, lambda}, rig.model, rig.ws);
        const literal::CoreIndices j(rig.model);
        for (std::size_t beta = 0; beta < j.count(); ++beta)
          if (j[beta][1] == 1) CHECK(rig.model.values(0)[beta] == 0.0);
        CHECK(test::all_finite(rig.model.values(0)));
      });
}

void a_core_with_nothing_free_stays() {
  const test::Problem problem = test::make_problem({"", {9, 8, 7}, {3, 2, 2}, 100, 1.0});
  for_both_sweeps(problem, [&](test::Rig& rig) {
    update_core(rig.plan, {PenaltyKind::kL1, test::kLambda}, rig.model, rig.ws);
    CHECK(test::count_zeros(rig.model, 0) == std::ssize(rig.model.values(0)));
  });
}

}  // namespace

int main() {
  Outcomes l1;
  test::for_cases("update_core",
                  [&](const auto& problem) { the_papers_update(problem, false, l1); });
  CHECK(l1.zeros > 20 && l1.others > 20);
  test::for_cases("update_core, no element below zero",
                  [&](const auto& problem) { the_papers_update(problem, true, l1); });
  RUN(factors_and_marked_elements_stay);
  RUN(an_element_without_a_feature_becomes_zero);
  RUN(a_core_with_nothing_free_stays);
  return check::report();
}
