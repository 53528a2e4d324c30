// How much memory a fit takes, told before anything is allocated.
#pragma once

#include <span>

#include "vest/types.hpp"

namespace vest {

/// Bytes, as the sizes alone tell; how often tuples repeat is not known yet, so the plan's and the
/// tables' are close bounds rather than exact.
struct MemoryEstimate {
  double tensor = 0.0;     ///< The coordinates, values and weights themselves.
  double model = 0.0;      ///< Core, factors and marks.
  double plan = 0.0;       ///< The entries once more for each mode.
  double sorting = 0.0;    ///< While the plan is made,
  double workspace = 0.0;  ///< and afterwards: tables, sums, responsibilities.

  [[nodiscard]] double peak() const;
};

[[nodiscard]] MemoryEstimate estimate_memory(std::span<const pos_t> shape, pos_t entries,
                                             std::span<const index_t> ranks, int threads,
                                             Allocation allocation = Allocation::kPerPart,
                                             bool weighted = false);

}  // namespace vest
