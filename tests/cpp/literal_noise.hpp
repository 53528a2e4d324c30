// Noise-aware updates as plain loops: elements with variances, the judge of their kernels. A weight
// of an entry multiplies its terms in every sum.
#pragma once

#include <vector>

#include "literal.hpp"

namespace vest::literal {

/// Which part of Var delta is counted: what is not known of the row of one mode, or all of each
/// product but the core, as if products were independent of each other.
struct Known {
  Mode last = 0;
  bool by_runs = false;
};

/// Var delta(column) of mode n at an entry.
inline double delta_variance(const TuckerModel& model, const CoreIndices& j, const index_t* alpha,
                             Mode n, std::size_t column, const Known& known) {
  double variance = 0.0;
  std::vector<double> slope(model.rank(known.last), 0.0);
  for (std::size_t beta = 0; beta < j.count(); ++beta) {
    if (static_cast<std::size_t>(j[beta][n]) != column) continue;
    double others = model.values(0)[beta];
    double squares = 1.0;
    double moments = 1.0;
    for (Mode k = 0; k < model.order(); ++k) {
      if (k == n) continue;
      const double a = model.row(k, alpha[k])[j[beta][k]];
      squares *= a * a;
      moments *= a * a + model.variance_row(k, alpha[k])[j[beta][k]];
      if (k != known.last) others *= a;
    }
    slope[static_cast<std::size_t>(j[beta][known.last])] += others;
    if (known.by_runs)
      variance += model.values(0)[beta] * model.values(0)[beta] * (moments - squares);
  }
  if (known.by_runs) return variance;
  for (std::size_t q = 0; q < slope.size(); ++q)
    variance += model.variance_row(known.last, alpha[known.last])[q] * slope[q] * slope[q];
  return variance;
}

/// The value and, beside it, the variance of an element with the sums h, v and sum Var f.
inline double noisy_value(const Penalty& penalty, double prior, double h, double v, double own,
                          double& variance) {
  const double denominator = v + own + prior * penalty.noise;
  variance = penalty.noise / denominator;
  return v == 0.0 || (penalty.nonnegative && h < 0.0) ? 0.0 : h / denominator;
}

inline void update_noisy_factor(const Entries& x, Mode n, const Penalty& penalty,
                                const Known& known, TuckerModel& model) {
  const CoreIndices j(model);
  const auto rows = entries_of_rows(x, n);
  const std::size_t rank = model.rank(n);
  const std::span<double> values = model.edit(n + 1);
  const std::span<double> variances = model.variances(n + 1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<double> v(rank * rank, 0.0), b(rank, 0.0), own(rank, 0.0), delta(rank);
    for (const pos_t e : rows[i]) {
      std::ranges::fill(delta, 0.0);
      for (std::size_t beta = 0; beta < j.count(); ++beta)
        delta[static_cast<std::size_t>(j[beta][n])] +=
            model.values(0)[beta] * product(model, x.alpha(e), j[beta], n);
      for (std::size_t p = 0; p < rank; ++p) {
        for (std::size_t q = 0; q < rank; ++q) v[p * rank + q] += x.w(e) * delta[p] * delta[q];
        b[p] += x.w(e) * x.x(e) * delta[p];
        own[p] += x.w(e) * delta_variance(model, j, x.alpha(e), n, p, known);
      }
    }
    double* const a = values.data() + i * rank;
    for (std::size_t p = 0; p < rank; ++p) {
      if (!is_live(model.marks(n + 1)[i * rank + p])) continue;
      double h = b[p];
      for (std::size_t q = 0; q < rank; ++q)
        if (q != p) h -= v[p * rank + q] * a[q];
      a[p] = noisy_value(penalty, penalty.prior[p], h, v[p * rank + p], own[p],
                         variances[i * rank + p]);
    }
  }
}

inline void update_noisy_core(const Entries& x, const Penalty& penalty, TuckerModel& model) {
  const CoreIndices j(model);
  const std::span<double> core = model.edit(0);
  for (std::size_t beta = 0; beta < j.count(); ++beta) {
    if (!is_live(model.marks(0)[beta])) continue;
    double h = 0.0, v = 0.0, moments = 0.0;
    for (pos_t e = 0; e < x.nnz(); ++e) {
      const double f = product(model, x.alpha(e), j[beta], model.order());
      const double others = reconstruct(model, j, x.alpha(e)) - core[beta] * f;
      double moment = 1.0;
      for (Mode k = 0; k < model.order(); ++k) {
        const double a = model.row(k, x.alpha(e)[k])[j[beta][k]];
        moment *= a * a + model.variance_row(k, x.alpha(e)[k])[j[beta][k]];
      }
      h += x.w(e) * (x.x(e) - others) * f;
      v += x.w(e) * f * f;
      moments += x.w(e) * moment;
    }
    core[beta] =
        noisy_value(penalty, penalty.prior[0], h, v, moments - v, model.variances(0)[beta]);
  }
}

}  // namespace vest::literal
