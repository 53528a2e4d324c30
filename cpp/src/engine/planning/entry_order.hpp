// Stable sorting of entries by their coordinates: least significant digit first, linear time.
#pragma once

#include <bit>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "engine/radix.hpp"
#include "vest/big_vector.hpp"
#include "vest/parallel.hpp"
#include "vest/sparse_tensor.hpp"

namespace vest {

/// A permutation of the entries. Sort by the least significant mode first: each sort is stable.
/// Pos is 32-bit where the number of entries fits, to halve the memory it moves.
template <class Pos>
class EntryOrder {
 public:
  EntryOrder(const SparseTensor& x, const Team& team)
      : x_(x),
        team_(team),
        order_(static_cast<std::size_t>(x.nnz())),
        keys_(order_.size()),
        other_order_(order_.size()),
        other_keys_(order_.size()) {
    std::iota(order_.begin(), order_.end(), Pos{0});
  }

  [[nodiscard]] const BigVector<Pos>& order() const { return order_; }

  /// Memory that a sort of so many entries takes.
  [[nodiscard]] static double bytes(double entries) {
    return entries * 2.0 * (sizeof(Pos) + sizeof(std::uint32_t));
  }

  void sort_by(Mode n) {
    gather_keys(n);
    const auto bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(x_.dim(n) - 1)));
    const int passes = (bits + kDigitBits - 1) / kDigitBits;
    for (int pass = 0; pass < passes; ++pass)
      sort_by_digit(pass * bits / passes, (pass + 1) * bits / passes);
  }

 private:
  /// Bounds are checked again here: the arrays are borrowed, and a sort must never run wild.
  void gather_keys(Mode n) {
    const auto dim = static_cast<std::uint32_t>(x_.dim(n));
    for (std::size_t i = 0; i < order_.size(); ++i) {
      if (i % kEntriesPerLook == 0) team_.checkpoint();
      if (i + kAhead < order_.size()) x_.prefetch_coords(static_cast<pos_t>(order_[i + kAhead]));
      keys_[i] = static_cast<std::uint32_t>(x_.coord(static_cast<pos_t>(order_[i]), n));
      if (keys_[i] >= dim)
        throw CoordinateError("entry " + std::to_string(order_[i]) +
                              " changed after the tensor was made; do not write to its arrays");
    }
  }

  void sort_by_digit(int low, int high) {
    const std::uint32_t mask = (std::uint32_t{1} << (high - low)) - 1;
    std::vector<std::size_t> start((std::size_t{1} << (high - low)) + 1, 0);
    for (const std::uint32_t key : keys_) ++start[((key >> low) & mask) + 1];
    std::partial_sum(start.begin(), start.end(), start.begin());
    for (std::size_t i = 0; i < order_.size(); ++i) {
      if (i % kEntriesPerLook == 0) team_.checkpoint();
      const std::size_t to = start[(keys_[i] >> low) & mask]++;
      other_keys_[to] = keys_[i];
      other_order_[to] = order_[i];
    }
    keys_.swap(other_keys_);
    order_.swap(other_order_);
  }

  const SparseTensor& x_;
  const Team& team_;
  BigVector<Pos> order_;
  BigVector<std::uint32_t> keys_;
  BigVector<Pos> other_order_;
  BigVector<std::uint32_t> other_keys_;
};

/// Calls body(Pos{}) with the smallest position type that can number the entries.
template <class Body>
auto with_position_type(pos_t entries, Body&& body) {
  return entries <= pos_t{UINT32_MAX} ? body(std::uint32_t{}) : body(std::uint64_t{});
}

}  // namespace vest
