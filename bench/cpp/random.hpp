// Random numbers that are the same everywhere: splitmix64, one state word.
#pragma once

#include <cstdint>

namespace vest::bench {

/// Mixes every input bit into every output bit.
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(mix(seed)) {}

  [[nodiscard]] std::uint64_t bits() { return mix(state_ += 0x9e3779b97f4a7c15U); }
  /// Uniform on [0, 1).
  [[nodiscard]] double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  /// Uniform on 0..n-1, for n far below 2^53.
  [[nodiscard]] std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(unit() * static_cast<double>(n));
  }

 private:
  std::uint64_t state_;
};

}  // namespace vest::bench
