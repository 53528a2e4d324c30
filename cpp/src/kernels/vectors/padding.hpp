// How the components of a rank are padded in memory.
#pragma once

#include <cstddef>

#include "vest/types.hpp"

namespace vest::inline VEST_ISA {

/// The largest rank with kernels of its own.
inline constexpr int kFixedRanks = 12;

/// Doubles from one row of a table over a rank to the next: padded where J is fixed.
[[nodiscard]] constexpr std::size_t padded_rank(std::size_t rank) {
  if (rank <= 2 || rank > static_cast<std::size_t>(kFixedRanks)) return rank;
  return (rank + 3) / 4 * 4;
}

}  // namespace vest::inline VEST_ISA
