// V = sum delta delta^T and b = sum x delta of one row after the other: all that a row update needs
// of the entries. A row's deltas do not depend on the row itself, so they are summed once per row.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <span>

#include "kernels/delta/component_list.hpp"
#include "kernels/delta/delta.hpp"
#include "kernels/vectors/outer_sums.hpp"
#include "vest/model.hpp"

namespace vest::inline VEST_ISA {

/// V and b of the components `live` alone: V in full, row after row, then b.
[[gnu::noinline]] inline void sum_some(SomeDeltas& deltas, std::span<const std::size_t> live,
                                       pos_t begin, pos_t end, double* sums) {
  const bool rounds = deltas.rank() > static_cast<std::size_t>(kFixedRanks);  // see rounded()
  with_few(live.size(), [&]<int K>() {
    const std::size_t k = K == 0 ? live.size() : std::size_t{K};
    double fixed[K == 0 ? 1 : K * K + K];
    double* const v = K == 0 ? sums : fixed;
    double* const b = v + k * k;
    std::fill_n(v, k * k + k, 0.0);
    deltas.each_of<K>(
        live, begin, end,
        [&](double x, const double* delta) {
          for (std::size_t j = 0; j < k; ++j) {
            for (std::size_t t = 0; t < k; ++t) {
              const double product = delta[j] * delta[t];
              v[j * k + t] += K == 0 ? product : rounded(product);
            }
            if constexpr (K != 2)
              b[j] += x * delta[j];
            else if (rounds)
              b[j] += rounded(x * delta[j]);
            else
              add_product(b[j], x, delta[j]);
          }
        },
        [](double) {});
    if (K != 0) std::copy_n(v, k * k + k, sums);
  });
}

/// Pruned components are zero and stay so: a row of which few are live is summed over those only.
template <int J>
class RowSums {
 public:
  RowSums(const DeltaSource& source, Scratch& scratch)
      : rank_(source.rank()),
        components_(rank_, scratch),
        deltas_(source, scratch),
        all_(rank_, scratch) {}

  /// To be called before a row is summed. Returns how many sums it has.
  std::size_t start(const Mark* marks) {
    live_ = components_.choose([&](std::size_t j) { return is_live(marks[j]); });
    return few() ? live_.size() * live_.size() + live_.size() : all_.layout().size();
  }

  void sum(pos_t begin, pos_t end, double* sums) {
    if (!few()) {
      OuterSums<J> all = all_;  // a local, so that it may live in registers
      all.clear();
      deltas_.each(
          begin, end, [&](double x, const Row<J>& delta) { all.add(x, delta); }, [](double) {});
      all.store(sums);
    } else if (!live_.empty()) {
      sum_some(deltas_, live_, begin, end, sums);
    }
  }

  /// The row's live components.
  [[nodiscard]] std::span<const std::size_t> live() const { return live_; }
  /// Whether the sums are those of the live components alone, or else stand as OuterLayout says.
  [[nodiscard]] bool few() const { return are_few(live_.size(), rank_); }
  [[nodiscard]] const OuterSums<J>& all() const { return all_; }

 private:
  std::size_t rank_;
  ComponentList components_;
  Deltas<J> deltas_;
  OuterSums<J> all_;
  std::span<const std::size_t> live_;
};

/// A sparse core's deltas are cheap beside their outer products, so those of the live components
/// alone are always packed together: the sums are theirs, as OuterLayout has them for so many.
template <>
class RowSums<kByRuns> {
 public:
  RowSums(const DeltaSource& source, Scratch& scratch)
      : plan_(source.plan),
        rank_(source.rank()),
        components_(rank_, scratch),
        deltas_(source, scratch),
        all_(rank_, scratch),
        delta_(rank_, scratch) {}

  std::size_t start(const Mark* marks) {
    return start([&](std::size_t j) { return is_live(marks[j]); });
  }
  /// The same of the components for which a condition holds.
  template <class Holds>
  std::size_t start(Holds&& holds)
    requires std::predicate<Holds, std::size_t>
  {
    live_ = components_.choose(holds);
    return OuterLayout<kByRuns>(live_.size()).size();
  }

  void sum(pos_t begin, pos_t end, double* sums) {
    sum(begin, end, sums, [](pos_t) {});
  }
  /// Calls also(e) after each entry.
  template <class Also>
  void sum(pos_t begin, pos_t end, double* sums, Also&& also) {
    const std::size_t k = live_.size();
    const std::size_t* const live = live_.data();
    OuterSums<kByRuns> all = all_;
    all.start(k);
    const std::size_t padded = all.layout().padded;
    for (pos_t e = begin; e < end; ++e) {
      double* const to = all.next();
      if (k == rank_) {
        deltas_.into(e, to);
      } else {
        deltas_.into(e, delta_.v);
        for (std::size_t i = 0; i < k; ++i) to[i] = delta_.v[live[i]];
        for (std::size_t i = k; i < padded; ++i) to[i] = 0.0;
      }
      all.add(plan_.value[static_cast<std::size_t>(e)]);
      also(e);
    }
    all.store(sums);
  }

  [[nodiscard]] std::span<const std::size_t> live() const { return live_; }
  [[nodiscard]] const OuterSums<kByRuns>& all() const { return all_; }
  [[nodiscard]] Deltas<kByRuns>& deltas() { return deltas_; }

 private:
  const ModePlan& plan_;
  std::size_t rank_;
  ComponentList components_;
  Deltas<kByRuns> deltas_;
  OuterSums<kByRuns> all_;
  Row<kByRuns> delta_;
  std::span<const std::size_t> live_;
};

}  // namespace vest::inline VEST_ISA
