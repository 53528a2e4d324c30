// The factor update against the paper's loops: orders, losses, ranks, masks, long rows, threads.
#include "problem.hpp"

using namespace vest;

namespace {

/// What L1 made of free elements: both must occur, or the comparison says little.
struct Outcomes {
  int zeros = 0;
  int others = 0;
};

void the_papers_update(const test::Problem& problem, Outcomes& l1) {
  for (const PenaltyKind kind : test::kKinds)
    for (Mode n = 0; n < problem.model.order(); ++n) {
      TuckerModel want = problem.model;
      literal::update_factor(problem.entries, n, {kind, test::kLambda}, want, 1);
      test::check_kernel(
          problem, want.values(n + 1), [&](test::Rig& rig, const KernelTable& kernels) {
            kernels.update_factor(rig.plan.modes[n], {kind, test::kLambda}, rig.model, rig.ws);
            return test::copy(rig.model.values(n + 1));
          });
      for (std::size_t i = 0; kind == PenaltyKind::kL1 && i < want.marks(n + 1).size(); ++i)
        if (want.marks(n + 1)[i] == Mark::kFree)
          ++(want.values(n + 1)[i] == 0.0 ? l1.zeros : l1.others);
    }
}

/// Rows that pay more or less, and none below zero.
void rows_pay_by_weight_and_signs_are_forbidden(const test::Problem& problem) {
  for (const PenaltyKind kind : test::kKinds)
    for (Mode n = 0; n < problem.model.order(); ++n) {
      test::Random random(11);
      std::vector<double> weight(problem.model.rows(n));
      for (double& each : weight) each = 3.0 * random.uniform();
      const Penalty penalty{kind, test::kLambda, true, weight};
      TuckerModel want = problem.model;
      literal::update_factor(problem.entries, n, penalty, want, 1);
      test::check_kernel(problem, want.values(n + 1),
                         [&](test::Rig& rig, const KernelTable& kernels) {
                           kernels.update_factor(rig.plan.modes[n], penalty, rig.model, rig.ws);
                           return test::copy(rig.model.values(n + 1));
                         });
    }
}

/// The check above can fail: both options change the result.
void weights_and_signs_matter() {
  const test::Problem problem = test::make_problem(test::cases()[2]);
  const std::vector<double> weight(problem.model.rows(0), 0.1);
  const auto updated = [&](const Penalty& penalty) {
    test::Rig rig(problem.tensor(), problem.model, 1, {});
    update_factor(rig.plan.modes[0], penalty, rig.model, rig.ws);
    return test::copy(rig.model.values(1));
  };
  const auto plain = updated({PenaltyKind::kL1, test::kLambda});
  CHECK(updated({PenaltyKind::kL1, test::kLambda, false, weight}) != plain);
  CHECK(std::ranges::min(plain) < 0.0);
  CHECK(std::ranges::min(updated({PenaltyKind::kL1, test::kLambda, true})) == 0.0);
}

void other_parts_and_marked_elements_stay() {
  const test::Problem problem = test::make_problem(test::cases()[4]);
  test::Rig rig(problem.tensor(), problem.model, 2, {});
  const Mode n = 2;
  update_factor(rig.plan.modes[n], {PenaltyKind::kFrobenius, test::kLambda}, rig.model, rig.ws);
  for (std::size_t part = 0; part < rig.model.parts(); ++part) {
    CHECK(std::ranges::equal(rig.model.marks(part), problem.model.marks(part)));
    CHECK(test::same_bits(rig.model.values(part), problem.model.values(part)) == (part != n + 1));
  }
  for (std::size_t i = 0; i < rig.model.marks(n + 1).size(); ++i)
    if (rig.model.marks(n + 1)[i] != Mark::kFree) CHECK(rig.model.values(n + 1)[i] == 0.0);
}

void a_row_without_entries_becomes_zero() {
  const test::Problem problem = test::make_problem({"", {9, 8, 7}, {3, 13, 2}, 100, 0.0});
  for (const PenaltyKind kind : test::kKinds)
    for (const double lambda : {0.0, test::kLambda}) {  // 0 / 0 must not happen
      test::Rig rig(problem.tensor(), problem.model, 1, {});
      for (Mode n = 0; n < 3; ++n) {
        update_factor(rig.plan.modes[n], {kind, lambda}, rig.model, rig.ws);
        const auto empty = static_cast<index_t>(problem.entries.shape[n] / 2);
        CHECK(rig.plan.modes[n].row_size[static_cast<std::size_t>(empty)] == 0);
        for (std::size_t j = 0; j < rig.model.rank(n); ++j)
          CHECK(rig.model.row(n, empty)[j] == 0.0);
        CHECK(test::all_finite(rig.model.values(n + 1)));
      }
    }
}

/// Each coordinate is minimised with the others fixed, so the loss cannot rise.
void the_penalised_loss_falls() {
  const test::Problem problem = test::make_problem(test::cases()[2]);
  for (const PenaltyKind kind : test::kKinds) {
    test::Rig rig(problem.tensor(), problem.model, 1, {});
    const auto total = [&] {
      double penalty = 0.0;
      for (Mode n = 0; n < 3; ++n)
        for (const double a : rig.model.values(n + 1))
          penalty += test::kLambda * (kind == PenaltyKind::kL1 ? std::abs(a) : a * a);
      return literal::squared_error(problem.entries, rig.model, 1) + penalty;
    };
    double before = total();
    for (Mode n = 0; n < 3; ++n) {
      update_factor(rig.plan.modes[n], {kind, test::kLambda}, rig.model, rig.ws);
      CHECK(total() < before);
      before = total();
    }
  }
}

}  // namespace

int main() {
  Outcomes l1;
  test::for_cases("update_factor", [&](const auto& problem) { the_papers_update(problem, l1); });
  CHECK(l1.zeros > 50 && l1.others > 50);
  test::for_cases("update_factor, rows that pay", rows_pay_by_weight_and_signs_are_forbidden);
  RUN(weights_and_signs_matter);
  RUN(other_parts_and_marked_elements_stay);
  RUN(a_row_without_entries_becomes_zero);
  RUN(the_penalised_loss_falls);
  return check::report();
}
