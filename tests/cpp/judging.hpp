// What must hold for the responsibilities of any part.
#pragma once

#include "problem.hpp"

namespace vest::test {

inline std::vector<double> judge(Rig& rig, const KernelTable& kernels, std::size_t part) {
  std::vector<double> got(rig.model.marks(part).size(), kNaN);
  if (part == 0)
    kernels.core_responsibilities(rig.plan, rig.model, rig.ws, got);
  else
    kernels.factor_responsibilities(rig.plan.modes[part - 1], rig.model, rig.ws, got);
  return got;
}

inline void check_responsibilities(const Problem& problem, std::size_t part) {
  const std::vector<double> r = literal::residuals(problem.entries, problem.model, 1);
  const std::vector<double> want =
      literal::responsibilities(problem.entries, r, part, problem.model, 1);
  check_kernel(problem, want, [&](Rig& rig, const KernelTable& kernels) {
    const std::vector<double> got = judge(rig, kernels, part);
    for (std::size_t p = 0; p < rig.model.parts(); ++p)  // it only looks
      CHECK(same_bits(rig.model.values(p), problem.model.values(p)));
    return got;
  });
}

/// By how much the squared error grows when an element is set to zero.
inline void check_definition(const Problem& problem, std::size_t part) {
  Rig rig(problem.tensor(), problem.model, 1, {});
  const double before = literal::squared_error(problem.entries, problem.model, 1);
  const std::vector<double> got = judge(rig, kernels_for(), part);
  for (std::size_t i = 0; i < got.size(); ++i) {
    TuckerModel without = problem.model;
    without.edit(part)[i] = 0.0;
    const double after = literal::squared_error(problem.entries, without, 1);
    CHECK_CLOSE(got[i], after - before, 1e-10 * before);
  }
}

inline void check_zeros_score_zero(std::size_t part) {
  Problem problem = make_problem(cases()[4]);
  problem.model.edit(part)[1] = 0.0;  // zero, but perhaps free
  Rig rig(problem.tensor(), problem.model, 2, {});
  const std::vector<double> got = judge(rig, kernels_for(), part);
  CHECK(got[1] == 0.0);
  std::size_t scored = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (problem.model.marks(part)[i] != Mark::kFree) CHECK(got[i] == 0.0);
    scored += got[i] != 0.0;
  }
  CHECK(scored > 0);
}

}  // namespace vest::test
