// The cost model behind a plan. Units are multiply-adds; estimates need only rank the choices.
#include "engine/planning/plan_choice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "engine/planning/distinct.hpp"
#include "workspace/sizes.hpp"

namespace vest {
namespace {

constexpr double kCacheLine = 64.0;
constexpr double kSmallCache = 256.0 * 1024;        // reached at no cost
constexpr double kLargeCache = 16.0 * 1024 * 1024;  // beyond: main memory
constexpr double kLargeCacheLineCost = 6.0;
constexpr double kMemoryLineCost = 40.0;
constexpr double kTableBytes = 64.0 * 1024 * 1024;  // a table may always take this much,
constexpr double kTableBytesPerEntry = 8.0;         // or this share of what the entries take
// Per entry and block: a row read at random, a product, its square, residual, two sums. Memory sets
// the pace; the sums of a Gram matrix run at the speed of the arithmetic.
constexpr double kPass = 200.0;
constexpr double kMostBlock = 64.0;       // elements of a block of several modes
constexpr double kGramDoubles = 1 << 26;  // Gram matrix and partial sums: 512 MiB at most

/// Reading `bytes` at a random place of a working set.
double random_read(double working_set, double bytes) {
  if (working_set <= kSmallCache) return 0.0;
  const double lines = std::ceil(bytes / kCacheLine);
  return lines * (working_set <= kLargeCache ? kLargeCacheLineCost : kMemoryLineCost);
}

/// Elements of a core, and pairs of them, mode by mode. In double: cores of any size are asked for.
struct CoreSize {
  explicit CoreSize(std::span<const index_t> ranks) {
    for (const double rank : ranks) {
      elements *= rank;
      pairs *= pair_count(rank);
    }
  }
  double elements = 1.0;
  double pairs = 1.0;
};

/// The sums of a tree of entries: nodes of each level of shared prefixes, of which there are as
/// many as `groups` at most, times the accumulated products below them.
template <class Dim, class Pairs>
double tree_cost(std::span<const Mode> path, double entries, double last_pairs, double groups,
                 const Dim& dim, const Pairs& pairs) {
  double products = last_pairs;
  double cost = entries * products;
  for (std::size_t depth = path.size(); depth-- > 0;) {
    products *= pairs(path[depth]);
    double nodes = 1.0;
    for (std::size_t d = 0; d <= depth; ++d) nodes *= dim(path[d]);
    cost += std::min(nodes, groups) * products;
  }
  return cost;
}

/// One pass over the entries per block of trailing modes; the best number of trailing modes.
template <class Dim>
double cheapest_blocks(std::span<const index_t> ranks, double entries, double core, const Dim& dim,
                       std::size_t& trailing) {
  double best = std::numeric_limits<double>::infinity();
  double block = 1.0;
  double groups = 1.0;
  for (std::size_t t = 1; t <= most_trailing(ranks); ++t) {
    const Mode n = ranks.size() - t;
    block *= static_cast<double>(ranks[n]);
    groups = std::min(groups * dim(n), entries);
    const double cost = core / block * (kPass * entries + groups * block * block);
    if (cost < best) {
      best = cost;
      trailing = t;
    }
  }
  return best;
}

ModeSet all_modes(std::size_t order) { return order == kMaxOrder ? ~ModeSet{0} : bit(order) - 1; }

class Chooser {
 public:
  Chooser(const TensorFacts& facts, std::span<const index_t> ranks)
      : facts_(facts), ranks_(ranks), all_(all_modes(order())) {
    const std::vector<ModeSet> sets = counted_sets(order());
    for (std::size_t i = 0; i < sets.size(); ++i) distinct_[sets[i]] = facts.distinct[i];
  }

  ModeChoice best_mode(Mode n, const PlanOverrides& overrides) const {
    ModeChoice best;
    best.cost = std::numeric_limits<double>::infinity();
    using Force = PlanOverrides::Force;
    for (Mode p = 0; p < order(); ++p) {
      if (p == n) continue;
      for (const bool tabulated : {true, false}) {
        if (overrides.tables == (tabulated ? Force::kOnTheFly : Force::kTables)) continue;
        if (tabulated && overrides.core == PlanOverrides::Core::kRuns) continue;
        ModeChoice choice = weigh(n, p, tabulated, overrides.tables == Force::kTables);
        if (choice.cost < best.cost) best = std::move(choice);
      }
    }
    return best;
  }

  /// The Gram matrix through the entry order of mode n: nodes of each level of the tree of shared
  /// prefixes, times the accumulated products below them, then the sweep itself.
  double gram_cost(Mode n, const ModeChoice& choice) const {
    std::vector<Mode> path{n};
    path.insert(path.end(), choice.tuple_modes.begin(), choice.tuple_modes.end());
    const double cost = tree_cost(
        path, entries(), pairs(choice.last), distinct(all_ & ~bit(choice.last)),
        [&](Mode q) { return dim(q); }, [&](Mode q) { return pairs(q); });
    return cost + core_size() * core_size();
  }

  /// One pass over the entries per block of trailing modes; the best number of trailing modes.
  double blocks_cost(std::size_t& trailing) const {
    return cheapest_blocks(
        ranks_, entries(), core_size(), [&](Mode n) { return dim(n); }, trailing);
  }

  /// The order that blocks of trailing modes need: last mode first, first mode contracted last.
  ModeChoice descending(const PlanOverrides& overrides) const {
    const Mode n = order() - 1;
    ModeChoice table = weigh(n, 0, true, false);
    ModeChoice fly = weigh(n, 0, false, false);
    using Force = PlanOverrides::Force;
    ModeChoice& better = overrides.tables == Force::kTables     ? table
                         : overrides.tables == Force::kOnTheFly ? fly
                         : table.cost <= fly.cost               ? table
                                                                : fly;
    std::ranges::sort(better.tuple_modes, std::greater<>());
    return better;
  }

 private:
  [[nodiscard]] std::size_t order() const { return facts_.shape.size(); }
  [[nodiscard]] double entries() const { return static_cast<double>(facts_.entries); }
  [[nodiscard]] double dim(Mode n) const { return static_cast<double>(facts_.shape[n]); }
  [[nodiscard]] double rank(Mode n) const { return static_cast<double>(ranks_[n]); }
  [[nodiscard]] double pairs(Mode n) const { return pair_count(rank(n)); }
  [[nodiscard]] double core_size() const { return CoreSize(ranks_).elements; }
  [[nodiscard]] double distinct(ModeSet set) const {
    if (set == 0) return 1.0;
    if (std::has_single_bit(set)) return dim(static_cast<Mode>(std::countr_zero(set)));
    return distinct_.at(set);
  }

  /// The price of one pass over mode n with p contracted last.
  ModeChoice weigh(Mode n, Mode p, bool tabulated, bool any_size) const {
    ModeChoice choice{p, {}, tabulated, 0.0};
    for (Mode q = 0; q < order(); ++q)
      if (q != n && q != p) choice.tuple_modes.push_back(q);
    // Short modes first: the costly first contractions are then shared by many tuples.
    std::ranges::stable_sort(choice.tuple_modes, {}, [&](Mode q) { return dim(q); });

    const double table = rank(p) * rank(n);
    const double groups = distinct(all_ & ~bit(p));
    const double tuples = distinct(all_ & ~bit(p) & ~bit(n));
    double left = core_size();
    double prefixes = tabulated ? 1.0 : dim(n);
    for (const Mode q : choice.tuple_modes) {
      prefixes = std::min(prefixes * dim(q), tabulated ? tuples : groups);
      choice.cost += prefixes * (left + random_read(dim(q) * rank(q) * 8.0, rank(q) * 8.0));
      left /= rank(q);
    }
    choice.cost += entries() * (table + random_read(dim(p) * rank(p) * 8.0, rank(p) * 8.0));
    if (!tabulated) return choice;
    const auto size =
        table_size(static_cast<std::size_t>(ranks_[p]), static_cast<std::size_t>(ranks_[n]));
    const double bytes = tuples * static_cast<double>(size) * 8.0;
    choice.cost += groups * random_read(bytes, table * 8.0) + tuples * table;
    if (!any_size && bytes > table_limit(entries()))
      choice.cost = std::numeric_limits<double>::infinity();
    return choice;
  }

  const TensorFacts& facts_;
  std::span<const index_t> ranks_;
  ModeSet all_;
  std::map<ModeSet, double> distinct_;
};

}  // namespace

std::vector<ModeSet> counted_sets(std::size_t order) {
  std::vector<ModeSet> sets;
  for (Mode n = 0; n < order; ++n)
    for (Mode p = n; p < order; ++p)
      if (const ModeSet set = all_modes(order) & ~bit(n) & ~bit(p); std::popcount(set) > 1)
        sets.push_back(set);
  return sets;
}

TensorFacts facts_of(const SparseTensor& x, const Team& team) {
  return {x.shape(), x.nnz(), estimate_distinct(x, counted_sets(x.order()), team)};
}

double table_limit(double entries) { return std::max(kTableBytes, kTableBytesPerEntry * entries); }

std::size_t most_trailing(std::span<const index_t> ranks) {
  std::size_t trailing = 1;
  double block = ranks.back();
  while (trailing + 1 < ranks.size() && (block *= ranks[ranks.size() - trailing - 1]) <= kMostBlock)
    ++trailing;
  return trailing;
}

bool gram_fits(std::span<const index_t> ranks) {
  const CoreSize size(ranks);
  return 5.0 * size.pairs + size.elements * size.elements <= kGramDoubles;
}

bool blocks_thinkable(std::span<const index_t> ranks) {
  if (!gram_fits(ranks)) return true;
  const CoreSize size(ranks);
  double block = 1.0;
  for (const double rank : ranks.last(most_trailing(ranks))) block *= rank;
  // Per entry, a Gram matrix costs less than twice its size even if no prefix is ever shared.
  return 2.0 * size.pairs > kPass * size.elements / block;
}

RoughCosts rough_costs(std::span<const pos_t> shape, pos_t nnz, std::span<const index_t> ranks) {
  const std::size_t order = shape.size();
  const auto entries = static_cast<double>(nnz);
  const CoreSize size(ranks);
  const auto dim = [&](Mode n) { return static_cast<double>(shape[n]); };
  const auto pairs = [&](Mode n) { return pair_count(static_cast<double>(ranks[n])); };
  RoughCosts costs;
  costs.gram = std::numeric_limits<double>::infinity();
  for (Mode n = 0; n < order; ++n)
    for (Mode last = 0; last < order; ++last) {
      if (last == n) continue;
      std::vector<Mode> path;
      for (Mode q = 0; q < order; ++q)
        if (q != n && q != last) path.push_back(q);
      std::ranges::stable_sort(path, {}, [&](Mode q) { return shape[q]; });
      path.insert(path.begin(), n);
      costs.gram = std::min(costs.gram, tree_cost(path, entries, pairs(last), entries, dim, pairs));
    }
  costs.gram += size.elements * size.elements;
  std::size_t trailing = 1;
  costs.blocks = cheapest_blocks(ranks, entries, size.elements, dim, trailing);
  return costs;
}

Choices choose(const SparseTensor& x, std::span<const index_t> ranks, const Team& team,
               const PlanOverrides& overrides) {
  return choose(facts_of(x, team), ranks, overrides);
}

Choices choose(const TensorFacts& facts, std::span<const index_t> ranks,
               const PlanOverrides& overrides) {
  const std::size_t order = facts.shape.size();
  const Chooser chooser(facts, ranks);
  Choices choices;
  for (Mode n = 0; n < order; ++n) choices.modes.push_back(chooser.best_mode(n, overrides));

  double gram = std::numeric_limits<double>::infinity();
  for (Mode n = 0; n < order; ++n)
    if (const double cost = chooser.gram_cost(n, choices.modes[n]); cost < gram) {
      gram = cost;
      choices.core.mode = n;
    }
  using Core = PlanOverrides::Core;
  if (overrides.core == Core::kRuns) {
    choices.core.strategy = CoreStrategy::kRuns;
    return choices;
  }
  const double blocks = chooser.blocks_cost(choices.core.trailing);
  const bool use_blocks = overrides.core == Core::kAuto ? !gram_fits(ranks) || blocks < gram
                                                        : overrides.core == Core::kBlocks;
  if (use_blocks) {
    choices.core.strategy = CoreStrategy::kBlocks;
    choices.core.mode = order - 1;
    choices.modes.back() = chooser.descending(overrides);
  }
  return choices;
}

}  // namespace vest
