// Vectors of four doubles, in the registers that the processor has.
//
// With AVX a vector of four is one register, and the compiler's own kind of vector. Without it
// (SSE2, NEON) it is two registers of two doubles. Left to split vectors of four by itself, the
// compiler keeps them in memory. Each lane sees the same operations in the same order either way.
#pragma once

#include <cstddef>

#include "vest/types.hpp"

namespace vest::inline VEST_ISA {

#ifdef __AVX__
inline constexpr bool kWideRegisters = true;
#else
inline constexpr bool kWideRegisters = false;
#endif

/// The compiler's own vectors, and the same in memory: aligned as single doubles are, which is what
/// other code sees there.
template <std::size_t Width>
struct Native {
  typedef double Vector __attribute__((vector_size(Width * sizeof(double))));
  typedef double Loose
      __attribute__((vector_size(Width * sizeof(double)), aligned(sizeof(double)), may_alias));
};

/// Four doubles in two vectors of two, in registers.
struct Halves {
  Halves() = default;
  Halves(Native<2>::Vector first, Native<2>::Vector second) : low(first), high(second) {}
  Halves(double a, double b, double c, double d) : low{a, b}, high{c, d} {}

  [[nodiscard]] double operator[](std::size_t lane) const {
    return lane < 2 ? low[lane] : high[lane - 2];
  }
  Halves& operator+=(const Halves& other) { return *this = {low + other.low, high + other.high}; }

  Native<2>::Vector low{};
  Native<2>::Vector high{};
};

inline Halves operator*(double factor, const Halves& v) {
  return {factor * v.low, factor * v.high};
}
inline Halves operator*(const Halves& a, const Halves& b) {
  return {a.low * b.low, a.high * b.high};
}

/// The larger of two numbers, lane by lane; what is not a number is never the larger one.
inline Halves larger(const Halves& a, const Halves& b) {
  return {a.low > b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}

/// The same in memory.
struct LooseHalves {
  operator Halves() const { return {low, high}; }
  LooseHalves& operator=(const Halves& v) {
    low = v.low;
    high = v.high;
    return *this;
  }
  LooseHalves& operator+=(const Halves& v) { return *this = Halves{low + v.low, high + v.high}; }
  LooseHalves& operator-=(const Halves& v) { return *this = Halves{low - v.low, high - v.high}; }

  Native<2>::Loose low;
  Native<2>::Loose high;
};

#ifdef __clang__
/// The compiler's own vector in memory once more: clang takes a reference to a `Loose` for one to
/// memory that is aligned as a vector, but not a reference to a struct around it.
template <std::size_t Width>
struct [[gnu::may_alias]] LooseNative {
  using Vector = typename Native<Width>::Vector;
  operator Vector() const { return v; }
  LooseNative& operator=(const Vector& other) {
    v = other;
    return *this;
  }
  LooseNative& operator+=(const Vector& other) {
    v += other;
    return *this;
  }
  LooseNative& operator-=(const Vector& other) {
    v -= other;
    return *this;
  }
  friend Vector operator*(double factor, const LooseNative& loose) { return factor * loose.v; }
  friend Vector operator*(const Vector& a, const LooseNative& b) { return a * b.v; }

  typename Native<Width>::Loose v;
};
#endif

/// What so many doubles are kept in.
template <std::size_t Width>
struct Kind : Native<Width> {
#ifdef __clang__
  using Loose = LooseNative<Width>;
#endif
};
#ifndef __AVX__
template <>
struct Kind<4> {
  using Vector = Halves;
  using Loose = LooseHalves;
};
#else
[[gnu::always_inline]] inline Native<4>::Vector larger(const Native<4>::Vector& a,
                                                       const Native<4>::Vector& b) {
  return a > b ? a : b;
}
#endif

// Where the processor can multiply and add in one step, rounding once, the compiler decides whether
// a product and a sum become one: here so and there otherwise, as the code around them happens to
// be. Where its choice would change with that, these two say what is done.

/// A product that is rounded before it is added to anything.
template <class Vector>
[[gnu::always_inline]] inline Vector rounded(const Vector& product) {
#if defined(__FMA__) && defined(__has_builtin)
#if __has_builtin(__builtin_assoc_barrier)
  return __builtin_assoc_barrier(product);
#endif
#endif
  return product;
}

/// sum += a b, in one step if the processor can.
template <class Vector>
[[gnu::always_inline]] inline void add_product(Vector& sum, double a, const Vector& b) {
#if defined(__FMA__) && defined(__GNUC__) && !defined(__clang__)
  if constexpr (sizeof(Vector) == 4 * sizeof(double))
    sum = __builtin_ia32_vfmaddpd256(Vector{a, a, a, a}, b, sum);
  else if constexpr (sizeof(Vector) == 2 * sizeof(double))
    sum = __builtin_ia32_vfmaddpd(Vector{a, a}, b, sum);
  else
    sum[0] = __builtin_fma(a, b[0], sum[0]);
#else
  sum += a * b;
#endif
}

[[gnu::always_inline]] inline void add_product(double& sum, double a, double b) {
#ifdef __FMA__
  sum = __builtin_fma(a, b, sum);
#else
  sum += a * b;
#endif
}

/// Kernels of kShared + J serve all ranks of as many vectors as rank J has: where a kernel for each
/// rank would take long to compile and gain little.
inline constexpr int kShared = 64;

/// How a fixed rank is laid out in vectors.
template <int J>
struct Lanes {
  static constexpr std::size_t most = J > kShared ? J - kShared : J;  ///< The largest rank.
  static constexpr std::size_t width = most <= 2 ? most : 4;
  static constexpr std::size_t count = (most + width - 1) / width;
  static constexpr std::size_t padded = width * count;
  using Vector = typename Kind<width>::Vector;
  using Loose = typename Kind<width>::Loose;
};

/// Memory seen as a vector. By reference: returning a vector by value has another ABI
/// without AVX.
template <int J>
[[nodiscard]] inline const typename Lanes<J>::Loose& vector_at(const double* memory) {
  return *reinterpret_cast<const typename Lanes<J>::Loose*>(memory);
}
template <int J>
[[nodiscard]] inline typename Lanes<J>::Loose& vector_at(double* memory) {
  return *reinterpret_cast<typename Lanes<J>::Loose*>(memory);
}

}  // namespace vest::inline VEST_ISA
