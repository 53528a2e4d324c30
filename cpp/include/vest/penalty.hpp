// The two penalties on elements, each as the minimiser of one coordinate with all others fixed. The
// paper calls the kind of a penalty the loss.
//
// Both update rules of the paper, for a factor element and for a core element, are the same rule:
// with f the element's feature (delta, or the product of factor elements), v = sum f^2 and
// h = sum f (x - what the other elements predict), the new value depends on h, v and lambda alone.
// An element whose feature is zero on every entry says nothing and becomes 0.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <stdexcept>

#include "vest/types.hpp"

namespace vest {

/// kNoise: each element pays for what is not known of the elements that it is multiplied with, and
/// for a Gaussian prior. The step is that of L_F with a penalty of its own for each element.
enum class PenaltyKind { kFrobenius, kL1, kNoise };

/// What the elements of one part pay.
struct Penalty {
  PenaltyKind kind = PenaltyKind::kL1;
  double lambda = 0.0;       ///< As it enters what is minimised.
  bool nonnegative = false;  ///< Whether elements below zero are forbidden.
  /// Of a factor: what lambda is multiplied with, row by row; empty stands for ones.
  std::span<const double> row_weight = {};
  /// kNoise: the precision of the prior of each column of a factor, or of the core; and the
  /// variance of the noise.
  std::span<const double> prior = {};
  double noise = 0.0;

  [[nodiscard]] double lambda_of(index_t row) const {
    return row_weight.empty() ? lambda : lambda * row_weight[static_cast<std::size_t>(row)];
  }
};

// Beside its step, a penalty tells what it adds to a linear system over elements that are not zero:
// half its slope at such an element a is curvature() a + pull(a).

/// L_F: squared penalty. The paper's rule for factors and core: h / (v + lambda).
struct FrobeniusStep {
  static constexpr bool kSmooth = true;  ///< Whether the slope has no jump at zero.
  double lambda;
  [[nodiscard]] double curvature() const { return lambda; }
  [[nodiscard]] double pull(double) const { return 0.0; }
  [[nodiscard]] double operator()(double h, double v) const {
    return v > 0.0 ? h / (v + lambda) : 0.0;
  }
};

/// L1: absolute penalty. The paper's three cases with g = -2h and d = 2v. For factors the printed
/// g lacks the minus sign and the grouping of its own derivation; this is the derived one, which
/// is also what the paper prints for the core.
struct L1Step {
  static constexpr bool kSmooth = false;
  double lambda;
  [[nodiscard]] double curvature() const { return 0.0; }
  [[nodiscard]] double pull(double a) const { return a > 0.0 ? 0.5 * lambda : -0.5 * lambda; }
  [[nodiscard]] double operator()(double h, double v) const {
    const double g = -2.0 * h;
    const double d = 2.0 * v;
    if (v > 0.0 && g > lambda) return (lambda - g) / d;
    if (v > 0.0 && g < -lambda) return -(lambda + g) / d;
    return 0.0;
  }
};

/// Either penalty where elements below zero are forbidden: along one coordinate it has a single
/// minimum, so the best that is allowed is the free minimiser or 0.
template <class Step>
struct NonNegative {
  static constexpr bool kSmooth = false;
  Step free;
  [[nodiscard]] double curvature() const { return free.curvature(); }
  [[nodiscard]] double pull(double a) const { return free.pull(a); }
  [[nodiscard]] double operator()(double h, double v) const { return std::max(0.0, free(h, v)); }
};

/// kNoise: h / (v + penalty), the sum of both given: an element's own penalty is summed with v.
struct NoiseStep {
  double denominator;
  [[nodiscard]] double operator()(double h, double v) const {
    return v > 0.0 ? h / denominator : 0.0;
  }
};

/// Calls body(step) with the step of the penalty: one decision per kernel, none per element. Throws
/// std::invalid_argument if no step is known for its kind.
template <class Body>
void with_step(const Penalty& penalty, Body&& body) {
  const auto with = [&]<class Step>(const Step& step) {
    if (penalty.nonnegative)
      body(NonNegative<Step>{step});
    else
      body(step);
  };
  switch (penalty.kind) {
    case PenaltyKind::kFrobenius:
      return with(FrobeniusStep{penalty.lambda});
    case PenaltyKind::kL1:
      return with(L1Step{penalty.lambda});
    case PenaltyKind::kNoise:
      break;  // its steps need an element's own penalty
  }
  throw std::invalid_argument("no step is known for this kind of penalty");
}

}  // namespace vest
