// The Gauss-Seidel steps that both ways to sweep the core share.
#pragma once

#include <cstddef>

#include "vest/model.hpp"
#include "vest/types.hpp"

namespace vest::inline VEST_ISA {

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
