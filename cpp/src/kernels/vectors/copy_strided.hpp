// Copying an array to one with its axes in another order.
#pragma once

#include <cstddef>
#include <span>

#include "vest/types.hpp"

namespace vest::inline VEST_ISA {

/// Writes a dense array in C order with axes of `dims`, whose neighbours stand `strides` apart
/// in `in`.
inline void copy_strided(std::span<const double> in, std::span<const index_t> dims,
                         std::span<const std::size_t> strides, std::span<double> out) {
  index_t at[kMaxOrder] = {};
  std::size_t from = 0;
  for (double& element : out) {
    element = in[from];
    for (std::size_t k = dims.size(); k-- > 0;) {  // odometer over the axes as they are written
      from += strides[k];
      if (++at[k] < dims[k]) break;
      from -= strides[k] * static_cast<std::size_t>(dims[k]);
      at[k] = 0;
    }
  }
}

}  // namespace vest::inline VEST_ISA
