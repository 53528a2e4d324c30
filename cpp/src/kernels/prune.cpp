// Whom to prune: the elements of least responsibility, found by radix selection.
#include <array>
#include <bit>

#include "vest/kernels.hpp"

namespace vest {
namespace {

constexpr int kDigitBits = 11;
constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
constexpr std::size_t kPoll = std::size_t{1} << 20;

/// Unsigned integers in the order of the doubles; -0 and 0 are the same key.
std::uint64_t ordered_key(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
  return (bits >> 63) != 0 ? ~bits : bits | (std::uint64_t{1} << 63);
}

}  // namespace

void mark_least(std::span<const double> responsibility, pos_t count, const Team& team,
                std::span<Mark> marks) {
  if (count <= 0) return;
  // The key of rank `count`: digit by digit, the bucket in which it falls.
  std::uint64_t prefix = 0;
  std::uint64_t known = 0;  // mask of the digits decided so far
  pos_t wanted = count;     // how many of the elements with this prefix are taken
  for (int shift = 64 - kDigitBits; known != ~std::uint64_t{0};) {
    std::array<pos_t, kDigits> bucket{};
    for (std::size_t i = 0; i < marks.size(); ++i) {
      if (i % kPoll == 0) team.checkpoint();
      if (marks[i] != Mark::kFree) continue;
      const std::uint64_t key = ordered_key(responsibility[i]);
      if ((key & known) == prefix) ++bucket[(key >> shift) & (kDigits - 1)];
    }
    std::size_t digit = 0;
    while (digit + 1 < kDigits && bucket[digit] < wanted) wanted -= bucket[digit++];
    prefix |= static_cast<std::uint64_t>(digit) << shift;  // digits may overlap: then they agree
    known |= static_cast<std::uint64_t>(kDigits - 1) << shift;
    if (bucket[digit] == wanted) {  // all that share these digits: no need to tell them apart
      prefix |= ~known;
      break;
    }
    shift = shift >= kDigitBits ? shift - kDigitBits : 0;
  }
  // All below the key, and the first `wanted` that equal it: ties to the lower position.
  for (std::size_t i = 0; i < marks.size(); ++i) {
    if (marks[i] != Mark::kFree) continue;
    const std::uint64_t key = ordered_key(responsibility[i]);
    if (key < prefix || (key == prefix && wanted-- > 0)) marks[i] = Mark::kChosen;
  }
}

}  // namespace vest
