// Problems with sparse cores, such as are read by their non-zero elements.
#pragma once

#include "noise.hpp"

namespace vest::test {

/// Diagonals that join two modes, rows of one mode, single elements, and the first one.
inline void thin_out(TuckerModel& model, Random& random) {
  const std::size_t order = model.order();
  std::vector<bool> stays(model.values(0).size(), false);
  stays[0] = true;
  const auto below = [&](std::size_t n) {
    return static_cast<std::size_t>(random.below(static_cast<pos_t>(n)));
  };
  for (int k = 0; k < 3; ++k) {
    std::size_t at = 0;
    std::size_t base[kMaxOrder];
    for (Mode n = 0; n < order; ++n) base[n] = random.uniform() < 0.5 ? 0 : below(model.rank(n));
    const Mode first = below(order);
    const Mode second = k == 1 ? first : (first + 1 + below(order - 1)) % order;
    base[first] = base[second] = 0;
    for (Mode n = 0; n < order; ++n) at += base[n] * model.core_stride(n);
    const std::size_t step =
        model.core_stride(first) + (second == first ? 0 : model.core_stride(second));
    const std::size_t length = std::min(model.rank(first), model.rank(second));
    for (std::size_t i = k == 2 ? 1 : 0; i < length; ++i) stays[at + i * step] = true;
    stays[below(stays.size())] = true;
  }
  for (std::size_t i = 0; i < stays.size(); ++i) {
    const double value = random.uniform() < 0.3 ? 1.0 : random.element();
    model.edit(0)[i] = stays[i] ? value : 0.0;
    model.marks(0)[i] = !stays[i]                ? Mark::kPruned
                        : random.uniform() < 0.2 ? Mark::kKept
                                                 : Mark::kFree;
  }
}

/// The first column of every factor becomes one. With variances, it is fixed.
inline void set_ones(TuckerModel& model, Mark mark) {
  for (Mode n = 0; n < model.order(); ++n)
    for (std::size_t i = 0; i < model.marks(n + 1).size(); i += model.rank(n)) {
      model.edit(n + 1)[i] = 1.0;
      model.marks(n + 1)[i] = mark;
    }
}

inline const std::vector<Case>& sparse_cases() {
  static const std::vector<Case> all{
      {"matrix", {40, 30}, {6, 13}, 300},
      {"three modes", {30, 20, 10}, {5, 12, 3}, 400},
      {"three modes, large ranks", {25, 9, 14}, {17, 6, 22}, 250},
      {"four modes", {12, 9, 8, 7}, {3, 7, 6, 2}, 500, 0.6},
      {"five modes", {7, 6, 1, 4, 6}, {2, 3, 1, 4, 3}, 300, 0.0},
      {"long rows", {3, 90, 80}, {13, 9, 8}, 4000},
      {"long rows, mostly pruned", {3, 90, 80}, {22, 9, 9}, 4000, 0.8},
      {"far rows", {9000, 7, 8000}, {6, 4, 6}, 1500},
  };
  return all;
}

inline PlanOverrides by_runs(bool ones) {
  return {PlanOverrides::Force::kAuto, PlanOverrides::Core::kRuns, ones};
}

/// A sparse core, its first columns ones or not.
inline Problem make_sparse(const Case& c, bool ones, std::uint64_t seed = 1) {
  Problem problem = make_problem(c, seed);
  Random random(seed + 200);
  thin_out(problem.model, random);
  if (ones) set_ones(problem.model, Mark::kFree);
  return problem;
}

inline NoisyProblem make_noisy_sparse(const Case& c, bool ones, bool weighted,
                                      std::uint64_t seed = 1) {
  Problem problem = make_sparse(c, ones, seed);
  if (ones) set_ones(problem.model, Mark::kFixed);
  return add_noise(weighted ? with_weights(std::move(problem)) : std::move(problem), seed);
}

/// Runs kernel(rig, kernels) on the dense path, and by runs with every build and number of threads:
/// the numbers are the same, and have the same bits for any number of threads.
template <class Kernel>
void check_by_runs(const Problem& problem, bool ones, Kernel&& kernel) {
  Rig dense(problem.tensor(), problem.model, 1, {});
  const std::vector<double> want = kernel(dense, kernels_for());
  const Plan plan = make_plan(problem.tensor(), problem.model.ranks(), Team(1), by_runs(ones));
  for (const KernelTable* kernels : kernel_tables()) {
    std::vector<double> first;
    for (const int threads : {1, 2, 7}) {
      Rig rig(problem.model, threads, plan, *kernels);
      const std::vector<double> got = kernel(rig, *kernels);
      if (threads == 1) first = got;
      CHECK_CLOSE(apart(got, want), 0.0, 1e-12);
      CHECK(same_bits(got, first));
    }
  }
}

/// Calls test(problem, ones) as a test of its own for each case, without and with weights.
template <class Test>
void for_sparse_cases(const std::string& what, Test&& test) {
  for (const Case& c : sparse_cases())
    for (const bool ones : {false, true}) {
      const std::string name = (ones ? ", ones: " : ": ") + c.name;
      check::run((what + name).c_str(), [&] { test(make_sparse(c, ones), ones); });
      check::run((what + ", weighted" + name).c_str(),
                 [&] { test(with_weights(make_sparse(c, ones)), ones); });
    }
}

/// The same with variances, for cases of not too many entries: test(noisy, ones).
template <class Test>
void for_noisy_sparse_cases(Test&& test, pos_t most_entries = 100000) {
  for (const Case& c : sparse_cases())
    for (const bool ones : {false, true})
      for (const bool weighted : {false, true})
        if (c.entries <= most_entries)
          check::run(((weighted ? "noisy, weighted: " : "noisy: ") + c.name).c_str(), [&] {
            NoisyProblem noisy = make_noisy_sparse(c, ones, weighted);
            test(noisy, ones);
          });
}

}  // namespace vest::test
