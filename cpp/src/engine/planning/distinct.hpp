// Counting distinct combinations of coordinates, approximately and in linear time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vest/parallel.hpp"
#include "vest/sparse_tensor.hpp"

namespace vest {

using ModeSet = std::uint64_t;  ///< Bit n: mode n is in the set.

[[nodiscard]] constexpr ModeSet bit(Mode n) { return ModeSet{1} << n; }

/// The hashes of all combinations of a set's coordinates, as bits that are set. Those of a share of
/// the entries become those of all by "or"; `entries` is how many there are in all.
using HashBits = std::vector<std::uint64_t>;
[[nodiscard]] HashBits hash_bits(const SparseTensor& x, ModeSet set, pos_t entries,
                                 const Team& team);
/// About how many distinct combinations these bits are of.
[[nodiscard]] double distinct_of(std::span<const std::uint64_t> bits, pos_t entries);
/// How many words they are.
[[nodiscard]] std::size_t hash_words();

/// For each set of modes, about how many distinct coordinate combinations the entries show:
/// linear counting on a bitmap of hashes, of a sample of the hash range where there are many
/// entries. Good to a few percent, which is all a cost model needs; the same on every run.
[[nodiscard]] std::vector<double> estimate_distinct(const SparseTensor& x,
                                                    std::span<const ModeSet> sets,
                                                    const Team& team);

}  // namespace vest
