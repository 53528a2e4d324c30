// Sums of outer products of a mode's vectors: V = sum d d^T and b = sum x d, what a row update
// needs.
#pragma once

#include <algorithm>
#include <cstddef>

#include "kernels/vectors/components.hpp"

namespace vest::inline VEST_ISA {

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

  void clear() {
    for (auto& row : v_)
      for (auto& vector : row) vector = Vector{};
    b_.clear();
  }
  [[gnu::always_inline]] void add(double x, const Row<J>& d) {
    for (std::size_t j = 0; j < J && j < size(); ++j)
      for (std::size_t c = j / Layout::width; c < Row<J>::kCount; ++c) v_[j][c] += d[j] * d.v[c];
    b_.add(x, d);
  }
  /// V(j, t), t >= j.
  [[nodiscard]] double v(std::size_t j, std::size_t t) const {
    return v_[j][t / Layout::width][t % Layout::width];
  }
  [[nodiscard]] double b(std::size_t j) const { return b_[j]; }

  void store(double* out) const {
    for (std::size_t j = 0; j < J && j < size(); ++j)
      for (std::size_t c = j / Layout::width; c < Row<J>::kCount; ++c, out += Layout::width)
        vector_at<J>(out) = v_[j][c];
    b_.store_padded(out);
  }

 private:
  Vector v_[J][Row<J>::kCount] = {};  // what no row keeps is never touched, and takes no register
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

/// Doubles that suffice for the stored sums of a rank, whichever kernels sum them.
[[nodiscard]] inline std::size_t outer_size(std::size_t rank) {
  std::size_t size = 0;
  with_rank(rank, [&]<int J>() { size = OuterLayout<J>(rank).size(); });
  return std::max(size, OuterLayout<0>(rank).b() + padded(rank));
}
/// The same with one more sum for each component.
[[nodiscard]] inline std::size_t noisy_sums_size(std::size_t rank) {
  return outer_size(rank) + padded(rank);
}

}  // namespace vest::inline VEST_ISA
