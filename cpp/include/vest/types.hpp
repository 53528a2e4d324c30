// The types every other file speaks in, and the errors the core can raise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

// Kernels are compiled once per instruction set, each time in an inline namespace of its own.
#ifndef VEST_ISA
#define VEST_ISA base
#endif

namespace vest {

using index_t = std::int32_t;  ///< A coordinate within one mode, or the number of a tuple.
using pos_t = std::int64_t;    ///< A position among entries, or among a matrix' elements.
using Mode = std::size_t;      ///< 0-based; the paper counts from 1.

/// The largest dimension of a mode, and the most distinct tuples a plan can number.
inline constexpr pos_t kMaxIndex = INT32_MAX;

/// The most modes a tensor may have: one bit each in a 64-bit set of modes.
inline constexpr std::size_t kMaxOrder = 64;

/// Who competes with whom for being kept: the elements of each part among themselves, as in the
/// paper, or all elements of the model in one ranking.
enum class Allocation { kPerPart, kGlobal };

/// A coordinate outside its mode; the message names the entry, the mode and the value.
struct CoordinateError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// A value that is NaN or infinite; the message names the entry and the value.
struct NonFiniteError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// A weight that is not positive and finite; the message names the entry and the weight.
struct WeightError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// The caller's stop check said so in the middle of a step; the model stays usable.
struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("interrupted") {}
};

/// a * b, or an error naming what was being sized: sizes never wrap.
[[nodiscard]] inline pos_t checked_product(pos_t a, pos_t b, const char* what) {
  pos_t product = 0;
  if (__builtin_mul_overflow(a, b, &product))
    throw std::length_error(std::string(what) + " has more elements than a 64-bit count can hold");
  return product;
}

/// How many entries ahead a loop that reads rows at random asks for them.
inline constexpr std::size_t kAhead = 16;

/// Asks for the memory of `size` bytes at `address`, which the loop will read soon. Inlined always:
/// GCC drops calls to a function that does nothing but prefetch.
[[gnu::always_inline]] inline void prefetch(const void* address, std::size_t size) {
  const char* bytes = static_cast<const char*>(address);
  __builtin_prefetch(bytes);
  __builtin_prefetch(bytes + size - 1);
}

}  // namespace vest
