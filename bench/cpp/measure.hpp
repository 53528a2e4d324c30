// Running iterations of Algorithm 1 against the clock.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "counts.hpp"
#include "options.hpp"
#include "tensors.hpp"

namespace vest::bench {

/// Seconds of each step of one iteration, and RE after its updates.
///
/// An iteration prunes the share 0.01 of each part, as the first one of a fit does, and then
/// revives that batch. So every iteration does the whole work of pruning, and yet all find the
/// same number of free elements. Reviving is a fit's rare step and stays out of the time.
struct Iteration {
  double factors = 0.0, core = 0.0, error = 0.0, prune = 0.0;
  double relative_error = 0.0;

  [[nodiscard]] double updates() const { return factors + core + error; }
  [[nodiscard]] double total() const { return updates() + prune; }
};

struct Run {
  int threads = 1;
  std::string isa;   ///< Which build of the kernels ran.
  double lam = 0.0;  ///< As it enters the loss.
  double plan = 0.0;
  std::vector<Iteration> iterations;  ///< The timed ones.
  std::vector<double> errors;         ///< RE of every iteration, the one that warmed up included.
  double responsibilities = 0.0;      ///< Of the time to prune; 0: not measured.
  double zeros = 0.0;                 ///< The share of zeros in the model after the last one.
  std::uint64_t fingerprint = 0;      ///< Of all bits of the model after the second iteration.
  pos_t peak_memory = 0;              ///< The tensor and the solver, at their highest.
  IterationWork work;
  std::string choices;  ///< What the plan chose, in a line.

  /// The fastest iteration as a whole; its steps add up to its total.
  [[nodiscard]] const Iteration& best() const;
  [[nodiscard]] double median_total() const;
};

/// The library's solver, from the random start of the options' seed.
[[nodiscard]] Run run_solver(const Entries& entries, const Options& options);

/// The paper's loops, from the same start and through the same steps.
[[nodiscard]] Run run_literal(const Entries& entries, const Options& options);

}  // namespace vest::bench
