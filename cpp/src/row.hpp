// A vector over the J components of one mode, and the sums of its outer products.
//
// For small ranks J is a compile-time number and everything stays in vector registers, padded with
// zeros to whole vectors; J = 0 stands for any rank, in scratch memory. Kernels are written once
// for both.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "vest/types.hpp"
#include "vest/workspace.hpp"

namespace vest::inline VEST_ISA {

/// The largest rank with kernels of its own.
inline constexpr int kFixedRanks = 12;

/// Calls body.template operator()<J>() with J = rank if it has kernels of its own, else J = 0.
template <int J = kFixedRanks, class Body>
void with_rank(std::size_t rank, Body&& body) {
  if constexpr (J == 0) {
    body.template operator()<0>();
  } else {
    if (rank == static_cast<std::size_t>(J))
      body.template operator()<J>();
    else
      with_rank<J - 1>(rank, std::forward<Body>(body));
  }
}

/// How a fixed rank is laid out in vectors of the compiler's own kind.
template <int J>
struct Lanes {
  static constexpr std::size_t width = J <= 2 ? J : 4;
  static constexpr std::size_t count = (J + width - 1) / width;
  static constexpr std::size_t padded = width * count;
  typedef double Vector __attribute__((vector_size(width * sizeof(double))));
};

/// Doubles from one row of a table over a rank to the next: padded where J is fixed.
[[nodiscard]] constexpr std::size_t padded_rank(std::size_t rank) {
  if (rank <= 2 || rank > static_cast<std::size_t>(kFixedRanks)) return rank;
  return (rank + 3) / 4 * 4;
}

template <int J>
class Row {
 public:
  using Vector = typename Lanes<J>::Vector;
  static constexpr std::size_t kCount = Lanes<J>::count;

  Row(std::size_t, Scratch&) {}

  [[nodiscard]] static constexpr std::size_t size() { return J; }
  [[nodiscard]] static constexpr std::size_t stride() { return Lanes<J>::padded; }
  [[nodiscard]] double operator[](std::size_t j) const {
    return v[j / Lanes<J>::width][j % Lanes<J>::width];
  }

  /// this = sum_p a[p] table[p], with `rows` padded table rows.
  void contract(const double* table, const double* a, std::size_t rows) {
    for (std::size_t c = 0; c < kCount; ++c) v[c] = Vector{};
    for (std::size_t p = 0; p < rows; ++p, table += stride())
      for (std::size_t c = 0; c < kCount; ++c) {
        Vector part;  // tables are not aligned to vectors
        std::memcpy(&part, table + c * Lanes<J>::width, sizeof part);
        v[c] += a[p] * part;
      }
  }

  /// this = a, a row of a factor, which is not padded.
  void load(const double* a) {
    for (std::size_t c = 0; c < kCount; ++c)
      for (std::size_t l = 0; l < Lanes<J>::width; ++l) {
        const std::size_t j = c * Lanes<J>::width + l;
        v[c][l] = j < J ? a[j] : 0.0;
      }
  }

  void clear() {
    for (std::size_t c = 0; c < kCount; ++c) v[c] = Vector{};
  }
  /// this += weight other, and this += other^2 elementwise.
  void add(double weight, const Row& other) {
    for (std::size_t c = 0; c < kCount; ++c) v[c] += weight * other.v[c];
  }
  void add_squares(const Row& other) {
    for (std::size_t c = 0; c < kCount; ++c) v[c] += other.v[c] * other.v[c];
  }
  [[nodiscard]] double dot(const Row& other) const {
    Vector sum = v[0] * other.v[0];
    for (std::size_t c = 1; c < kCount; ++c) sum += v[c] * other.v[c];
    double total = 0.0;
    for (std::size_t l = 0; l < Lanes<J>::width; ++l) total += sum[l];
    return total;
  }

  Vector v[kCount];
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
  void load(const double* a) { std::copy_n(a, rank_, v); }
  void clear() { std::fill_n(v, rank_, 0.0); }
  void add(double weight, const Row& other) {
    for (std::size_t j = 0; j < rank_; ++j) v[j] += weight * other.v[j];
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

/// V = sum d d^T and b = sum x d.
template <int J>
class OuterSums {
 public:
  OuterSums(std::size_t rank, Scratch& scratch) : b_(rank, scratch) {}

  void clear() {
    for (auto& row : v_)
      for (auto& vector : row) vector = typename Row<J>::Vector{};
    b_.clear();
  }
  void add(double x, const Row<J>& d) {
    for (std::size_t j = 0; j < J; ++j)
      for (std::size_t c = 0; c < Row<J>::kCount; ++c) v_[j][c] += d[j] * d.v[c];
    b_.add(x, d);
  }
  [[nodiscard]] double v(std::size_t j, std::size_t t) const {
    return v_[j][t / Lanes<J>::width][t % Lanes<J>::width];
  }
  [[nodiscard]] double b(std::size_t j) const { return b_[j]; }

 private:
  typename Row<J>::Vector v_[J][Row<J>::kCount];
  Row<J> b_;
};

template <>
class OuterSums<0> {
 public:
  OuterSums(std::size_t rank, Scratch& scratch)
      : rank_(rank), v_(scratch.take(rank * rank)), b_(rank, scratch) {}

  void clear() {
    std::fill_n(v_, rank_ * rank_, 0.0);
    b_.clear();
  }
  void add(double x, const Row<0>& d) {
    for (std::size_t j = 0; j < rank_; ++j)
      for (std::size_t t = 0; t < rank_; ++t) v_[j * rank_ + t] += d.v[j] * d.v[t];
    b_.add(x, d);
  }
  [[nodiscard]] double v(std::size_t j, std::size_t t) const { return v_[j * rank_ + t]; }
  [[nodiscard]] double b(std::size_t j) const { return b_[j]; }

 private:
  std::size_t rank_;
  double* v_;
  Row<0> b_;
};

}  // namespace vest::inline VEST_ISA
