// Sizes that the engine plans with and the kernels lay memory out by: each rule stands here once.
//
// Always inlined: the kernels are compiled for several processors and must share no function.
#pragma once

#include <cstddef>

namespace vest {

/// The largest rank with kernels of its own.
inline constexpr int kFixedRanks = 12;

/// Doubles for `size` numbers in whole vectors of four; one or two numbers stay as they are.
[[nodiscard]] [[gnu::always_inline]] constexpr std::size_t padded(std::size_t size) {
  return size <= 2 ? size : (size + 3) / 4 * 4;
}

/// Doubles from one row of a table over a rank to the next: padded where the rank has kernels of
/// its own.
[[nodiscard]] [[gnu::always_inline]] constexpr std::size_t padded_rank(std::size_t rank) {
  return rank <= static_cast<std::size_t>(kFixedRanks) ? padded(rank) : rank;
}

/// The same where rows of any rank are padded: in passes over a sparse core.
[[nodiscard]] [[gnu::always_inline]] constexpr std::size_t whole_vectors(std::size_t size) {
  return (size + 3) / 4 * 4;
}

/// Doubles of a table of J_last x J_n, one of which is made per tuple.
[[nodiscard]] [[gnu::always_inline]] constexpr std::size_t table_size(std::size_t last_rank,
                                                                      std::size_t rank) {
  return last_rank * padded_rank(rank);
}

/// How many different pairs {j, k} of components a rank has. In double where the product of many
/// could overflow.
template <class Number>
[[nodiscard]] [[gnu::always_inline]] constexpr Number pair_count(Number rank) {
  return rank * (rank + 1) / 2;
}

}  // namespace vest
