// The Gauss-Seidel steps that both ways to sweep the core share.
#pragma once

#include <algorithm>
#include <cstddef>

#include "vest/model.hpp"
#include "vest/penalty.hpp"
#include "vest/types.hpp"
#include "workspace/workspace.hpp"

namespace vest::inline VEST_ISA {

/// The step of each element of a block: the same for all,
template <class Step>
struct SameSteps {
  Step step;
  [[nodiscard]] double operator()(std::size_t, double h, double v) const { return step(h, v); }
  [[nodiscard]] SameSteps from(std::size_t) const { return *this; }
};
template <class Step>
SameSteps(Step) -> SameSteps<Step>;

/// or with a penalty of its own for each, whose sum with v is given.
struct NoiseSteps {
  const double* denominator;
  bool nonnegative;
  [[nodiscard]] double operator()(std::size_t i, double h, double v) const {
    const double value = NoiseStep{denominator[i]}(h, v);
    return nonnegative ? std::max(0.0, value) : value;
  }
  [[nodiscard]] NoiseSteps from(std::size_t i) const { return {denominator + i, nonnegative}; }
};

/// Calls body(steps) with the steps of all elements of the core. Their own penalties must have been
/// summed into the workspace if the penalty has them.
template <class Body>
void with_steps(const Penalty& penalty, const Workspace& ws, Body&& body) {
  if (penalty.kind == PenaltyKind::kNoise)
    body(NoiseSteps{ws.denominator.data(), penalty.nonnegative});
  else
    with_step(penalty, [&](const auto& step) { body(SameSteps{step}); });
}

/// Gauss-Seidel within a block: `gram` holds the inner products of its features, rows `stride`
/// apart, `left` their products with the residual at the block's present values. Both rules of the
/// paper for the core.
template <class Steps>
void sweep_block(const Steps& step, const double* gram, std::size_t size, std::size_t stride,
                 const Mark* marks, double* left, double* values) {
  for (std::size_t i = 0; i < size; ++i) {
    if (!is_live(marks[i])) continue;
    const double* row = gram + i * stride;
    const double before = values[i];
    values[i] = step(i, left[i] + row[i] * before, row[i]);
    const double change = values[i] - before;
    if (change == 0.0) continue;
    for (std::size_t k = 0; k < size; ++k) left[k] -= change * row[k];
  }
}

}  // namespace vest::inline VEST_ISA
