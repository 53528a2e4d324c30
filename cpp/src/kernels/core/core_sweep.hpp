// The two exact ways to sweep the core, and the Gauss-Seidel steps they share.
#pragma once

#include <cstddef>

#include "engine/workspace.hpp"
#include "kernels/core/entry_tree.hpp"
#include "vest/model.hpp"
#include "vest/penalty.hpp"
#include "vest/plan.hpp"

namespace vest::inline VEST_ISA {

/// How the Gram strategy lays out K, the inner products of all core features: a full
/// block x block matrix over the trailing modes for each set of pairs of the leading modes.
struct GramLayout {
  explicit GramLayout(const std::vector<index_t>& ranks);

  std::size_t leading = 0;     ///< How many modes lead.
  std::size_t lead_size = 1;   ///< Their core elements,
  std::size_t lead_pairs = 1;  ///< and unordered pairs of them, mode by mode.
  std::size_t block = 1;       ///< Elements of the trailing modes,
  std::size_t stride = 1;      ///< and the same padded to whole vectors.

  [[nodiscard]] std::size_t matrix() const { return block * stride; }
  [[nodiscard]] std::size_t size() const { return lead_pairs * matrix(); }
};

/// Spreads the pairs in ws.slots out: a full matrix over the trailing modes for each leading pair,
/// into ws.gram.
void spread_pairs(const GramLayout& layout, const Path& path, const TuckerModel& model,
                  Workspace& ws);

/// Sums all inner products in one pass, then sweeps without the data.
void sweep_by_gram(const Plan& plan, const Penalty& penalty, TuckerModel& model, Workspace& ws);

/// For the Gram strategy: the inner products of each core feature with itself, and with the
/// residual at the present state, in C order; the latter into ws.gradient.
void core_products(const Plan& plan, const TuckerModel& model, Workspace& ws,
                   std::span<double> squares);

/// One pass over the entries for each block of trailing modes.
void sweep_by_blocks(const Plan& plan, const Penalty& penalty, TuckerModel& model, Workspace& ws);

/// x - B(alpha) for every entry, in the core's entry order, into the workspace.
void fill_residuals(const Plan& plan, const TuckerModel& model, Workspace& ws);

/// Elements of a trailing block of `trailing` modes.
[[nodiscard]] std::size_t block_size(const std::vector<index_t>& ranks, std::size_t trailing);

/// Gauss-Seidel within a block: `gram` holds the inner products of its features, rows `stride`
/// apart, `left` their products with the residual at the block's present values. Both rules of the
/// paper for the core.
template <class Step>
void sweep_block(const Step& step, const double* gram, std::size_t size, std::size_t stride,
                 const Mark* marks, double* left, double* values) {
  for (std::size_t i = 0; i < size; ++i) {
    if (!is_live(marks[i])) continue;
    const double* row = gram + i * stride;
    const double before = values[i];
    values[i] = step(left[i] + row[i] * before, row[i]);
    const double change = values[i] - before;
    if (change == 0.0) continue;
    for (std::size_t k = 0; k < size; ++k) left[k] -= change * row[k];
  }
}

}  // namespace vest::inline VEST_ISA
