// Sums of outer products of a mode's vectors: V = sum d d^T and b = sum x d, what a row update
// needs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "kernels/vectors/components.hpp"

namespace vest::inline VEST_ISA {

/// Calls body(std::integral_constant<std::size_t, 0>()) and so on up to Count - 1: straight code,
/// in which the compiler sees every index, so that what is indexed can be in registers.
template <std::size_t Count, class Body>
[[gnu::always_inline]] inline void unrolled(Body&& body) {
  [&]<std::size_t... Index>(std::index_sequence<Index...>) __attribute__((always_inline)) {
    (body(std::integral_constant<std::size_t, Index>()), ...);
  }(std::make_index_sequence<Count>());
}

/// Where the sums V = sum d d^T and b = sum x d stand in memory. V is symmetric: of its row j only
/// the vectors from the one that holds the diagonal on are kept.
template <int J>
struct OuterLayout {
  explicit constexpr OuterLayout(std::size_t any) : rank(any) {}
  static constexpr std::size_t width = Lanes<J>::width;
  /// The first column of row j that is kept.
  [[nodiscard]] static constexpr std::size_t first(std::size_t j) { return j / width * width; }
  /// Where V(j, first(j)) stands.
  [[nodiscard]] static constexpr std::size_t row(std::size_t j) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < j; ++i) at += Lanes<J>::padded - first(i);
    return at;
  }
  [[nodiscard]] constexpr std::size_t b() const { return row(rank.size()); }
  [[nodiscard]] constexpr std::size_t size() const { return b() + Lanes<J>::padded; }
  Rank<J> rank;
};

template <int J>
class OuterSums {
 public:
  using Layout = OuterLayout<J>;
  using Vector = typename Row<J>::Vector;

  OuterSums(std::size_t rank, Scratch& scratch) : b_(rank, scratch) {}

  [[nodiscard]] Layout layout() const { return Layout(size()); }
  [[nodiscard]] std::size_t size() const { return b_.size(); }

  [[gnu::always_inline]] void clear() {
    each([&](auto j, auto c) __attribute__((always_inline)) { v_[j][c] = Vector{}; });
    b_.clear();
  }
  [[gnu::always_inline]] void add(double x, const Row<J>& d) {
    each([&](auto j, auto c) __attribute__((always_inline)) {
      if constexpr (kRounds)
        v_[j][c] += rounded<Vector>(d[j] * d.v[c]);
      else
        add_product(v_[j][c], d[j], d.v[c]);
    });
    unrolled<Row<J>::kCount>(
        [&](auto c) __attribute__((always_inline)) { add_product(b_.v[c], x, d.v[c]); });
  }
  /// V(j, t), t >= j.
  [[nodiscard]] double v(std::size_t j, std::size_t t) const {
    return v_[j][t / Layout::width][t % Layout::width];
  }
  [[nodiscard]] double b(std::size_t j) const { return b_[j]; }

  [[gnu::always_inline]] void store(double* out) const {
    each([&](auto j, auto c) __attribute__((always_inline)) {
      vector_at<J>(out + Layout::row(j) + (c - j / Layout::width) * Layout::width) = v_[j][c];
    });
    b_.store_padded(out + layout().b());
  }

 private:
  /// Calls body(j, c) for each vector c of row j that is kept.
  template <class Body>
  [[gnu::always_inline]] void each(Body&& body) const {
    unrolled<Lanes<J>::most>([&](auto j) __attribute__((always_inline)) {
      if (j < size())
        unrolled<Row<J>::kCount>([&](auto c) __attribute__((always_inline)) {
          if constexpr (c >= j / Layout::width) body(j, c);
        });
    });
  }

  static constexpr bool kRounds = J > 1 && Row<J>::kCount == 1;  // see rounded()

  Vector v_[Lanes<J>::most][Row<J>::kCount] =
      {};  // what no row keeps is never touched, and takes no register
  Row<J> b_;
};

/// For any rank: the upper triangle, row after row.
template <>
struct OuterLayout<0> {
  explicit OuterLayout(std::size_t any) : rank(any) {}
  static constexpr std::size_t width = 1;
  [[nodiscard]] static constexpr std::size_t first(std::size_t j) { return j; }
  [[nodiscard]] std::size_t row(std::size_t j) const { return j * rank - j * (j - 1) / 2; }
  [[nodiscard]] std::size_t b() const { return row(rank); }
  [[nodiscard]] std::size_t size() const { return row(rank) + rank; }
  std::size_t rank;
};

template <>
class OuterSums<0> {
 public:
  OuterSums(std::size_t rank, Scratch& scratch)
      : layout_(rank), v_(scratch.take(layout_.b())), b_(rank, scratch) {}

  [[nodiscard]] OuterLayout<0> layout() const { return layout_; }
  [[nodiscard]] std::size_t size() const { return layout_.rank; }

  void clear() {
    std::fill_n(v_, layout_.b(), 0.0);
    b_.clear();
  }
  void add(double x, const Row<0>& d) {
    double* row = v_;
    for (std::size_t j = 0; j < layout_.rank; row += layout_.rank - j, ++j)
      for (std::size_t t = j; t < layout_.rank; ++t) row[t - j] += d.v[j] * d.v[t];
    b_.add(x, d);
  }
  [[nodiscard]] double v(std::size_t j, std::size_t t) const { return v_[layout_.row(j) + t - j]; }
  [[nodiscard]] double b(std::size_t j) const { return b_[j]; }

  void store(double* out) const {
    std::copy_n(v_, layout_.b(), out);
    b_.store_padded(out + layout_.b());
  }

 private:
  OuterLayout<0> layout_;
  double* v_;
  Row<0> b_;
};

/// For any rank in whole vectors, as for a fixed one.
template <>
struct OuterLayout<kByRuns> {
  explicit OuterLayout(std::size_t any) : rank(any), padded(whole_vectors(any)) {}
  static constexpr std::size_t width = 4;
  [[nodiscard]] static constexpr std::size_t first(std::size_t j) { return j / width * width; }
  [[nodiscard]] std::size_t row(std::size_t j) const {
    const std::size_t before = j / width;  // groups of rows of the same length
    return width * before * padded - width * width * (before * (before - 1) / 2) +
           j % width * (padded - width * before);
  }
  [[nodiscard]] std::size_t b() const { return row(rank); }
  [[nodiscard]] std::size_t size() const { return b() + padded; }
  std::size_t rank, padded;
};

/// Vectors wait until a few can be added at once: each of the sums is then read and written once
/// for all of them, and still sees them one after the other.
template <>
class OuterSums<kByRuns> {
 public:
  using Vector = Lanes<4>::Vector;
  static constexpr std::size_t kBatch = 8;

  /// Doubles of scratch, for any rank up to this one.
  [[nodiscard]] static std::size_t scratch_size(std::size_t rank) {
    return OuterLayout<kByRuns>(rank).size() + kBatch * whole_vectors(rank);
  }

  OuterSums(std::size_t rank, Scratch& scratch)
      : layout_(rank),
        sums_(scratch.take(layout_.size())),
        batch_(scratch.take(kBatch * layout_.padded)) {}

  [[nodiscard]] OuterLayout<kByRuns> layout() const { return layout_; }
  [[nodiscard]] std::size_t size() const { return layout_.rank; }

  /// Begins new sums, of vectors of `rank` components.
  void start(std::size_t rank) {
    layout_ = OuterLayout<kByRuns>(rank);
    std::fill_n(sums_, layout_.size(), 0.0);
    waiting_ = 0;
  }
  /// Where the next vector is to be written, zeros behind it up to a whole vector.
  [[nodiscard]] double* next() { return batch_ + waiting_ * layout_.padded; }
  /// To be called when it has been written.
  void add(double x) {
    x_[waiting_] = x;
    if (++waiting_ == kBatch) add_batch();
  }
  void store(double* out) {
    for (std::size_t k = 0; k < waiting_; ++k) add_one(k);
    waiting_ = 0;
    std::copy_n(sums_, layout_.size(), out);
  }

 private:
  /// V += d d^T and b += x d of one vector that waits.
  void add_one(std::size_t k) {
    const double* const d = batch_ + k * layout_.padded;
    double* row = sums_;
    for (std::size_t j = 0; j < layout_.rank; ++j)
      for (std::size_t t = layout_.first(j); t < layout_.padded; t += 4, row += 4)
        vector_at<4>(row) += d[j] * vector_at<4>(d + t);
    for (std::size_t t = 0; t < layout_.padded; t += 4, row += 4)
      vector_at<4>(row) += x_[k] * vector_at<4>(d + t);
  }
  /// The same of all, four rows of V at a time.
  void add_batch() {
    const std::size_t padded = layout_.padded;
    double* group = sums_;
    std::size_t j = 0;
    for (; j + 4 <= layout_.rank; j += 4) {
      const std::size_t length = padded - j;
      std::size_t t = 0;
      for (; t + 8 <= length; t += 8) add_tile<4, 2>(group + t, length, j, j + t);
      if (t < length) add_tile<4, 1>(group + t, length, j, j + t);
      group += 4 * length;
    }
    for (; j < layout_.rank; ++j, group += 4) add_tile<1, 1>(group, 4, j, padded - 4);
    for (std::size_t t = 0; t < padded; t += 4, group += 4) {
      Vector sum = vector_at<4>(group);
      for (std::size_t k = 0; k < kBatch; ++k) sum += x_[k] * vector_at<4>(batch_ + k * padded + t);
      vector_at<4>(group) = sum;
    }
    waiting_ = 0;
  }
  /// Rows j to j + Rows, columns t to t + 4 Columns.
  template <std::size_t Rows, std::size_t Columns>
  [[gnu::always_inline]] void add_tile(double* at, std::size_t length, std::size_t j,
                                       std::size_t t) {
    Vector sum[Rows][Columns];
    for (std::size_t r = 0; r < Rows; ++r)
      for (std::size_t c = 0; c < Columns; ++c) sum[r][c] = vector_at<4>(at + r * length + 4 * c);
    const double* d = batch_;
    for (std::size_t k = 0; k < kBatch; ++k, d += layout_.padded)
      for (std::size_t c = 0; c < Columns; ++c) {
        const Vector column = vector_at<4>(d + t + 4 * c);
        for (std::size_t r = 0; r < Rows; ++r) sum[r][c] += d[j + r] * column;
      }
    for (std::size_t r = 0; r < Rows; ++r)
      for (std::size_t c = 0; c < Columns; ++c) vector_at<4>(at + r * length + 4 * c) = sum[r][c];
  }

  OuterLayout<kByRuns> layout_;
  double* sums_;  // V, then b
  double* batch_;
  double x_[kBatch];
  std::size_t waiting_ = 0;
};

/// Doubles that suffice for the stored sums of a rank.
[[nodiscard]] inline std::size_t outer_size(std::size_t rank) {
  std::size_t size = 0;
  with_rank(rank, [&]<int J>() { size = OuterLayout<J>(rank).size(); });
  return size;
}
/// The same with one more sum for each component.
[[nodiscard]] inline std::size_t noisy_sums_size(std::size_t rank, bool by_runs) {
  return by_runs ? OuterLayout<kByRuns>(rank).size() + whole_vectors(rank)
                 : outer_size(rank) + padded(rank);
}

}  // namespace vest::inline VEST_ISA
