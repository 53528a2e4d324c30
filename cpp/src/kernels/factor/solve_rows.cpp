// Rows solved for from V and b: the steps of the row update, repeated until each row has settled.
//
// Sweeps of steps find out which elements are zero and which signs the others have. Now and then a
// row leaps to the minimum for these zeros and signs, which is the solution of a linear system:
// where deltas are nearly alike, steps alone would take thousands of sweeps.
#include <algorithm>
#include <cmath>

#include "kernels/delta/component_list.hpp"
#include "kernels/factor/row_steps.hpp"
#include "kernels/kernels.hpp"
#include "vest/penalty.hpp"

namespace vest::inline VEST_ISA {
namespace {

constexpr int kSweepsPerLeap = 4;
constexpr double kSettled = 1e-9;    // change in a sweep, relative to the row's largest element
constexpr double kSingular = 1e-12;  // a pivot, relative to the diagonal element that it was
constexpr pos_t kRowsPerChunk = 64;

/// Solves the symmetric system of `size` equations by elimination, in place; false, with nothing
/// promised of x, if it is singular.
bool eliminate(std::size_t size, double* matrix, double* x, double* pivot_floor) {
  for (std::size_t j = 0; j < size; ++j) pivot_floor[j] = kSingular * matrix[j * size + j];
  for (std::size_t j = 0; j < size; ++j) {
    const double* top = matrix + j * size;
    if (!(top[j] > pivot_floor[j])) return false;
    for (std::size_t i = j + 1; i < size; ++i) {
      double* row = matrix + i * size;
      const double share = row[j] / top[j];
      for (std::size_t t = j; t < size; ++t) row[t] -= share * top[t];
      x[i] -= share * x[j];
    }
  }
  for (std::size_t j = size; j-- > 0;) {
    const double* top = matrix + j * size;
    for (std::size_t t = j + 1; t < size; ++t) x[j] -= top[t] * x[t];
    x[j] /= top[j];
  }
  return true;
}

template <class Step>
class RowSolver {
 public:
  /// Doubles of scratch.
  [[nodiscard]] static std::size_t scratch_size(std::size_t rank) {
    return 2 * rank * rank + 7 * rank;
  }

  RowSolver(const RowSystems& systems, Scratch& scratch)
      : systems_(systems),
        rank_(systems.rank),
        live_list_(rank_, scratch),
        moving_list_(rank_, scratch),
        sums_(scratch.take(rank_ * rank_ + rank_)),
        matrix_(scratch.take(rank_ * rank_)),
        best_(scratch.take(rank_)),
        pivot_floor_(scratch.take(rank_)),
        lambda_(scratch.take(rank_)),
        before_(scratch.take(rank_)) {}

  void solve(std::size_t row, double* a) {
    gather(row, a);
    for (int sweep = 1; sweep <= systems_.most_sweeps; ++sweep) {
      std::copy_n(a, rank_, before_);
      sweep_some([&](std::size_t j, double h, double v) { return Step{lambda_[j]}(h, v); }, live_,
                 sums_, a);
      const bool moved = has_moved(a);
      if (sweep % kSweepsPerLeap == 0) leap(a);
      if (!moved) return;
    }
  }

 private:
  /// V and b of the components that may move, b without what those that stay explain.
  void gather(std::size_t row, const double* a) {
    const double* v = systems_.v.data() + row * rank_ * rank_;
    const double* b = systems_.b.data() + row * rank_;
    const bool* free = systems_.free.data() + row * rank_;
    const double weight = systems_.row_weight.empty() ? 1.0 : systems_.row_weight[row];
    const auto moves = [&](std::size_t j) { return free[j] && v[j * rank_ + j] > 0.0; };
    live_ = live_list_.choose(moves);
    const std::size_t k = live_.size();
    for (std::size_t j = 0; j < k; ++j) {
      const double* v_row = v + live_[j] * rank_;
      for (std::size_t t = 0; t < k; ++t) sums_[j * k + t] = v_row[live_[t]];
      double& left = sums_[k * k + j] = b[live_[j]];
      for (std::size_t t = 0; t < rank_; ++t)
        if (!moves(t)) left -= v_row[t] * a[t];
    }
    for (std::size_t j = 0; j < rank_; ++j) lambda_[j] = weight * systems_.lambda[j];
  }

  [[nodiscard]] bool has_moved(const double* a) const {
    double change = 0.0;
    double largest = 0.0;
    for (std::size_t j = 0; j < rank_; ++j) {
      change = std::max(change, std::abs(a[j] - before_[j]));
      largest = std::max(largest, std::abs(a[j]));
    }
    return change > kSettled * largest;
  }

  /// Moves the row to the minimum among rows of the same zeros and signs, if the solution of the
  /// linear system is such a row. Without a jump of the slope at zero, any solution is the minimum.
  void leap(double* a) {
    const auto moving = moving_list_.choose([&](std::size_t i) {  // places among the live ones
      return i < live_.size() && (Step::kSmooth || a[live_[i]] != 0.0);
    });
    const std::size_t size = moving.size();
    const std::size_t k = live_.size();
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t j = live_[moving[i]];
      const Step step{lambda_[j]};
      for (std::size_t t = 0; t < size; ++t)
        matrix_[i * size + t] = sums_[moving[i] * k + moving[t]];
      matrix_[i * size + i] += step.curvature();
      best_[i] = sums_[k * k + moving[i]] - step.pull(a[j]);
    }
    if (!eliminate(size, matrix_, best_, pivot_floor_)) return;
    for (std::size_t i = 0; i < size; ++i) {
      const double now = a[live_[moving[i]]];
      if (!(Step::kSmooth ? std::isfinite(best_[i]) : best_[i] * now > 0.0)) return;
    }
    for (std::size_t i = 0; i < size; ++i) a[live_[moving[i]]] = best_[i];
  }

  const RowSystems& systems_;
  std::size_t rank_;
  ComponentList live_list_, moving_list_;
  std::span<const std::size_t> live_;
  double* sums_;         // V and b of the live components.
  double* matrix_;       // The linear system of a leap.
  double* best_;         // Its right side, then its solution.
  double* pivot_floor_;  // What its pivots must exceed.
  double* lambda_;       // What each element of the row pays.
  double* before_;       // The row as it was before a sweep.
};

}  // namespace

void solve_rows(const RowSystems& systems, const Team& team, std::span<double> rows) {
  const Cut cut{systems.rows(), kRowsPerChunk};
  with_step({systems.kind, 0.0, systems.nonnegative}, [&]<class Step>(const Step&) {
    const std::size_t size = RowSolver<Step>::scratch_size(systems.rank);
    Unfilled memory(size, static_cast<std::size_t>(team.threads()));
    team.for_chunks(
        cut.count(),
        [&](pos_t chunk, int thread) {
          Scratch scratch({memory.column(static_cast<std::size_t>(thread)), size});
          RowSolver<Step> solver(systems, scratch);
          for (pos_t row = cut.begin(chunk); row < cut.end(chunk); ++row) {
            const auto i = static_cast<std::size_t>(row);
            solver.solve(i, rows.data() + i * systems.rank);
          }
        },
        worthwhile_chunks(static_cast<double>(kRowsPerChunk) *
                          static_cast<double>(kSweepsPerLeap * systems.v.size()) /
                          static_cast<double>(std::max<pos_t>(1, systems.rows()))));
  });
}

}  // namespace vest::inline VEST_ISA
