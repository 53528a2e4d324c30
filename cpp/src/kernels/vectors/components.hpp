// A vector over the J components of one mode.
//
// For small ranks J is a compile-time number and everything stays in vector registers, padded with
// zeros to whole vectors; where registers are narrow, one J serves all ranks of as many vectors.
// J = 0 stands for any rank, in scratch memory, and kByRuns for the same in whole vectors, where
// the core is sparse. Kernels are written once for all.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "kernels/vectors/lanes.hpp"
#include "vest/types.hpp"
#include "workspace/scratch.hpp"
#include "workspace/sizes.hpp"

namespace vest::inline VEST_ISA {

/// Stands for the kernels of any rank where the core is read by its non-zero elements.
inline constexpr int kByRuns = -1;

/// Which kernels serve a rank: with wide registers each small rank has its own, otherwise those of
/// the same number of vectors share; 0 for all others.
[[nodiscard]] constexpr int kernel_rank(std::size_t rank) {
  if (rank > static_cast<std::size_t>(kFixedRanks)) return 0;
  return static_cast<int>(kWideRegisters ? rank : padded_rank(rank));
}

/// Calls body.template operator()<J>() with J = kernel_rank(rank).
template <int J = kFixedRanks, class Body>
void with_rank(std::size_t rank, Body&& body) {
  if constexpr (J == 0) {
    body.template operator()<0>();
  } else if constexpr (kernel_rank(J) != J) {
    with_rank<J - 1>(rank, std::forward<Body>(body));
  } else {
    if (kernel_rank(rank) == J)
      body.template operator()<J>();
    else
      with_rank<J - 1>(rank, std::forward<Body>(body));
  }
}

/// Calls body.template operator()<J>() with the J of kernels that ranks share.
template <class Body>
void with_shared_rank(std::size_t rank, Body&& body) {
  const std::size_t size = padded_rank(rank);
  if (!kWideRegisters || rank <= 2 || rank > static_cast<std::size_t>(kFixedRanks))
    with_rank<kWideRegisters ? 2 : kFixedRanks>(rank, std::forward<Body>(body));
  else if constexpr (kWideRegisters) {
    if (size == 4)
      body.template operator()<kShared + 4>();
    else if (size == 8)
      body.template operator()<kShared + 8>();
    else
      body.template operator()<kShared + 12>();
    static_assert(kFixedRanks == 12);
  }
}

/// Calls step(p) for p = count - 1, ..., 0. Small counts jump into straight code: the loops it
/// replaces are the innermost ones, run once per entry, and too short to pay for a counter.
template <class Step>
[[gnu::always_inline]] inline void backwards(std::size_t count, Step&& step) {
  switch (count) {
    default:
      while (count > 12) step(--count);
      [[fallthrough]];
    case 12:
      step(11);
      [[fallthrough]];
    case 11:
      step(10);
      [[fallthrough]];
    case 10:
      step(9);
      [[fallthrough]];
    case 9:
      step(8);
      [[fallthrough]];
    case 8:
      step(7);
      [[fallthrough]];
    case 7:
      step(6);
      [[fallthrough]];
    case 6:
      step(5);
      [[fallthrough]];
    case 5:
      step(4);
      [[fallthrough]];
    case 4:
      step(3);
      [[fallthrough]];
    case 3:
      step(2);
      [[fallthrough]];
    case 2:
      step(1);
      [[fallthrough]];
    case 1:
      step(0);
      [[fallthrough]];
    case 0:
      return;
  }
}

/// The rank of a vector: J itself, unless J serves several ranks.
template <int J, bool = J <= kFixedRanks && kernel_rank(J - 1) != J>
struct Rank {
  explicit constexpr Rank(std::size_t) {}
  [[nodiscard]] static constexpr std::size_t size() { return J; }
};
template <int J>
struct Rank<J, false> {
  explicit constexpr Rank(std::size_t rank) : rank_(rank) {}
  [[nodiscard]] constexpr std::size_t size() const { return rank_; }

 private:
  std::size_t rank_;
};

template <int J>
class Row : public Rank<J> {
 public:
  using Rank<J>::size;
  using Vector = typename Lanes<J>::Vector;
  static constexpr std::size_t kCount = Lanes<J>::count;

  Row(std::size_t rank, Scratch&) : Rank<J>(rank) {}

  [[nodiscard]] static constexpr std::size_t stride() { return Lanes<J>::padded; }
  [[nodiscard]] double operator[](std::size_t j) const {
    return v[j / Lanes<J>::width][j % Lanes<J>::width];
  }

  /// this = sum_p a[p] table[p], with `rows` padded table rows.
  [[gnu::always_inline]] void contract(const double* table, const double* a, std::size_t rows) {
    Vector sum[kCount] = {};
    backwards(rows, [&](std::size_t p) __attribute__((always_inline)) {
      for (std::size_t c = 0; c < kCount; ++c)
        sum[c] += a[p] * vector_at<J>(table + p * stride() + c * Lanes<J>::width);
    });
    for (std::size_t c = 0; c < kCount; ++c) v[c] = sum[c];
  }

  /// this = sum_p s[p] table[p]^2, elementwise: the variance of a contraction with a row of
  /// variances s.
  [[gnu::always_inline]] void contract_squares(const double* table, const double* s,
                                               std::size_t rows) {
    Vector sum[kCount] = {};
    backwards(rows, [&](std::size_t p) __attribute__((always_inline)) {
      for (std::size_t c = 0; c < kCount; ++c) {
        const Vector t = vector_at<J>(table + p * stride() + c * Lanes<J>::width);
        sum[c] += s[p] * (t * t);
      }
    });
    for (std::size_t c = 0; c < kCount; ++c) v[c] = sum[c];
  }

  /// this = a, a row of a factor, which is not padded.
  [[gnu::always_inline]] void load(const double* a) {
    constexpr std::size_t kLast = kCount - 1;
    const std::size_t left = size() - kLast * Lanes<J>::width;
    for (std::size_t c = 0; c < kLast; ++c) v[c] = vector_at<J>(a + c * Lanes<J>::width);
    a += kLast * Lanes<J>::width;
    if (left == Lanes<J>::width)
      v[kLast] = vector_at<J>(a);
    else if constexpr (Lanes<J>::width == 4)
      v[kLast] = Vector{a[0], left > 1 ? a[1] : 0.0, left > 2 ? a[2] : 0.0, 0.0};
  }

  /// this = memory, memory = this: padded both.
  void load_padded(const double* from) {
    for (std::size_t c = 0; c < kCount; ++c) v[c] = vector_at<J>(from + c * Lanes<J>::width);
  }
  void store_padded(double* to) const {
    for (std::size_t c = 0; c < kCount; ++c) vector_at<J>(to + c * Lanes<J>::width) = v[c];
  }

  void clear() {
    for (std::size_t c = 0; c < kCount; ++c) v[c] = Vector{};
  }
  /// this *= factor.
  [[gnu::always_inline]] void scale(double factor) {
    for (std::size_t c = 0; c < kCount; ++c) v[c] = factor * v[c];
  }
  /// this += weight other, this += other, and this += other^2 elementwise.
  [[gnu::always_inline]] void add(double weight, const Row& other) {
    for (std::size_t c = 0; c < kCount; ++c) v[c] += weight * other.v[c];
  }
  [[gnu::always_inline]] void add(const Row& other) {
    for (std::size_t c = 0; c < kCount; ++c) v[c] += other.v[c];
  }
  [[gnu::always_inline]] void add_squares(const Row& other) {
    for (std::size_t c = 0; c < kCount; ++c) v[c] += rounded<Vector>(other.v[c] * other.v[c]);
  }
  [[gnu::always_inline]] [[nodiscard]] double dot(const Row& other) const {
    Vector sum = v[0] * other.v[0];
    for (std::size_t c = 1; c < kCount; ++c) sum += v[c] * other.v[c];
    double total = 0.0;
    for (std::size_t l = 0; l < Lanes<J>::width; ++l) total += sum[l];
    return total;
  }

  Vector v[kCount] = {};
};

template <>
class Row<0> {
 public:
  Row(std::size_t rank, Scratch& scratch) : rank_(rank), v(scratch.take(rank)) {}

  [[nodiscard]] std::size_t size() const { return rank_; }
  [[nodiscard]] std::size_t stride() const { return rank_; }
  [[nodiscard]] double operator[](std::size_t j) const { return v[j]; }

  void contract(const double* table, const double* a, std::size_t rows) {
    clear();
    for (std::size_t p = 0; p < rows; ++p, table += rank_)
      for (std::size_t j = 0; j < rank_; ++j) v[j] += a[p] * table[j];
  }
  void contract_squares(const double* table, const double* s, std::size_t rows) {
    clear();
    for (std::size_t p = 0; p < rows; ++p, table += rank_)
      for (std::size_t j = 0; j < rank_; ++j) v[j] += s[p] * (table[j] * table[j]);
  }
  void load(const double* a) { std::copy_n(a, rank_, v); }
  void load_padded(const double* from) { load(from); }
  void store_padded(double* to) const { std::copy_n(v, rank_, to); }
  void clear() { std::fill_n(v, rank_, 0.0); }
  void scale(double factor) {
    for (std::size_t j = 0; j < rank_; ++j) v[j] *= factor;
  }
  void add(double weight, const Row& other) {
    for (std::size_t j = 0; j < rank_; ++j) v[j] += weight * other.v[j];
  }
  void add(const Row& other) {
    for (std::size_t j = 0; j < rank_; ++j) v[j] += other.v[j];
  }
  void add_squares(const Row& other) {
    for (std::size_t j = 0; j < rank_; ++j) v[j] += other.v[j] * other.v[j];
  }
  [[nodiscard]] double dot(const Row& other) const {
    double total = 0.0;
    for (std::size_t j = 0; j < rank_; ++j) total += v[j] * other.v[j];
    return total;
  }

 private:
  std::size_t rank_;

 public:
  double* v;
};

/// Zeros fill the last vector.
template <>
class Row<kByRuns> {
 public:
  using Vector = Lanes<4>::Vector;

  Row(std::size_t rank, Scratch& scratch) : Row(rank, scratch.take(whole_vectors(rank))) {
    clear();
  }
  Row(std::size_t rank, double* memory) : rank_(rank), stride_(whole_vectors(rank)), v(memory) {}

  [[nodiscard]] std::size_t size() const { return rank_; }
  [[nodiscard]] std::size_t stride() const { return stride_; }
  [[nodiscard]] double operator[](std::size_t j) const { return v[j]; }

  void load(const double* a) { std::copy_n(a, rank_, v); }
  void store_padded(double* to) const { std::copy_n(v, stride_, to); }
  void clear() { std::fill_n(v, stride_, 0.0); }
  void scale(double factor) {
    for (std::size_t j = 0; j < stride_; j += 4) vector_at<4>(v + j) = factor * vector_at<4>(v + j);
  }
  void add(double weight, const Row& other) {
    for (std::size_t j = 0; j < stride_; j += 4)
      vector_at<4>(v + j) += weight * vector_at<4>(other.v + j);
  }
  void add_squares(const Row& other) {
    for (std::size_t j = 0; j < stride_; j += 4) {
      const Vector x = vector_at<4>(other.v + j);
      vector_at<4>(v + j) += x * x;
    }
  }
  [[nodiscard]] double dot(const Row& other) const {
    Vector sum{};
    for (std::size_t j = 0; j < stride_; j += 4) {
      const Vector x = vector_at<4>(v + j);
      sum += x * vector_at<4>(other.v + j);
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }

 private:
  std::size_t rank_, stride_;

 public:
  double* v;
};

/// Doubles of a row's sums as its kernels store them.
template <int J>
[[nodiscard]] constexpr std::size_t stored_size(std::size_t rank) {
  return J == kByRuns ? whole_vectors(rank) : padded_rank(rank);
}

}  // namespace vest::inline VEST_ISA
