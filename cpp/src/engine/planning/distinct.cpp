// Linear counting: the share of bits that stay clear tells how many different hashes fell.
#include "engine/planning/distinct.hpp"

#include <bit>
#include <cmath>

namespace vest {
namespace {

constexpr int kBitmapBits = 20;
constexpr pos_t kFewEntries = pos_t{1} << 18;  // up to here every hash is kept

/// A mixer in the manner of splitmix64: every input bit reaches every output bit.
constexpr std::uint64_t mix(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

/// One hash in 2^sampling is kept, so that the bitmap never fills up.
int sampling_of(pos_t entries) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(entries / kFewEntries)));
}

}  // namespace

std::size_t hash_words() { return (std::size_t{1} << kBitmapBits) / 64; }

HashBits hash_bits(const SparseTensor& x, ModeSet set, pos_t entries, const Team& team) {
  std::vector<Mode> modes;
  for (Mode n = 0; n < x.order(); ++n)
    if (set & bit(n)) modes.push_back(n);
  const int sampling = sampling_of(entries);
  HashBits bitmap(hash_words(), 0);
  for (pos_t entry = 0; entry < x.nnz(); ++entry) {
    if (entry % pos_t{kEntriesPerLook} == 0) team.checkpoint();
    std::uint64_t hash = 0;
    for (const Mode n : modes) hash = mix(hash ^ static_cast<std::uint64_t>(x.coord(entry, n)));
    if (sampling != 0 && (hash >> (64 - sampling)) != 0) continue;
    const std::uint64_t slot = hash & ((std::uint64_t{1} << kBitmapBits) - 1);
    bitmap[slot / 64] |= std::uint64_t{1} << (slot % 64);
  }
  return bitmap;
}

double distinct_of(std::span<const std::uint64_t> bits, pos_t entries) {
  double filled = 0.0;
  for (const std::uint64_t word : bits) filled += std::popcount(word);
  const double size = std::ldexp(1.0, kBitmapBits);
  return -size * std::log1p(-filled / size) * std::ldexp(1.0, sampling_of(entries));
}

std::vector<double> estimate_distinct(const SparseTensor& x, std::span<const ModeSet> sets,
                                      const Team& team) {
  std::vector<double> counts(sets.size());
  team.for_chunks(
      static_cast<pos_t>(sets.size()),
      [&](pos_t i, int) {
        const auto at = static_cast<std::size_t>(i);
        counts[at] = distinct_of(hash_bits(x, sets[at], x.nnz(), team), x.nnz());
      },
      worthwhile_chunks(4.0 * static_cast<double>(x.nnz())));
  return counts;
}

}  // namespace vest
