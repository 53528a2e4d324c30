// Finding the elements of least responsibility by radix selection.
#include "engine/prune.hpp"

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>

#include "engine/radix.hpp"

namespace vest {
namespace {

constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;

using Histogram = std::array<pos_t, kDigits>;

/// Unsigned integers in the order of the doubles; -0 and 0 are the same key.
std::uint64_t ordered_key(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
  return (bits >> 63) != 0 ? ~bits : bits | (std::uint64_t{1} << 63);
}

/// Calls body(part, begin, end) for pieces of all parts, in parallel.
template <class Body>
void for_pieces(std::span<const Ranked> parts, const Team& team, Body&& body) {
  for (const Ranked& part : parts) {
    const Cut cut{std::ssize(part.marks), kElementsPerChunk};
    team.for_chunks(cut.count(), [&](pos_t chunk, int) {
      body(part, static_cast<std::size_t>(cut.begin(chunk)),
           static_cast<std::size_t>(cut.end(chunk)));
    });
  }
}

/// How many free elements whose known digits are `prefix` have each value of the next digit. Whole
/// numbers add up to the same in any order, so threads may add theirs when they are ready.
void count_digits(std::span<const Ranked> parts, std::uint64_t prefix, std::uint64_t known,
                  int shift, const Team& team, Histogram& total) {
  total.fill(0);
  for_pieces(parts, team, [&](const Ranked& part, std::size_t begin, std::size_t end) {
    Histogram counts{};
    for (std::size_t i = begin; i < end; ++i) {
      if (part.marks[i] != Mark::kFree) continue;
      const std::uint64_t key = ordered_key(part.responsibility[i]);
      if ((key & known) == prefix) ++counts[(key >> shift) & (kDigits - 1)];
    }
    for (std::size_t digit = 0; digit < kDigits; ++digit)
      if (counts[digit] != 0)
        std::atomic_ref(total[digit]).fetch_add(counts[digit], std::memory_order_relaxed);
  });
}

/// The key that divides those to be chosen from the rest.
struct Threshold {
  std::uint64_t key;
  bool inclusive;  ///< Whether elements of just this key are chosen all;
  pos_t ties;      ///< if not, how many of them: the first ones.

  [[nodiscard]] bool operator>(std::uint64_t other) const {
    return inclusive ? other <= key : other < key;
  }
};

/// The key of rank `count`: digit by digit, the bucket in which it falls.
Threshold find_threshold(std::span<const Ranked> parts, pos_t count, const Team& team) {
  Histogram bucket;
  std::uint64_t prefix = 0;
  std::uint64_t known = 0;  // mask of the digits decided so far
  pos_t wanted = count;     // how many of the elements with this prefix are taken
  for (int shift = 64 - kDigitBits; known != ~std::uint64_t{0};) {
    count_digits(parts, prefix, known, shift, team, bucket);
    std::size_t digit = 0;
    while (digit + 1 < kDigits && bucket[digit] < wanted) wanted -= bucket[digit++];
    prefix |= static_cast<std::uint64_t>(digit) << shift;  // digits may overlap: then they agree
    known |= static_cast<std::uint64_t>(kDigits - 1) << shift;
    if (bucket[digit] == wanted)  // all that share these digits: no need to tell them apart
      return {prefix | ~known, true, 0};
    shift = shift >= kDigitBits ? shift - kDigitBits : 0;
  }
  return {prefix, false, wanted};
}

}  // namespace

void mark_least(std::span<const Ranked> parts, pos_t count, const Team& team) {
  if (count <= 0) return;
  const Threshold threshold = find_threshold(parts, count, team);
  for_pieces(parts, team, [&](const Ranked& part, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (part.marks[i] == Mark::kFree && threshold > ordered_key(part.responsibility[i]))
        part.marks[i] = Mark::kChosen;
  });
  pos_t ties = threshold.ties;  // to the lower position: these are taken in order
  for (const Ranked& part : parts)
    for (std::size_t i = 0; i < part.marks.size() && ties > 0; ++i)
      if (part.marks[i] == Mark::kFree && ordered_key(part.responsibility[i]) == threshold.key) {
        part.marks[i] = Mark::kChosen;
        --ties;
      }
}

}  // namespace vest
