// Counting the nodes of each mode's tree of shared prefixes, and what the kernels do at each.
#include "counts.hpp"

#include <algorithm>
#include <numeric>

namespace vest::bench {
namespace {

constexpr double kDouble = 8.0;
constexpr double kEntryBytes = 16.0;  // last index, tuple, value

double pairs(double rank) { return rank * (rank + 1.0) / 2.0; }

/// One mode's plan, seen as the amounts of work that passes over it are made of.
class Pass {
 public:
  Pass(const ModePlan& plan, const std::vector<index_t>& ranks)
      : plan_(plan),
        ranks_(ranks),
        nodes_(plan.tuple_modes.size() + 1, 0.0),
        contractions_(plan.tuple_modes.size(), 0.0) {
    count_nodes();
    if (plan.tabulated) count_table_contractions();
  }

  [[nodiscard]] double entries() const { return static_cast<double>(plan_.value.size()); }
  [[nodiscard]] double rows() const { return static_cast<double>(plan_.row_size.size()); }
  [[nodiscard]] double rank() const { return rank(plan_.mode); }
  [[nodiscard]] double last_rank() const { return rank(plan_.last); }
  [[nodiscard]] double rank(Mode n) const { return static_cast<double>(ranks_[n]); }
  [[nodiscard]] double factor_bytes() const { return rows() * rank() * kDouble; }
  /// Nodes of the entry tree that start at this depth: rows, then one depth per tuple mode.
  [[nodiscard]] double nodes(std::size_t depth) const { return nodes_[depth]; }

  /// Delta for every entry: tables or contractions, then J_last x J_n per entry.
  [[nodiscard]] Work deltas() const {
    const double table = last_rank() * rank();
    double left = table;
    for (const Mode q : plan_.tuple_modes) left *= rank(q);
    Work work{entries() * table, entries() * kEntryBytes + rows() * 4.0};
    for (std::size_t d = 0; d < contractions_.size(); ++d) {
      work.multiply_adds += contractions_[d] * left;
      left /= rank(plan_.tuple_modes[d]);
    }
    if (plan_.tabulated)
      work.bytes += 2.0 * static_cast<double>(plan_.tuple_count) * table * kDouble;
    return work;
  }

  /// Gathering a sum over core features through the tree; `size(rank)` features per row.
  template <class Size>
  [[nodiscard]] double gather(Size&& size) const {
    double products = size(last_rank());
    double work = entries() * products;
    for (std::size_t d = nodes_.size(); d-- > 0;) {
      products *= size(rank(d == 0 ? plan_.mode : plan_.tuple_modes[d - 1]));
      work += nodes_[d] * products;
    }
    return work;
  }

 private:
  /// The first depth at which two tuples differ; the number of tuple modes if they do not.
  [[nodiscard]] std::size_t first_difference(const index_t& a, const index_t& b) const {
    const auto before = plan_.coords_of(a);
    const auto now = plan_.coords_of(b);
    return static_cast<std::size_t>(std::ranges::mismatch(before, now).in1 - before.begin());
  }

  void count_nodes() {
    index_t tuple = -1;
    const std::size_t depth = plan_.tuple_modes.size();
    for (const Chunk& chunk : plan_.chunks)
      plan_.for_rows(chunk, [&](index_t, pos_t begin, pos_t end) {
        for (pos_t e = begin; e < end; ++e) {
          const index_t next = plan_.tuple[static_cast<std::size_t>(e)];
          const std::size_t same = tuple < 0 ? 0 : first_difference(tuple, next);
          for (std::size_t d = e == begin ? 0 : same + 1; d <= depth; ++d) ++nodes_[d];
          // On the fly, a prefix may be shared across rows.
          for (std::size_t d = same; d < depth; ++d) ++contractions_[d];
          tuple = next;
        }
      });
  }

  void count_table_contractions() {
    std::ranges::fill(contractions_, 0.0);
    for (pos_t t = 0; t < plan_.tuple_count; ++t) {
      const auto now = static_cast<index_t>(t);
      const auto before = static_cast<index_t>(t - 1);
      for (std::size_t d = t == 0 ? 0 : first_difference(before, now); d < contractions_.size();
           ++d)
        ++contractions_[d];
    }
  }

  const ModePlan& plan_;
  const std::vector<index_t>& ranks_;
  std::vector<double> nodes_;
  std::vector<double> contractions_;
};

double core_size(const std::vector<index_t>& ranks) {
  return std::accumulate(ranks.begin(), ranks.end(), 1.0, std::multiplies<>());
}

Work count_gram_sweep(const Pass& pass, const std::vector<index_t>& ranks) {
  const double size = core_size(ranks);
  return {pass.gather(pairs) + pass.gather([](double rank) { return rank; }) + size * size,
          pass.entries() * kEntryBytes};
}

/// Residuals once; then per block each entry's product, its square, its residual and their
/// product, and per trailing tuple the block's Gram matrix.
Work count_block_sweep(const Pass& pass, const CorePlan& core, const std::vector<index_t>& ranks) {
  double block = 1.0;
  for (std::size_t t = 1; t <= core.trailing; ++t) block *= pass.rank(ranks.size() - t);
  const double blocks = core_size(ranks) / block;
  const std::size_t leading = ranks.size() - core.trailing;
  const double lead_changes = blocks / pass.rank(leading - 1);
  Work work = pass.deltas();
  work.multiply_adds += pass.entries() * pass.rank();
  work += {blocks * (4.0 * pass.entries() +
                     pass.nodes(core.trailing - 1) * (pairs(block) + 2.0 * block)),
           blocks * pass.entries() * (kEntryBytes + 5.0 * kDouble)};
  work += {lead_changes * pass.entries() * static_cast<double>(leading - 1),
           lead_changes * pass.entries() * kDouble};
  return work;
}

}  // namespace

IterationWork count_work(const Plan& plan, const std::vector<index_t>& ranks) {
  IterationWork work;
  if (plan.core.strategy == CoreStrategy::kRuns) return work;  // its non-zero elements decide
  std::vector<Pass> passes;
  double all_factors = 0.0;
  for (const ModePlan& mode : plan.modes) {
    passes.emplace_back(mode, ranks);
    all_factors += passes.back().factor_bytes();
  }
  const Pass& core = passes[plan.core.mode];
  for (const Pass& pass : passes) {
    const double rank = pass.rank();
    work.factors += pass.deltas();
    work.factors += {pass.entries() * (pairs(rank) + rank) + pass.rows() * rank * rank,
                     all_factors + pass.factor_bytes()};
    // The error and the responsibilities of the core's mode are one pass.
    Work& judging = &pass == &core ? work.error : work.prune;
    judging += pass.deltas();
    judging += {3.0 * pass.entries() * rank, all_factors + pass.factor_bytes()};
  }
  const bool gram = plan.core.strategy == CoreStrategy::kGram;
  work.core = gram ? count_gram_sweep(core, ranks) : count_block_sweep(core, plan.core, ranks);
  work.core.bytes += all_factors;
  if (gram) {  // the core's responsibilities are by-products of its Gram matrix
    work.prune += {core_size(ranks) * core_size(ranks), 0.0};
  } else {
    work.prune += core.deltas();
    work.prune +=
        {core.entries() * core.rank() + 2.0 * core.gather([](double rank) { return rank; }),
         all_factors};
  }
  return work;
}

}  // namespace vest::bench
