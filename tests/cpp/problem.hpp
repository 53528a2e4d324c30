// Random problems for the tests, and the comparison every kernel goes through.
//
// A problem has skewed rows, an empty row in each mode of three or more, distinct coordinates in no
// order, and a random marking table. The judges are the paper's plain loops in literal.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "engine/dispatch.hpp"
#include "kernels/kernels.hpp"
#include "literal.hpp"
#include "vest/sparse_tensor.hpp"

namespace vest::test {

inline constexpr double kLambda = 2.0;
inline constexpr double kTol = 1e-10;  // relative to the largest number compared
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr int kThreads[] = {1, 2, 3, 8};
inline constexpr PenaltyKind kKinds[] = {PenaltyKind::kFrobenius, PenaltyKind::kL1};

class Random {
 public:
  explicit Random(std::uint64_t seed) : bits_(seed) {}
  /// In [0, 1), the same numbers with every standard library.
  double uniform() { return static_cast<double>(bits_() >> 11) * 0x1p-53; }
  /// Of size about 1, either sign, never near zero: products of many stay in sight.
  double element() { return (uniform() < 0.5 ? -1.0 : 1.0) * (0.4 + uniform()); }
  index_t below(pos_t n) { return static_cast<index_t>(uniform() * static_cast<double>(n)); }

 private:
  std::mt19937_64 bits_;
};

struct Case {
  std::string name;
  std::vector<pos_t> shape;
  std::vector<index_t> ranks;
  pos_t entries;
  double pruned = 0.3;  ///< The share of marked elements, which are zero.
};

/// Orders 2 to 5 and 8; rows too long for one chunk, or even for one slot of the core's sums, and
/// rows of factors that are asked for ahead; every rank up to 14, with kernels of its own or not,
/// and one beyond.
inline const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"matrix", {40, 30}, {6, 13}, 300},
      {"rank 1", {20, 15}, {1, 1}, 120},
      {"three modes", {30, 20, 10}, {2, 12, 3}, 400},
      {"three modes, large ranks", {25, 9, 14}, {17, 2, 3}, 250},
      {"four modes", {12, 9, 8, 7}, {3, 2, 6, 2}, 500, 0.6},
      {"five modes", {7, 6, 1, 4, 6}, {2, 3, 1, 2, 2}, 300, 0.0},
      {"eight modes", {4, 3, 4, 3, 2, 4, 3, 3}, {2, 1, 2, 2, 1, 3, 2, 2}, 200},
      {"long rows", {3, 180, 170}, {6, 2, 1}, 20000},
      {"long rows, large rank", {2, 90, 80}, {13, 1, 2}, 4000},
      {"long rows, mostly pruned", {3, 90, 80}, {9, 1, 2}, 4000, 0.8},
      {"very long rows", {60000, 2}, {2, 3}, 36000},
      {"far rows", {9000, 7, 8000, 6000}, {2, 2, 3, 3}, 1502},
      {"ranks 1 and 14", {12, 9}, {1, 14}, 50},
      {"ranks 2 and 13", {12, 9}, {2, 13}, 50},
      {"ranks 3 and 12", {12, 9}, {3, 12}, 50},
      {"ranks 4 and 11", {12, 9}, {4, 11}, 50},
      {"ranks 5 and 10", {12, 9}, {5, 10}, 50},
      {"ranks 6 and 9", {12, 9}, {6, 9}, 50},
      {"ranks 7 and 8", {12, 9}, {7, 8}, 50},
  };
  return all;
}

struct Problem {
  literal::Entries entries;
  TuckerModel model;
  [[nodiscard]] SparseTensor tensor() const {  // borrows
    return {entries.coords, entries.values, entries.shape, {}, entries.weights};
  }
};

/// Low indices are drawn most, the middle one of three or more never.
inline index_t skewed_index(pos_t dim, Random& random) {
  const pos_t live = dim > 2 ? dim - 1 : dim;
  const double u = random.uniform();
  const auto i = static_cast<index_t>(u * (0.3 + 0.7 * u) * static_cast<double>(live));
  return live < dim && i >= dim / 2 ? i + 1 : i;
}

inline literal::Entries make_entries(const std::vector<pos_t>& shape, pos_t count, Random& random) {
  literal::Entries made{{}, {}, shape};
  std::set<std::vector<index_t>> seen;
  std::vector<index_t> alpha(shape.size());
  while (made.nnz() < count) {  // the cases leave most cells empty
    for (Mode n = 0; n < shape.size(); ++n) alpha[n] = skewed_index(shape[n], random);
    if (!seen.insert(alpha).second) continue;
    made.coords.insert(made.coords.end(), alpha.begin(), alpha.end());
    made.values.push_back(6.0 * random.uniform() - 2.0);
  }
  return made;
}

/// Kernels treat rows with all, most, few and none of their elements left differently.
inline double row_share(double pruned, Random& random) {
  if (pruned == 0.0) return 0.0;
  const double u = random.uniform();
  return u < 0.3 ? 0.0 : u < 0.4 ? 1.0 : u < 0.7 ? 0.85 : pruned;
}

/// A model of zeros.
inline TuckerModel zero_model(const std::vector<index_t>& ranks, const std::vector<pos_t>& shape) {
  const auto memory = std::make_shared<std::vector<std::vector<double>>>();
  memory->reserve(shape.size() + 1);
  std::size_t size = 1;
  for (const index_t rank : ranks) size *= static_cast<std::size_t>(rank);
  const std::span<double> core = memory->emplace_back(size);
  std::vector<FactorArray> factors;
  for (Mode n = 0; n < shape.size(); ++n) {
    const auto rows = static_cast<std::size_t>(shape[n]);
    const auto rank = static_cast<std::size_t>(ranks[n]);
    factors.push_back({memory->emplace_back(rows * rank).data(), rows, rank});
  }
  return TuckerModel::borrowing(ranks, core, factors, memory);
}

inline TuckerModel make_model(const Case& c, Random& random) {
  TuckerModel model = zero_model(c.ranks, c.shape);
  const std::size_t size = model.values(0).size();
  for (std::size_t part = 0; part < model.parts(); ++part) {
    const std::size_t row = part == 0 ? size : model.rank(part - 1);
    double share = c.pruned;
    for (std::size_t i = 0; i < model.marks(part).size(); ++i) {
      if (part > 0 && i % row == 0 && c.pruned < 1.0) share = row_share(c.pruned, random);
      const bool pruned = random.uniform() < share;
      if (pruned) model.marks(part)[i] = i % 2 == 0 ? Mark::kPruned : Mark::kLastBatch;
      model.edit(part)[i] = pruned ? 0.0 : random.element();
    }
  }
  return model;
}

inline Problem make_problem(const Case& c, std::uint64_t seed = 1) {
  Random random(seed);
  literal::Entries entries = make_entries(c.shape, c.entries, random);
  return {std::move(entries), make_model(c, random)};
}

/// The same entries with weights, some far above 1 and some below.
inline Problem with_weights(Problem problem, std::uint64_t seed = 2) {
  Random random(seed);
  for (pos_t e = 0; e < problem.entries.nnz(); ++e)
    problem.entries.weights.push_back(random.uniform() < 0.1 ? 20.0 : 0.2 + 2.0 * random.uniform());
  return problem;
}

inline std::vector<double> copy(std::span<const double> values) {
  return {values.begin(), values.end()};
}

/// The largest difference over the largest wanted number; infinite if anything is not finite.
inline double apart(std::span<const double> got, std::span<const double> want) {
  double difference = got.size() == want.size() ? 0.0 : std::numeric_limits<double>::infinity();
  double largest = 1e-300;
  for (std::size_t i = 0; i < std::min(got.size(), want.size()); ++i) {
    const double d = std::abs(got[i] - want[i]);
    difference =
        std::isfinite(d) ? std::max(difference, d) : std::numeric_limits<double>::infinity();
    if (!std::isfinite(d)) return difference;
    largest = std::max(largest, std::abs(want[i]));
  }
  return difference / largest;
}

/// Row i of A(n), to be changed.
inline double* edit_row(TuckerModel& model, Mode n, index_t i) {
  return model.edit(n + 1).data() + static_cast<std::size_t>(i) * model.rank(n);
}

inline pos_t count_zeros(const TuckerModel& model, std::size_t part) {
  return std::ranges::count(model.values(part), 0.0);
}
inline pos_t count_pruned(const TuckerModel& model, std::size_t part) {
  return std::ranges::count_if(model.marks(part), [](Mark mark) { return !is_live(mark); });
}

inline bool all_finite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double x) { return std::isfinite(x); });
}

inline bool same_bits(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

/// What a kernel runs in. Memory it might read before writing holds NaN.
struct Rig {
  Rig(const SparseTensor& x, const TuckerModel& start, int threads, const PlanOverrides& overrides)
      : Rig(start, threads, make_plan(x, start.ranks(), Team(threads), overrides)) {}

  Rig(const TuckerModel& start, int threads, Plan made,
      const KernelTable& kernels = vest::kernel_table)
      : team(threads),
        model(start),
        plan(std::move(made)),
        ws(plan, model, team, kernels.workspace_sizes(plan)) {
    for (Unfilled* v : {&ws.threads, &ws.pass.pieces, &ws.slots.partial, &ws.slots.total,
                        &ws.blocks.residual, &ws.blocks.lead, &ws.blocks.product})
      std::fill_n(v->data(), v->size(), kNaN);
    for (auto* v : {&ws.pass.core, &ws.pass.squares, &ws.gradient, &ws.denominator, &ws.gram.target,
                    &ws.gram.change})
      std::ranges::fill(*v, kNaN);
    for (auto* v : {&ws.pass.tables, &ws.gram.matrix}) std::ranges::fill(*v, kNaN);
  }

  Team team;
  TuckerModel model;
  Plan plan;
  Workspace ws;
};

/// Runs kernel(rig, kernels), which gives numbers, in every way a plan can choose and with every
/// build of the kernels: what comes out is close to `want`, and has the same bits for any number
/// of threads.
template <class Kernel>
void check_kernel(const Problem& problem, std::span<const double> want, Kernel&& kernel) {
  using Force = PlanOverrides::Force;
  using Core = PlanOverrides::Core;
  for (const Force tables : {Force::kTables, Force::kOnTheFly})
    for (const Core core : {Core::kGram, Core::kBlocks}) {
      const Plan plan = make_plan(problem.tensor(), problem.model.ranks(), Team(1), {tables, core});
      for (const KernelTable* kernels : kernel_tables()) {
        std::vector<double> first;
        for (const int threads : kThreads) {
          Rig rig(problem.model, threads, plan, *kernels);
          const std::vector<double> got = kernel(rig, *kernels);
          if (threads == 1) first = got;
          CHECK_CLOSE(apart(got, want), 0.0, kTol);
          CHECK(same_bits(got, first));
        }
      }
    }
}

/// Calls test(problem) as a test of its own for each case of not too many entries, without and with
/// weights.
template <class Test>
void for_cases(const std::string& what, Test&& test, pos_t most_entries = 100000) {
  for (const Case& c : cases())
    if (c.entries <= most_entries) {
      check::run((what + ": " + c.name).c_str(), [&] { test(make_problem(c)); });
      check::run((what + ", weighted: " + c.name).c_str(),
                 [&] { test(with_weights(make_problem(c))); });
    }
}

}  // namespace vest::test
