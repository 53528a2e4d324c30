// A tensor cut into shards, for the tests: each is made of its own entries alone.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "problem.hpp"
#include "vest/shard.hpp"

namespace vest::test {

/// Some of the entries, in the order of the whole.
inline literal::Entries taken(const literal::Entries& all, std::span<const pos_t> which) {
  literal::Entries some{{}, {}, all.shape};
  const std::size_t order = all.shape.size();
  for (const pos_t e : which) {
    const auto at = static_cast<std::size_t>(e);
    some.coords.insert(some.coords.end(), all.coords.begin() + static_cast<pos_t>(at * order),
                       all.coords.begin() + static_cast<pos_t>((at + 1) * order));
    some.values.push_back(all.values[at]);
    if (!all.weights.empty()) some.weights.push_back(all.weights[at]);
  }
  return some;
}

inline SparseTensor tensor_of(const literal::Entries& entries) {  // borrows
  return {entries.coords, entries.values, entries.shape, {}, entries.weights};
}

/// The outline of all entries, from what two halves of them count.
inline Plan outline_of(const literal::Entries& all, std::span<const index_t> ranks,
                       const PlanOverrides& overrides) {
  const pos_t entries = all.nnz();
  std::vector<std::uint64_t> counted;
  for (const bool late : {false, true}) {
    std::vector<pos_t> half(static_cast<std::size_t>(late ? entries - entries / 2 : entries / 2));
    std::iota(half.begin(), half.end(), late ? entries / 2 : 0);
    const literal::Entries some = taken(all, half);
    const auto own = count_share(tensor_of(some), entries, Team(2));
    if (counted.empty()) counted.resize(own.size());
    for (std::size_t i = 0; i < own.size(); ++i) counted[i] |= own[i];
  }
  std::vector<std::vector<std::uint32_t>> sizes;
  for (const pos_t dim : all.shape) sizes.emplace_back(static_cast<std::size_t>(dim));
  for (std::size_t i = 0; i < all.coords.size(); ++i)
    ++sizes[i % sizes.size()][static_cast<std::size_t>(all.coords[i])];
  const std::vector<std::span<const std::uint32_t>> spans(sizes.begin(), sizes.end());
  return make_outline(all.shape, entries, counted, spans, ranks, overrides);
}

/// The entries of the chunks [begin, end) of a mode.
inline literal::Entries share_of(const literal::Entries& all, const Plan& outline, Mode n,
                                 pos_t begin, pos_t end) {
  const ModePlan& mode = outline.modes[n];
  std::vector<Mode> path{n};
  path.insert(path.end(), mode.tuple_modes.begin(), mode.tuple_modes.end());
  path.push_back(mode.last);
  const auto coord = [&](pos_t e, Mode m) {
    return all.coords[static_cast<std::size_t>(e) * all.shape.size() + m];
  };
  std::vector<pos_t> order(static_cast<std::size_t>(all.nnz()));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](pos_t a, pos_t b) {
    for (const Mode m : path)
      if (coord(a, m) != coord(b, m)) return coord(a, m) < coord(b, m);
    return false;
  });
  std::vector<pos_t> mine(order.begin() + mode.chunks[static_cast<std::size_t>(begin)].begin,
                          order.begin() + mode.chunks[static_cast<std::size_t>(end - 1)].end);
  std::ranges::sort(mine);
  return taken(all, mine);
}

/// Where a mode is cut into about so many shards: at slots, of whatever mode.
inline std::vector<pos_t> cuts_of(const Plan& outline, Mode n, pos_t count) {
  const pos_t chunks = std::ssize(outline.modes[n].chunks);
  const pos_t step = n == outline.core.mode ? outline.core.chunks_per_slot : 1;
  const pos_t together = std::max<pos_t>(1, chunks / step / count) * step;
  std::vector<pos_t> cuts;
  for (pos_t at = 0; at < chunks; at += together) cuts.push_back(at);
  cuts.push_back(chunks);
  return cuts;
}

}  // namespace vest::test
