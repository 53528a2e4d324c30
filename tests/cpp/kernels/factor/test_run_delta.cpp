// Factors of a sparse core, read by its non-zero elements, against the dense path.
#include "kernels/factor/run_delta.hpp"

#include "judging.hpp"
#include "kernels/factor/reconstruct.hpp"
#include "sparse_cores.hpp"

using namespace vest;

namespace {

void the_same_update(const test::Problem& problem, bool ones) {
  for (const PenaltyKind kind : test::kKinds)
    for (const bool nonnegative : {false, true})
      for (Mode n = 0; n < problem.model.order(); ++n)
        test::check_by_runs(problem, ones, [&](test::Rig& rig, const KernelTable& kernels) {
          kernels.update_factor(rig.plan.modes[n], {kind, 0.3, nonnegative}, rig.model, rig.ws);
          return test::copy(rig.model.values(n + 1));
        });
}

void the_same_sums_of_rows(const test::Problem& problem, bool ones) {
  for (Mode n = 0; n < problem.model.order(); ++n)
    test::check_by_runs(problem, ones, [&](test::Rig& rig, const KernelTable& kernels) {
      const std::size_t rank = rig.model.rank(n);
      std::vector<index_t> rows;
      for (index_t i = 0; i < static_cast<index_t>(rig.plan.dim(n)); i += 2) rows.push_back(i);
      std::vector<double> sums(rows.size() * (rank * rank + rank), test::kNaN);
      const std::span<double> all(sums);
      kernels.row_sums(rig.plan.modes[n], rig.model, rows, rig.ws,
                       all.first(rows.size() * rank * rank),
                       all.subspan(rows.size() * rank * rank));
      return sums;
    });
}

void the_same_error_and_responsibilities(const test::Problem& problem, bool ones) {
  test::check_by_runs(problem, ones, [&](test::Rig& rig, const KernelTable& kernels) {
    return std::vector<double>{kernels.squared_error(rig.plan, rig.model, rig.ws)};
  });
  for (std::size_t part = 0; part < problem.model.parts(); ++part)
    test::check_by_runs(problem, ones, [&](test::Rig& rig, const KernelTable& kernels) {
      return test::judge(rig, kernels, part);
    });
}

/// In the entry order of the core's mode, which both ways may choose differently. Each is times the
/// root of its weight.
void residuals_are_what_is_left(const test::Problem& problem, bool ones) {
  test::Rig rig(problem.tensor(), problem.model, 2, test::by_runs(ones));
  fill_residuals(rig.plan, rig.model, rig.ws);
  const Unfilled& residual = rig.ws.blocks.residual;
  std::vector<double> got(residual.data(), residual.data() + residual.size());
  std::vector<double> want = literal::residuals(problem.entries, problem.model, 1);
  for (pos_t e = 0; e < problem.entries.nnz(); ++e)
    want[static_cast<std::size_t>(e)] *= std::sqrt(problem.entries.w(e));
  std::ranges::sort(got);
  std::ranges::sort(want);
  CHECK_CLOSE(test::apart(got, want), 0.0, 1e-12);
}

/// Var delta is that of each product, as if products were independent of each other.
void noisy_rows(test::NoisyProblem& noisy, bool ones) {
  const PlanOverrides ways[] = {test::by_runs(ones)};
  for (const bool nonnegative : {false, true})
    for (Mode n = 0; n < noisy.problem.model.order(); ++n) {
      const Penalty penalty = noisy.penalty(n + 1, nonnegative);
      test::check_noisy(
          noisy, n + 1, ways,
          [&](TuckerModel& model, const Plan& plan) {
            literal::update_noisy_factor(noisy.problem.entries, n, penalty,
                                         {plan.modes[n].last, true}, model);
          },
          [&](test::Rig& rig, const KernelTable& kernels) {
            kernels.update_factor(rig.plan.modes[n], penalty, rig.model, rig.ws);
          },
          1e-11);
    }
}

/// The core's values and its pattern change between two passes.
void a_change_of_the_core_is_seen() {
  const test::Problem problem = test::make_sparse(test::sparse_cases()[2], false);
  test::check_by_runs(problem, false, [](test::Rig& rig, const KernelTable& kernels) {
    std::vector<double> errors;
    const auto look = [&] { errors.push_back(kernels.squared_error(rig.plan, rig.model, rig.ws)); };
    look();
    rig.model.edit(0)[0] = 3.0;
    look();
    rig.model.edit(0)[1] = rig.model.values(0)[1] == 0.0 ? 2.0 : 0.0;
    look();
    return errors;
  });
}

}  // namespace

int main() {
  test::for_sparse_cases("update", the_same_update);
  test::for_sparse_cases("sums of rows", the_same_sums_of_rows);
  test::for_sparse_cases("judged", the_same_error_and_responsibilities);
  test::for_sparse_cases("residuals", residuals_are_what_is_left);
  test::for_noisy_sparse_cases(noisy_rows);
  RUN(a_change_of_the_core_is_seen);
  return check::report();
}
