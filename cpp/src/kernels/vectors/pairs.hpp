// The pairwise products a_j a_k of a row, each pair once, in an order that vectors can make.
//
// A row of fixed rank is a few vectors of four. Products within one vector come first, vector by
// vector: its pairs in a fixed order, four at a time. Then products across vectors: the one times
// each element of the other. Other ranks have plain loops over the upper triangle.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "kernels/vectors/components.hpp"

namespace vest::inline VEST_ISA {

/// Position of the pair {j, k} in the upper triangle, row by row.
[[nodiscard]] constexpr std::size_t pair_index(std::size_t j, std::size_t k, std::size_t rank) {
  const std::size_t low = std::min(j, k);
  return low * rank - low * (low + 1) / 2 + std::max(j, k);
}

/// The pair at a position.
[[nodiscard]] constexpr std::pair<std::size_t, std::size_t> pair_of(std::size_t position,
                                                                    std::size_t rank) {
  std::size_t j = 0;
  for (; position >= rank - j; ++j) position -= rank - j;
  return {j, j + position};
}

/// Pairs within one vector of `lanes` elements: the first pair_count(lanes) of each list.
struct LanePairs {
  [[nodiscard]] static constexpr std::size_t vectors(std::size_t lanes) {
    return (pair_count(lanes) + 3) / 4;
  }
  // Of a shorter row only pairs of its own elements are used: each list holds them first.
  static constexpr std::size_t first[12] = {0, 1, 0, 2, 0, 1, 3, 0, 1, 2, 0, 0};
  static constexpr std::size_t second[12] = {0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 0, 0};
  [[nodiscard]] static constexpr std::size_t index(std::size_t j, std::size_t k) {
    std::size_t at = 0;
    while (first[at] != std::min(j, k) || second[at] != std::max(j, k)) ++at;
    return at;
  }
};

/// The layout of a row's pairs as `add_pairs` makes them.
class PairLayout {
 public:
  explicit constexpr PairLayout(std::size_t rank)
      : rank_(rank), fixed_(rank > 2 && rank <= static_cast<std::size_t>(kFixedRanks)) {}

  /// Doubles in all: a multiple of four, unless there is but one.
  [[nodiscard]] constexpr std::size_t size() const {
    if (!fixed_) return padded(pair_count(rank_));
    return across(vectors() - 1, vectors());
  }
  [[nodiscard]] constexpr std::size_t index(std::size_t j, std::size_t k) const {
    if (!fixed_) return pair_index(j, k, rank_);
    const std::size_t low = std::min(j, k);
    const std::size_t high = std::max(j, k);
    if (low / 4 == high / 4) return within(low / 4) + LanePairs::index(low % 4, high % 4);
    return across(low / 4, high / 4) + high % 4 * 4 + low % 4;
  }
  /// Where the products within a vector begin, and those of two vectors.
  [[nodiscard]] constexpr std::size_t within(std::size_t vector) const {
    std::size_t at = 0;
    for (std::size_t c = 0; c < vector; ++c) at += 4 * LanePairs::vectors(lanes(c));
    return at;
  }
  [[nodiscard]] constexpr std::size_t across(std::size_t low, std::size_t high) const {
    std::size_t at = within(vectors());
    for (std::size_t c = 0; c < vectors(); ++c)
      for (std::size_t d = c + 1; d < vectors(); ++d) {
        if (c == low && d == high) return at;
        at += 4 * lanes(d);
      }
    return at;
  }
  [[nodiscard]] constexpr std::size_t vectors() const { return (rank_ + 3) / 4; }
  [[nodiscard]] constexpr std::size_t lanes(std::size_t vector) const {
    return std::min<std::size_t>(4, rank_ - 4 * vector);
  }

 private:
  std::size_t rank_;
  bool fixed_;
};

/// sum += the four products `V`, of the elements of one vector.
template <std::size_t V>
[[gnu::always_inline]] inline void add_lane_pairs(const Lanes<4>::Vector& a, double* sum) {
  constexpr const std::size_t* f = LanePairs::first + 4 * V;
  constexpr const std::size_t* s = LanePairs::second + 4 * V;
  const Lanes<4>::Vector left{a[f[0]], a[f[1]], a[f[2]], a[f[3]]};
  const Lanes<4>::Vector right{a[s[0]], a[s[1]], a[s[2]], a[s[3]]};
  vector_at<4>(sum + 4 * V) += left * right;
}

/// sum += all pairwise products of a row.
template <int J>
[[gnu::always_inline]] inline void add_pairs(const Row<J>& a, double* sum) {
  if constexpr (J > 2) {
    const PairLayout layout(a.size());
    double* across = sum + layout.within(Row<J>::kCount);
    for (std::size_t c = 0; c < Row<J>::kCount; ++c) {
      const std::size_t vectors = LanePairs::vectors(layout.lanes(c));
      add_lane_pairs<0>(a.v[c], sum);
      if (vectors > 1) add_lane_pairs<1>(a.v[c], sum);
      if (vectors > 2) add_lane_pairs<2>(a.v[c], sum);
      sum += 4 * vectors;
      for (std::size_t d = c + 1; d < Row<J>::kCount; ++d)
        for (std::size_t l = 0; l < 4 && l < layout.lanes(d); ++l, across += 4)
          vector_at<4>(across) += a.v[d][l] * a.v[c];
    }
  } else {
    for (std::size_t j = 0; j < a.size(); ++j)
      for (std::size_t k = j; k < a.size(); ++k) *sum++ += a[j] * a[k];
  }
}

}  // namespace vest::inline VEST_ISA
