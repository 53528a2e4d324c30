// Solvers for the tests, and what their states have in common.
#pragma once

#include <algorithm>
#include <vector>

#include "problem.hpp"
#include "vest/solver.hpp"

namespace vest::test {

inline SolverOptions options(PenaltyKind kind = PenaltyKind::kL1, int threads = 2) {
  SolverOptions made;
  made.kind = kind;
  made.lambda = kLambda;
  made.threads = threads;
  return made;
}

inline bool same_state(const TuckerModel& a, const TuckerModel& b) {
  for (std::size_t part = 0; part < a.parts(); ++part)
    if (!same_bits(a.values(part), b.values(part)) ||
        !std::ranges::equal(a.marks(part), b.marks(part)))
      return false;
  return true;
}

inline std::vector<double> scores(Solver& solver, std::size_t part) {
  std::vector<double> out(solver.model().marks(part).size());
  solver.responsibilities(part, out);
  return out;
}

inline pos_t total_pruned(const TuckerModel& model) {
  pos_t total = 0;
  for (std::size_t part = 0; part < model.parts(); ++part) total += count_pruned(model, part);
  return total;
}

}  // namespace vest::test
