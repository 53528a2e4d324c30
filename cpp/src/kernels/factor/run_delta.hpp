// delta of one entry from the core's non-zero elements (workspace/core_runs.hpp), and its variance.
//
// An entry costs what the non-zero elements cost, however large the core is.
#pragma once

#include <algorithm>
#include <cstddef>

#include "kernels/factor/tuple_tables.hpp"
#include "kernels/vectors/lanes.hpp"
#include "workspace/scratch.hpp"

namespace vest::inline VEST_ISA {

/// sum_i g[i] u[i], and sum_i g[i] u[i] v[i], four at a time.
inline double dot_of(const double* g, const double* u, std::size_t size) {
  Lanes<4>::Vector sum{};
  std::size_t i = 0;
  for (; i + 4 <= size; i += 4) {
    const Lanes<4>::Vector a = vector_at<4>(g + i);
    sum += a * vector_at<4>(u + i);
  }
  double total = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  for (; i < size; ++i) total += g[i] * u[i];
  return total;
}
inline double dot_of(const double* g, const double* u, const double* v, std::size_t size) {
  Lanes<4>::Vector sum{};
  std::size_t i = 0;
  for (; i + 4 <= size; i += 4) {
    const Lanes<4>::Vector a = vector_at<4>(g + i);
    const Lanes<4>::Vector b = vector_at<4>(u + i);
    sum += a * b * vector_at<4>(v + i);
  }
  double total = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  for (; i < size; ++i) total += g[i] * u[i] * v[i];
  return total;
}

class RunDelta {
 public:
  /// Doubles of scratch.
  [[nodiscard]] static std::size_t scratch_size(std::size_t rank) { return 3 * padded(rank); }

  RunDelta(const DeltaSource& source, Scratch& scratch)
      : plan_(source.plan),
        model_(source.model),
        runs_(*source.runs),
        rank_(source.rank()),
        constant_(scratch.take(rank_)),
        delta_(scratch.take(rank_)),
        variance_(scratch.take(rank_)) {
    std::fill_n(constant_, rank_, 0.0);
    for (const CoreRun& run : runs_.runs)
      if (run.staying + run.moving == 0)
        for (std::uint32_t i = 0; i < run.length; ++i)
          constant_[run.target + (run.target_moves ? i : 0)] += runs_.values[run.first + i];
  }

  /// Computes delta of an entry, and of the same one its variance: of each product of the run,
  /// exact if its elements are independent. That products may share an element is left out.
  void find(pos_t entry) {
    find_rows(entry);
    std::copy_n(constant_, rank_, delta_);
    for (const CoreRun& run : runs_.runs)
      if (run.staying + run.moving > 0) add(run);
  }
  void find_variance() {
    std::fill_n(variance_, rank_, 0.0);
    for (const CoreRun& run : runs_.runs)
      if (run.staying + run.moving > 0 && (run.target > 0 || run.target_moves || !plan_.ones))
        add_variance(run);
  }
  /// Multiplies delta by a factor, and its variance, if it was computed, by the square.
  template <bool kVariance>
  void scale(double factor) {
    for (std::size_t j = 0; j < rank_; ++j) delta_[j] *= factor;
    if constexpr (kVariance)
      for (std::size_t j = 0; j < rank_; ++j) variance_[j] *= factor * factor;
  }
  [[nodiscard]] const double* delta() const { return delta_; }
  [[nodiscard]] const double* variance() const { return variance_; }

 private:
  void find_rows(pos_t entry) {
    const auto e = static_cast<std::size_t>(entry);
    set_row(plan_.last, plan_.last_index[e]);
    const index_t& tuple = plan_.tuple[e];
    const auto coords = plan_.coords_of(tuple);
    for (std::size_t k = 0; k < coords.size(); ++k) set_row(plan_.tuple_modes[k], coords[k]);
  }
  void set_row(Mode n, index_t index) {
    index_[n] = index;
    row_[n] = model_.row(n, index);
  }

  [[nodiscard]] const RunFactor* factors(const CoreRun& run) const {
    return runs_.factors.data() + run.factors;
  }
  [[nodiscard]] const double* at(const RunFactor& factor) const {
    return row_[factor.mode] + factor.column;
  }
  [[nodiscard]] const double* variance_at(const RunFactor& factor) const {
    return model_.variance_row(factor.mode, index_[factor.mode]) + factor.column;
  }

  void add(const CoreRun& run) {
    const RunFactor* factor = factors(run);
    double staying = 1.0;
    for (std::uint32_t k = 0; k < run.staying; ++k) staying *= *at(*factor++);
    const double* const g = runs_.values.data() + run.first;
    double* const to = delta_ + run.target;
    const std::size_t length = run.length;
    if (run.moving == 1) {
      const double* const u = at(factor[0]);
      if (run.target_moves)
        for (std::size_t i = 0; i < length; ++i) to[i] += staying * (g[i] * u[i]);
      else
        *to += staying * dot_of(g, u, length);
    } else if (run.moving == 2 && !run.target_moves) {
      *to += staying * dot_of(g, at(factor[0]), at(factor[1]), length);
    } else {
      for (std::size_t i = 0; i < length; ++i) {
        double product = staying * g[i];
        for (std::uint32_t k = 0; k < run.moving; ++k) product *= at(factor[k])[i];
        to[run.target_moves ? i : 0] += product;
      }
    }
  }

  void add_variance(const CoreRun& run) {
    const RunFactor* factor = factors(run);
    double squares = 1.0;
    double moments = 1.0;
    for (std::uint32_t k = 0; k < run.staying; ++k, ++factor) {
      const double square = *at(*factor) * *at(*factor);
      squares *= square;
      moments *= square + *variance_at(*factor);
    }
    const double* const g = runs_.values.data() + run.first;
    double* const to = variance_ + run.target;
    const std::size_t length = run.length;
    if (run.staying == 0 && run.moving == 1 && run.target_moves) {
      const double* const s = variance_at(factor[0]);
      for (std::size_t i = 0; i < length; ++i) to[i] += g[i] * g[i] * s[i];
      return;
    }
    for (std::size_t i = 0; i < length; ++i) {
      double square = squares;
      double moment = moments;
      for (std::uint32_t k = 0; k < run.moving; ++k) {
        const double u = at(factor[k])[i];
        square *= u * u;
        moment *= u * u + variance_at(factor[k])[i];
      }
      to[run.target_moves ? i : 0] += g[i] * g[i] * (moment - square);
    }
  }

  const ModePlan& plan_;
  const TuckerModel& model_;
  const ModeRuns& runs_;
  std::size_t rank_;
  double* constant_;  // the part of delta that is the same for all entries
  double* delta_;
  double* variance_;
  const double* row_[kMaxOrder];
  index_t index_[kMaxOrder];
};

}  // namespace vest::inline VEST_ISA
