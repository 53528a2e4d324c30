// Entries sorted by (row, tuple, last) as a tree of shared prefixes, and a walk through it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "vest/plan.hpp"

namespace vest::inline VEST_ISA {

/// Modes from the root of the entry tree to its leaves.
struct Path {
  explicit Path(const ModePlan& plan) : depth(plan.tuple_modes.size() + 2) {
    modes[0] = plan.mode;
    std::ranges::copy(plan.tuple_modes, modes + 1);
    modes[depth - 1] = plan.last;
  }
  Mode modes[kMaxOrder];
  std::size_t depth;
};

/// Walks the entries of neighbouring chunks: group(row, begin, end) for each run of entries that
/// share row and tuple, and ended(depth, index) when a node of the tree ends, deepest first. Nodes
/// cut by the ends of the range end there.
template <class Group, class Ended>
void walk_tree(const ModePlan& plan, std::span<const Chunk> chunks, Group&& group, Ended&& ended) {
  const index_t* tuples = plan.tuple.data();
  index_t row = -1;
  index_t tuple = -1;
  const auto end_nodes = [&](std::size_t from_depth) {
    const auto coords = plan.coords_of(tuple);
    for (std::size_t d = coords.size() + 1; d-- > from_depth;)
      ended(d, d == 0 ? row : coords[d - 1]);
  };
  for (const Chunk& chunk : chunks)
    plan.for_rows(chunk, [&](index_t at_row, pos_t begin, pos_t end) {
      for (pos_t next = begin; begin < end; begin = next) {
        const index_t at_tuple = tuples[begin];
        while (next < end && tuples[next] == at_tuple) ++next;
        if (at_row != row) {
          if (row >= 0) end_nodes(0);
        } else if (at_tuple != tuple) {
          const auto before = plan.coords_of(tuple);
          const auto now = plan.coords_of(at_tuple);
          std::size_t same = 0;
          while (before[same] == now[same]) ++same;
          end_nodes(same + 1);
        }
        row = at_row;
        tuple = at_tuple;
        group(row, begin, next);
      }
    });
  if (row >= 0) end_nodes(0);
}

}  // namespace vest::inline VEST_ISA
