// The two losses, each as the minimiser of one coordinate with all others fixed.
//
// Both update rules of the paper, for a factor element and for a core element, are the same rule:
// with f the element's feature (delta, or the product of factor elements), v = sum f^2 and
// h = sum f (x - what the other elements predict), the new value depends on h, v and lambda alone.
// An element whose feature is zero on every entry says nothing and becomes 0.
#pragma once

namespace vest {

enum class Loss { kFrobenius, kL1 };

/// L_F: squared penalty. The paper's rule for factors and core: h / (v + lambda).
struct FrobeniusStep {
  double lambda;
  [[nodiscard]] double operator()(double h, double v) const {
    return v > 0.0 ? h / (v + lambda) : 0.0;
  }
};

/// L1: absolute penalty. The paper's three cases with g = -2h and d = 2v. For factors the printed
/// g lacks the minus sign and the grouping of its own derivation; this is the derived one, which
/// is also what the paper prints for the core.
struct L1Step {
  double lambda;
  [[nodiscard]] double operator()(double h, double v) const {
    const double g = -2.0 * h;
    const double d = 2.0 * v;
    if (v > 0.0 && g > lambda) return (lambda - g) / d;
    if (v > 0.0 && g < -lambda) return -(lambda + g) / d;
    return 0.0;
  }
};

/// Calls body(step) with the step of the chosen loss: one decision per kernel, none per element.
template <class Body>
void with_step(Loss loss, double lambda, Body&& body) {
  if (loss == Loss::kFrobenius)
    body(FrobeniusStep{lambda});
  else
    body(L1Step{lambda});
}

}  // namespace vest
