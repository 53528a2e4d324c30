// How much memory a fit takes, told before anything is allocated.
#pragma once

#include <span>

#include "vest/types.hpp"

namespace vest {

/// Bytes, as the sizes alone tell; how often tuples repeat is not known yet, so the plan's and the
/// tables' are close bounds rather than exact.
struct MemoryEstimate {
  double tensor = 0.0;     ///< The coordinates, values and weights themselves.
  double model = 0.0;      ///< Core, factors and marks, and variances if there are any.
  double plan = 0.0;       ///< The entries once more for each mode.
  double sorting = 0.0;    ///< While the plan is made,
  double workspace = 0.0;  ///< and afterwards: tables, sums, responsibilities.

  [[nodiscard]] double peak() const;
};

/// What a fit has that others have not: a variance for each element; a core that is read by its
/// non-zero elements; a weight for each entry.
struct MemoryNeeds {
  bool noise = false;
  bool sparse_core = false;
  bool weighted = false;
};

[[nodiscard]] MemoryEstimate estimate_memory(std::span<const pos_t> shape, pos_t entries,
                                             std::span<const index_t> ranks, int threads,
                                             Allocation allocation = Allocation::kPerPart,
                                             MemoryNeeds needs = {});

}  // namespace vest
