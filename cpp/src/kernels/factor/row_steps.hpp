// The coordinate steps of one row on V and b, which RowSums has summed: one sweep over the live
// components in turn, each a step of penalty.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "kernels/vectors/outer_sums.hpp"
#include "vest/penalty.hpp"
#include "workspace/scratch.hpp"
#include "workspace/sizes.hpp"

namespace vest::inline VEST_ISA {

/// What is left to explain, b - V a, in the making: V is symmetric and only its upper part is kept,
/// so row j of V is subtracted from what follows it, and what it says of j itself is in `own`.
template <int J>
struct Left {
  Left(const OuterSums<J>& all, Scratch& scratch)
      : layout(all.layout()),
        rank(all.size()),
        rest(scratch.take(stored_size<J>(rank))),
        own(scratch.take(rank)) {}

  [[nodiscard]] const double* row(const double* sums, std::size_t j) const {
    return sums + layout.row(j) - layout.first(j);
  }
  /// kByRuns: what comes is of fewer components.
  void resize(std::size_t count) {
    layout = OuterLayout<J>(count);
    rank = count;
  }
  /// rest -= weight V(j, .), from the first column kept on.
  void subtract(const double* row, std::size_t j, double weight) {
    if constexpr (J == 0) {
      for (std::size_t t = j; t < rank; ++t) rest[t] -= weight * row[t];
    } else if constexpr (J == kByRuns) {
      for (std::size_t t = layout.first(j); t < layout.padded; t += layout.width)
        vector_at<4>(rest + t) -= weight * vector_at<4>(row + t);
    } else {
      for (std::size_t t = layout.first(j); t < Lanes<J>::padded; t += Lanes<J>::width)
        vector_at<J>(rest + t) -= weight * vector_at<J>(row + t);
    }
  }
  void start(const double* sums, const double* a) {
    std::copy_n(sums + layout.b(), stored_size<J>(rank), rest);
    for (std::size_t j = 0; j < rank; ++j) {
      const double* v = row(sums, j);
      subtract(v, j, a[j]);
      own[j] = 0.0;
      for (std::size_t t = layout.first(j) + layout.width; t < rank; ++t) own[j] += v[t] * a[t];
    }
  }

  OuterLayout<J> layout;
  std::size_t rank;
  double* rest;
  double* own;
};

/// The step of a penalty, chosen at each element: sweeps are compiled for every rank, and once more
/// for each penalty would take long.
class AnyStep {
 public:
  /// Throws std::invalid_argument if no step is known for the penalty.
  explicit AnyStep(const Penalty& penalty)
      : l1_(penalty.kind == PenaltyKind::kL1), nonnegative_(penalty.nonnegative) {
    with_step(penalty, [](const auto&) {});
  }
  [[gnu::always_inline]] double operator()(double lambda, double h, double v) const {
    const double value = l1_ ? L1Step{lambda}(h, v) : FrobeniusStep{lambda}(h, v);
    return nonnegative_ ? std::max(0.0, value) : value;
  }

 private:
  bool l1_;
  bool nonnegative_;
};

/// The live components in turn: h = sum x delta(j) - sum_{t != j} v(t) a_t, then the step.
template <int J>
[[gnu::noinline]] void sweep_all(const AnyStep& any, double lambda,
                                 std::span<const std::size_t> live, const double* sums,
                                 Left<J>& left, double* a) {
  const AnyStep step = any;
  left.start(sums, a);
  for (const std::size_t j : live) {
    const double* v = left.row(sums, j);
    const double before = a[j];
    a[j] = step(lambda, left.rest[j] - left.own[j] + v[j] * before, v[j]);
    left.subtract(v, j, a[j] - before);
  }
}

/// A row whose live components were packed together takes its steps packed, too.
class Packed {
 public:
  Packed(std::size_t rank, Scratch& scratch)
      : values_(scratch.take(rank)), every_(reinterpret_cast<std::size_t*>(scratch.take(rank))) {
    for (std::size_t j = 0; j < rank; ++j) every_[j] = j;
  }
  /// Calls step(every, values) with the numbers 0, 1, ... and the values of the live components, to
  /// be changed.
  template <class Step>
  void with(std::span<const std::size_t> live, double* a, Step&& step) {
    for (std::size_t i = 0; i < live.size(); ++i) values_[i] = a[live[i]];
    step(std::span<const std::size_t>(every_, live.size()), values_);
    for (std::size_t i = 0; i < live.size(); ++i) a[live[i]] = values_[i];
  }

 private:
  double* values_;
  std::size_t* every_;
};

/// The same on V and b of the live components alone, V in full. step(j, h, v) is that of
/// component j.
template <class Step>
void sweep_some(const Step& step, std::span<const std::size_t> live, const double* sums,
                double* a) {
  const std::size_t k = live.size();
  const double* b = sums + k * k;
  for (std::size_t j = 0; j < k; ++j) {
    const double* v = sums + j * k;
    double h = b[j];
    for (std::size_t t = 0; t < k; ++t)
      if (t != j) h -= v[t] * a[live[t]];
    a[live[j]] = step(live[j], h, v[j]);
  }
}

}  // namespace vest::inline VEST_ISA
