// Where the Gram matrix of the core's features stands in memory.
#pragma once

#include <cstddef>
#include <span>

#include "kernels/core/entry_tree.hpp"
#include "vest/model.hpp"
#include "workspace/workspace.hpp"

namespace vest::inline VEST_ISA {

/// How the Gram strategy lays out K, the inner products of all core features: a full
/// block x block matrix over the trailing modes for each set of pairs of the leading modes.
struct GramLayout {
  explicit GramLayout(std::span<const index_t> ranks);

  std::size_t leading = 0;     ///< How many modes lead.
  std::size_t lead_size = 1;   ///< The core elements of the leading modes.
  std::size_t lead_pairs = 1;  ///< Unordered pairs of those, mode by mode.
  std::size_t block = 1;       ///< Elements of the trailing modes.
  std::size_t stride = 1;      ///< The same padded to whole vectors.

  [[nodiscard]] std::size_t matrix() const { return block * stride; }
  [[nodiscard]] std::size_t size() const { return lead_pairs * matrix(); }
};

/// Spreads the pairs in ws.slots out: a full matrix over the trailing modes for each leading pair,
/// into ws.gram.matrix.
void spread_pairs(const GramLayout& layout, const Path& path, const TuckerModel& model,
                  Workspace& ws);

}  // namespace vest::inline VEST_ISA
