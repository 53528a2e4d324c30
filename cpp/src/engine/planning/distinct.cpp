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

double estimate(const SparseTensor& x, ModeSet set, const Team& team) {
  std::vector<Mode> modes;
  for (Mode n = 0; n < x.order(); ++n)
    if (set & bit(n)) modes.push_back(n);
  // Keep one hash in 2^sampling, so that the bitmap never fills up.
  const pos_t excess = x.nnz() / kFewEntries;
  const auto sampling = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(excess)));
  std::vector<std::uint64_t> bitmap((std::size_t{1} << kBitmapBits) / 64, 0);
  for (pos_t entry = 0; entry < x.nnz(); ++entry) {
    if (entry % pos_t{kEntriesPerLook} == 0) team.checkpoint();
    std::uint64_t hash = 0;
    for (const Mode n : modes) hash = mix(hash ^ static_cast<std::uint64_t>(x.coord(entry, n)));
    if (sampling != 0 && (hash >> (64 - sampling)) != 0) continue;
    const std::uint64_t slot = hash & ((std::uint64_t{1} << kBitmapBits) - 1);
    bitmap[slot / 64] |= std::uint64_t{1} << (slot % 64);
  }
  double filled = 0.0;
  for (const std::uint64_t word : bitmap) filled += std::popcount(word);
  const double bits = std::ldexp(1.0, kBitmapBits);
  return -bits * std::log1p(-filled / bits) * std::ldexp(1.0, sampling);
}

}  // namespace

std::vector<double> estimate_distinct(const SparseTensor& x, std::span<const ModeSet> sets,
                                      const Team& team) {
  std::vector<double> counts(sets.size());
  team.for_chunks(
      static_cast<pos_t>(sets.size()),
      [&](pos_t i, int) {
        const auto at = static_cast<std::size_t>(i);
        counts[at] = estimate(x, sets[at], team);
      },
      worthwhile_chunks(4.0 * static_cast<double>(x.nnz())));
  return counts;
}

}  // namespace vest
