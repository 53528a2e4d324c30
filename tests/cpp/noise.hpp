// Random problems whose elements have variances.
#pragma once

#include "literal_noise.hpp"
#include "problem.hpp"

namespace vest::test {

/// Models borrow their variances, so copies of one share them: kernels start from `reset`.
class Variances {
 public:
  explicit Variances(TuckerModel& model, Random& random) {
    for (std::size_t part = 0; part < model.parts(); ++part) {
      std::vector<double>& each = start_.emplace_back(model.marks(part).size(), 0.0);
      for (std::size_t i = 0; i < each.size(); ++i)
        if (is_live(model.marks(part)[i])) each[i] = 0.05 + 0.3 * random.uniform();
    }
    now_ = start_;
    std::vector<std::span<double>> spans(now_.begin(), now_.end());
    model.set_variances(spans);
  }
  void reset() {
    for (std::size_t part = 0; part < now_.size(); ++part)
      std::ranges::copy(start_[part], now_[part].begin());
  }

 private:
  std::vector<std::vector<double>> start_, now_;
};

struct NoisyProblem {
  Problem problem;
  Variances variances;
  std::vector<std::vector<double>> priors;

  [[nodiscard]] Penalty penalty(std::size_t part, bool nonnegative = false) const {
    return {PenaltyKind::kNoise, 0.0, nonnegative, {}, priors[part], 0.7};
  }
};

/// Some elements are fixed, some kept.
inline NoisyProblem add_noise(Problem problem, std::uint64_t seed) {
  Random random(seed + 100);
  for (std::size_t part = 0; part < problem.model.parts(); ++part)
    for (Mark& mark : problem.model.marks(part))
      if (mark == Mark::kFree && random.uniform() < 0.2)
        mark = random.uniform() < 0.5 ? Mark::kFixed : Mark::kKept;
  std::vector<std::vector<double>> priors;
  for (std::size_t part = 0; part < problem.model.parts(); ++part) {
    std::vector<double>& each = priors.emplace_back(part == 0 ? 1 : problem.model.rank(part - 1));
    for (double& prior : each) prior = 0.2 + 3.0 * random.uniform();
  }
  Variances variances(problem.model, random);
  return {std::move(problem), std::move(variances), std::move(priors)};
}

inline NoisyProblem make_noisy(const Case& c, bool weighted = false, std::uint64_t seed = 1) {
  Problem problem = make_problem(c, seed);
  return add_noise(weighted ? with_weights(std::move(problem)) : std::move(problem), seed);
}

/// Calls test(noisy) as a test of its own for each case of few entries and modes, without and with
/// weights.
template <class Test>
void for_noisy_cases(Test&& test) {
  for (const Case& c : cases())
    for (const bool weighted : {false, true})
      if (c.entries <= 4000 && c.shape.size() <= 5)
        check::run(((weighted ? "update, weighted: " : "update: ") + c.name).c_str(), [&] {
          NoisyProblem noisy = make_noisy(c, weighted);
          test(noisy);
        });
}

/// Values and variances of a part, one after the other.
inline std::vector<double> with_variances(const TuckerModel& model, std::size_t part) {
  std::vector<double> all = copy(model.values(part));
  all.insert(all.end(), model.variances(part).begin(), model.variances(part).end());
  return all;
}

/// The same in every way that a plan can choose, with every build and number of threads: what
/// kernel(rig, kernels) leaves in a part is what literally(model, plan) leaves there.
template <class Literally, class Kernel>
void check_noisy(NoisyProblem& noisy, std::size_t part, std::span<const PlanOverrides> ways,
                 Literally&& literally, Kernel&& kernel, double tolerance = kTol) {
  for (const PlanOverrides& way : ways) {
    const Plan plan = make_plan(noisy.problem.tensor(), noisy.problem.model.ranks(), Team(1), way);
    noisy.variances.reset();
    TuckerModel judged = noisy.problem.model;
    literally(judged, plan);
    const std::vector<double> want = with_variances(judged, part);
    for (const KernelTable* kernels : kernel_tables()) {
      std::vector<double> first;
      for (const int threads : {1, 2, 7}) {
        noisy.variances.reset();
        Rig rig(noisy.problem.model, threads, plan, *kernels);
        kernel(rig, *kernels);
        const std::vector<double> got = with_variances(rig.model, part);
        if (threads == 1) first = got;
        CHECK_CLOSE(apart(got, want), 0.0, tolerance);
        CHECK(same_bits(got, first));
      }
    }
  }
  noisy.variances.reset();
}

/// The dense ways: tables or none, one Gram matrix or blocks.
inline const std::vector<PlanOverrides>& dense_ways() {
  using Force = PlanOverrides::Force;
  using Core = PlanOverrides::Core;
  static const std::vector<PlanOverrides> all{{Force::kTables, Core::kGram},
                                              {Force::kOnTheFly, Core::kGram},
                                              {Force::kTables, Core::kBlocks},
                                              {Force::kOnTheFly, Core::kBlocks}};
  return all;
}

}  // namespace vest::test
