// The paper's loops as it prints them: the yardstick of the tests' numbers and the benchmark's
// times.
//
// Written from the listings and lemmas, plain and slow: delta and B(alpha) are computed anew for
// every element and entry, core elements take their turns with a pass over the data each, and
// pruning sorts. A weight of an entry multiplies its terms in every sum. Two slips of the text are
// put right: the L1 rule for factors has the sign and grouping of its derivation, and a core
// element's responsibility has the square of its definition.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "vest/model.hpp"
#include "vest/penalty.hpp"
#include "vest/types.hpp"

namespace vest::literal {

/// The observed entries Omega: `coords` is entries x order, row by row. Without `weights` all
/// are 1.
struct Entries {
  std::vector<index_t> coords;
  std::vector<double> values;
  std::vector<pos_t> shape;
  std::vector<double> weights = {};

  [[nodiscard]] std::size_t order() const { return shape.size(); }
  [[nodiscard]] pos_t nnz() const { return static_cast<pos_t>(values.size()); }
  [[nodiscard]] const index_t* alpha(pos_t entry) const {
    return coords.data() + static_cast<std::size_t>(entry) * order();
  }
  [[nodiscard]] double x(pos_t entry) const { return values[static_cast<std::size_t>(entry)]; }
  [[nodiscard]] double w(pos_t entry) const {
    return weights.empty() ? 1.0 : weights[static_cast<std::size_t>(entry)];
  }
};

/// Omega_i of every row i of a mode: the entries that touch it.
inline std::vector<std::vector<pos_t>> entries_of_rows(const Entries& x, Mode n) {
  std::vector<std::vector<pos_t>> rows(static_cast<std::size_t>(x.shape[n]));
  for (pos_t e = 0; e < x.nnz(); ++e) rows[static_cast<std::size_t>(x.alpha(e)[n])].push_back(e);
  return rows;
}

/// All beta = (j_1..j_N) of the core in C order: |G| x N.
class CoreIndices {
 public:
  explicit CoreIndices(const TuckerModel& model)
      : order_(model.order()), count_(model.values(0).size()) {
    std::vector<index_t> j(order_, 0);
    for (std::size_t beta = 0; beta < count_; ++beta) {
      all_.insert(all_.end(), j.begin(), j.end());
      for (Mode n = order_; n-- > 0 && ++j[n] == model.ranks()[n];) j[n] = 0;
    }
  }
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] const index_t* operator[](std::size_t beta) const {
    return all_.data() + beta * order_;
  }

 private:
  std::size_t order_, count_;
  std::vector<index_t> all_;
};

/// Product of the elements a_{i_k j_k} over the modes k but `skip`; skip = N leaves none out.
inline double product(const TuckerModel& model, const index_t* i, const index_t* j, Mode skip) {
  double p = 1.0;
  for (Mode k = 0; k < model.order(); ++k)
    if (k != skip) p *= model.row(k, i[k])[j[k]];
  return p;
}

/// B(alpha), the entry-wise reconstruction.
inline double reconstruct(const TuckerModel& model, const CoreIndices& j, const index_t* alpha) {
  double sum = 0.0;
  for (std::size_t beta = 0; beta < j.count(); ++beta)
    sum += model.values(0)[beta] * product(model, alpha, j[beta], model.order());
  return sum;
}

/// B_{j_n = j}(alpha), the partial reconstruction: the terms of B(alpha) that hold a_{i_n j}.
inline double partial_reconstruct(const TuckerModel& model, const CoreIndices& j,
                                  const index_t* alpha, Mode n, std::size_t column) {
  double sum = 0.0;
  for (std::size_t beta = 0; beta < j.count(); ++beta)
    if (static_cast<std::size_t>(j[beta][n]) == column)
      sum += model.values(0)[beta] * product(model, alpha, j[beta], model.order());
  return sum;
}

/// The update rules' last line, given h = sum f (x - what the others predict) and v = sum f^2.
/// An element whose feature f is zero on every entry becomes 0.
inline double new_value(const Penalty& penalty, double lambda, double h, double v) {
  if (v == 0.0 || (penalty.nonnegative && h < 0.0)) return 0.0;
  if (penalty.kind == PenaltyKind::kFrobenius) return h / (v + lambda);
  const double g = -2.0 * h, d = 2.0 * v;
  if (g > lambda) return (lambda - g) / d;
  if (g < -lambda) return -(lambda + g) / d;
  return 0.0;
}

/// One row of the listing below: its unpruned elements in turn.
inline void update_row(const Entries& x, std::span<const pos_t> omega, Mode n, index_t i,
                       const Penalty& penalty, const CoreIndices& j, const TuckerModel& model,
                       double* a) {
  const std::size_t rank = model.rank(n);
  std::vector<double> delta(rank), v(rank);
  for (std::size_t jn = 0; jn < rank; ++jn) {
    if (!is_live(model.row_marks(n, i)[jn])) continue;
    double h = 0.0;
    std::ranges::fill(v, 0.0);
    for (const pos_t e : omega) {
      std::ranges::fill(delta, 0.0);
      for (std::size_t beta = 0; beta < j.count(); ++beta)
        delta[static_cast<std::size_t>(j[beta][n])] +=
            model.values(0)[beta] * product(model, x.alpha(e), j[beta], n);
      h += x.w(e) * x.x(e) * delta[jn];
      for (std::size_t t = 0; t < rank; ++t) v[t] += x.w(e) * delta[t] * delta[jn];
    }
    for (std::size_t t = 0; t < rank; ++t)
      if (t != jn) h -= v[t] * a[t];
    a[jn] = new_value(penalty, penalty.lambda_of(i), h, v[jn]);
  }
}

/// "Parallel Element-Wise Factor Matrix Update" for one mode: rows in parallel.
inline void update_factor(const Entries& x, Mode n, const Penalty& penalty, TuckerModel& model,
                          [[maybe_unused]] int threads) {
  const CoreIndices j(model);
  const auto rows = entries_of_rows(x, n);
  double* const a = model.edit(n + 1).data();
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (std::size_t i = 0; i < rows.size(); ++i)
    update_row(x, rows[i], n, static_cast<index_t>(i), penalty, j, model, a + i * model.rank(n));
}

/// The update rules for the core: elements in turn, each with a parallel pass over all entries.
inline void update_core(const Entries& x, const Penalty& penalty, TuckerModel& model,
                        [[maybe_unused]] int threads) {
  const CoreIndices j(model);
  for (std::size_t beta = 0; beta < j.count(); ++beta) {
    if (!is_live(model.marks(0)[beta])) continue;
    double h = 0.0, v = 0.0;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : h, v)
    for (pos_t e = 0; e < x.nnz(); ++e) {
      const double f = product(model, x.alpha(e), j[beta], model.order());
      const double others = reconstruct(model, j, x.alpha(e)) - model.values(0)[beta] * f;
      h += x.w(e) * (x.x(e) - others) * f;
      v += x.w(e) * f * f;
    }
    model.edit(0)[beta] = new_value(penalty, penalty.lambda, h, v);
  }
}

/// X_alpha - B(alpha) for every entry: the first loop of "Parallel Pruning".
inline std::vector<double> residuals(const Entries& x, const TuckerModel& model,
                                     [[maybe_unused]] int threads) {
  const CoreIndices j(model);
  std::vector<double> r(x.values.size());
#pragma omp parallel for schedule(static) num_threads(threads)
  for (pos_t e = 0; e < x.nnz(); ++e)
    r[static_cast<std::size_t>(e)] = x.x(e) - reconstruct(model, j, x.alpha(e));
  return r;
}

/// The sum of squared residuals.
inline double sum_of_squares(const Entries& x, std::span<const double> r) {
  double sum = 0.0;
  for (pos_t e = 0; e < x.nnz(); ++e)
    sum += x.w(e) * r[static_cast<std::size_t>(e)] * r[static_cast<std::size_t>(e)];
  return sum;
}

/// RE^2 ||X||^2.
inline double squared_error(const Entries& x, const TuckerModel& model, int threads) {
  return sum_of_squares(x, residuals(x, model, threads));
}

/// RE(G_beta)^2 ||X||^2 - RE^2 ||X||^2 for every core element, elements in parallel.
inline std::vector<double> core_responsibilities(const Entries& x, std::span<const double> r,
                                                 const TuckerModel& model,
                                                 [[maybe_unused]] int threads) {
  const CoreIndices j(model);
  const double now = sum_of_squares(x, r);
  std::vector<double> resp(j.count(), 0.0);
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (std::size_t beta = 0; beta < j.count(); ++beta) {
    if (!is_live(model.marks(0)[beta])) continue;
    double without = 0.0;
    for (pos_t e = 0; e < x.nnz(); ++e) {
      const double f = product(model, x.alpha(e), j[beta], model.order());
      const double left = r[static_cast<std::size_t>(e)] + model.values(0)[beta] * f;
      without += x.w(e) * left * left;
    }
    resp[beta] = without - now;
  }
  return resp;
}

/// RE(a_ij)^2 ||X||^2 - RE^2 ||X||^2 for every element of A(n). The listing's parallel loop runs
/// over the J_n elements of one row; here rows join it, to spare a start of the team per row.
inline std::vector<double> factor_responsibilities(const Entries& x, std::span<const double> r,
                                                   Mode n, const TuckerModel& model,
                                                   [[maybe_unused]] int threads) {
  const CoreIndices j(model);
  const auto rows = entries_of_rows(x, n);
  const std::size_t rank = model.rank(n);
  std::vector<double> resp(rows.size() * rank, 0.0);
#pragma omp parallel for collapse(2) schedule(dynamic) num_threads(threads)
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t jn = 0; jn < rank; ++jn) {
      if (!is_live(model.marks(n + 1)[i * rank + jn])) continue;
      double sum = 0.0;
      for (const pos_t e : rows[i]) {
        const double b = partial_reconstruct(model, j, x.alpha(e), n, jn);
        sum += x.w(e) * (2.0 * r[static_cast<std::size_t>(e)] + b) * b;
      }
      resp[i * rank + jn] = sum;
    }
  return resp;
}

/// "Part" 0 is the core, n + 1 is A(n); r are the residuals at the present state.
inline std::vector<double> responsibilities(const Entries& x, std::span<const double> r,
                                            std::size_t part, const TuckerModel& model,
                                            int threads) {
  return part == 0 ? core_responsibilities(x, r, model, threads)
                   : factor_responsibilities(x, r, part - 1, model, threads);
}

/// Positions of the `count` unpruned elements of least responsibility; ties to the lower one.
inline std::vector<std::size_t> least(std::span<const double> resp, std::span<const Mark> marks,
                                      pos_t count) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < marks.size(); ++i)
    if (marks[i] == Mark::kFree) order.push_back(i);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return resp[i]; });
  order.resize(std::min(order.size(), static_cast<std::size_t>(count)));
  return order;
}

/// "Parallel Pruning" with a count per part: judged at one state, then zeroed and marked.
inline void prune(const Entries& x, std::span<const pos_t> counts, TuckerModel& model,
                  int threads) {
  const std::vector<double> r = residuals(x, model, threads);
  std::vector<std::vector<std::size_t>> chosen;
  for (std::size_t part = 0; part < model.parts(); ++part)
    chosen.push_back(
        least(responsibilities(x, r, part, model, threads), model.marks(part), counts[part]));
  for (std::size_t part = 0; part < model.parts(); ++part) {
    std::ranges::replace(model.marks(part), Mark::kLastBatch, Mark::kPruned);
    for (const std::size_t i : chosen[part]) {
      model.edit(part)[i] = 0.0;
      model.marks(part)[i] = Mark::kLastBatch;
    }
  }
}

}  // namespace vest::literal
