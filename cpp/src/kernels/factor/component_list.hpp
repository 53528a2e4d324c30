// The few components of a row that pruning has left: rows that have few are summed over those
// alone.
#pragma once

#include <cstddef>
#include <span>

#include "workspace/workspace.hpp"

namespace vest::inline VEST_ISA {

/// The components of a row for which keep(j) holds, in order.
class Kept {
 public:
  Kept(std::size_t rank, Scratch& scratch)
      : index_(reinterpret_cast<std::size_t*>(scratch.take(rank))), rank_(rank) {
    static_assert(sizeof(std::size_t) <= sizeof(double));
  }
  template <class Keep>
  std::span<const std::size_t> choose(Keep&& keep) {
    std::size_t count = 0;
    for (std::size_t j = 0; j < rank_; ++j) {
      index_[count] = j;
      count += keep(j) ? 1 : 0;
    }
    return {index_, count};
  }

 private:
  std::size_t* index_;
  std::size_t rank_;
};

/// Whether a row with so few kept components is worth a loop over those alone: the registers of a
/// fixed rank hold all of them about as fast as a general loop does a third.
[[nodiscard]] constexpr bool few_kept(std::size_t kept, std::size_t rank) {
  return 3 * kept <= rank;
}

/// Calls body.template operator()<K>() with K the number of kept components if that is 1 or 2,
/// else 0: in rows pruned to the bone most have one.
template <class Body>
void with_few(std::size_t kept, Body&& body) {
  if (kept == 1)
    body.template operator()<1>();
  else if (kept == 2)
    body.template operator()<2>();
  else
    body.template operator()<0>();
}

}  // namespace vest::inline VEST_ISA
