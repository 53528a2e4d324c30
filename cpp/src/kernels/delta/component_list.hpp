// The few components of a row that pruning has left: rows that have few are summed over those
// alone.
#pragma once

#include <cstddef>
#include <span>

#include "workspace/workspace.hpp"

namespace vest::inline VEST_ISA {

/// Lists the components of a row for which a condition holds, in order.
class ComponentList {
 public:
  ComponentList(std::size_t rank, Scratch& scratch)
      : index_(reinterpret_cast<std::size_t*>(scratch.take(rank))), rank_(rank) {
    static_assert(sizeof(std::size_t) <= sizeof(double));
  }
  template <class Holds>
  std::span<const std::size_t> choose(Holds&& holds) {
    std::size_t count = 0;
    for (std::size_t j = 0; j < rank_; ++j) {
      index_[count] = j;
      count += holds(j) ? 1 : 0;
    }
    return {index_, count};
  }

 private:
  std::size_t* index_;
  std::size_t rank_;
};

/// Whether a row of which `count` components are left is worth a loop over those alone: with a
/// fixed rank, all components in registers take about as long as a general loop over a third.
[[nodiscard]] constexpr bool are_few(std::size_t count, std::size_t rank) {
  return 3 * count <= rank;
}

/// Calls body.template operator()<K>() with K = count if that is 1 or 2, else with K = 0: where
/// much is pruned, most rows have one component left.
template <class Body>
void with_few(std::size_t count, Body&& body) {
  if (count == 1)
    body.template operator()<1>();
  else if (count == 2)
    body.template operator()<2>();
  else
    body.template operator()<0>();
}

}  // namespace vest::inline VEST_ISA
