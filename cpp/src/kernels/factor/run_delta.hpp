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

class RunDelta {
 public:
  /// Doubles of scratch.
  [[nodiscard]] static std::size_t scratch_size(std::size_t rank) {
    return 2 * whole_vectors(rank);
  }

  RunDelta(const DeltaSource& source, Scratch& scratch)
      : plan_(source.plan),
        runs_(*source.runs),
        stride_(whole_vectors(source.rank())),
        constant_(scratch.take(stride_)),
        rest_(reinterpret_cast<std::size_t*>(scratch.take(stride_))) {
    for (Mode n = 0; n < source.model.order(); ++n) {
      width_[n] = source.model.rank(n);
      values_[n] = source.model.values(n + 1).data();
      // Without variances nobody asks for them.
      variances_[n] =
          source.model.has_variances() ? source.model.variances(n + 1).data() : values_[n];
    }
    std::fill_n(constant_, stride_, 0.0);
    for (const CoreRun& run : runs_.of(RunKind::kConstant))
      for (std::uint32_t i = 0; i < run.length; ++i)
        constant_[run.target + (run.target_moves ? i : 0)] += runs_.values[run.first + i];
    const std::span<const CoreRun> scaled = runs_.of(RunKind::kScaled);
    for (std::size_t j = 0; j < stride_; ++j)
      if (scaled.empty() || j < scaled[0].target || j >= scaled[0].target + scaled[0].length)
        rest_[rests_++] = j;
  }

  /// Writes delta of an entry, and zeros behind it up to a whole vector.
  [[gnu::always_inline]] void operator()(pos_t entry, double* delta) {
    find_rows(entry);
    for (std::size_t k = 0; k < rests_; ++k) delta[rest_[k]] = constant_[rest_[k]];
    for_scaled([&]<std::size_t K>(const CoreRun* run) __attribute__((always_inline)) {
      const double* u[K];
      for (std::size_t k = 0; k < K; ++k) u[k] = at(*factors(run[k]));
      // What the first of a target writes is not read before: in other pieces it would be waited
      // for.
      const double* const from = begins_target(run) ? constant_ : delta;
      add_scaled<K, false>(run, u, from + run->target, delta + run->target);
    });
    Vector sum{};
    double rest = 0.0;
    for (const CoreRun& run : runs_.of(RunKind::kDot)) {
      const double* const g = values(run);
      const RunFactor* const factor = factors(run);
      const double* const u = at(factor[0]);
      if (run.moving == 1)
        add_dot(run.length, g, u, sum, rest);
      else if (run.unit)
        add_dot(run.length, u, at(factor[1]), sum, rest);
      else
        add_dot(run.length, g, u, at(factor[1]), sum, rest);
      if (!run.ends_target) continue;
      delta[run.target] += rest + ((sum[0] + sum[1]) + (sum[2] + sum[3]));
      sum = Vector{};
      rest = 0.0;
    }
    for (const CoreRun& run : runs_.of(RunKind::kSingle)) {
      const RunFactor* const factor = factors(run);
      double product = *values(run);
      for (std::uint32_t k = 0; k < run.staying; ++k) product *= *at(factor[k]);
      rest += product;
      if (!run.ends_target) continue;
      delta[run.target] += rest;
      rest = 0.0;
    }
    for (const CoreRun& run : runs_.of(RunKind::kOther)) add(run, delta);
  }

  /// Adds the variance of the same delta, to be asked for after it, to sums: of each product of the
  /// runs, exact if its elements are independent. That products may share an element is left out.
  /// The first column needs none where it is one in every factor.
  [[gnu::always_inline]] void add_variance(double* sums) {
    for_scaled([&]<std::size_t K>(const CoreRun* run) __attribute__((always_inline)) {
      const double* s[K];
      for (std::size_t k = 0; k < K; ++k) s[k] = variance_at(*factors(run[k]));
      add_scaled<K, true>(run, s, sums + run->target, sums + run->target);
    });
    for (const RunKind kind : {RunKind::kDot, RunKind::kSingle, RunKind::kOther})
      for (const CoreRun& run : runs_.of(kind))
        if (run.target > 0 || run.target_moves || !plan_.ones) add_variance_of(run, sums);
  }

  /// Writes the features of all non-zero elements of the core at an entry, in the order of the
  /// runs; `a` is the entry's row of the mode itself.
  void features(pos_t entry, const double* a, double* phi) {
    find_rows(entry);
    for (const CoreRun& run : runs_.runs) {
      const RunFactor* factor = factors(run);
      double staying = run.target_moves ? 1.0 : a[run.target];
      for (std::uint32_t k = 0; k < run.staying; ++k) staying *= *at(*factor++);
      double* const to = phi + run.first;
      const std::size_t size = run.length;
      if (run.moving == 1 && run.target_moves) {
        multiply(size, staying, at(factor[0]), a + run.target, to);
      } else if (run.moving == 2 && !run.target_moves) {
        multiply(size, staying, at(factor[0]), at(factor[1]), to);
      } else {
        std::fill_n(to, size, staying);
        for (std::uint32_t k = 0; k < run.moving; ++k)
          for (std::size_t i = 0; i < size; ++i) to[i] *= at(factor[k])[i];
        for (std::size_t i = 0; run.target_moves && i < size; ++i) to[i] *= a[run.target + i];
      }
    }
  }

 private:
  using Vector = Lanes<4>::Vector;

  /// to[i] = staying u[i] v[i].
  static void multiply(std::size_t size, double staying, const double* u, const double* v,
                       double* __restrict to) {
    for (std::size_t i = 0; i < size; ++i) to[i] = staying * u[i] * v[i];
  }

  /// Calls body.template operator()<K>(run) for K runs of the same target and length at a time.
  template <class Body>
  [[gnu::always_inline]] void for_scaled(Body&& body) const {
    const std::span<const CoreRun> all = runs_.of(RunKind::kScaled);
    const CoreRun* const end = all.data() + all.size();
    for (const CoreRun* run = all.data(); run < end;) {
      if (run->together >= 3) {
        body.template operator()<3>(run);
        run += 3;
      } else if (run->together == 2) {
        body.template operator()<2>(run);
        run += 2;
      } else {
        body.template operator()<1>(run);
        ++run;
      }
    }
  }

  /// Whether no run before this one, of those that are added together, has any of its targets.
  [[nodiscard]] bool begins_target(const CoreRun* run) const {
    return run == runs_.of(RunKind::kScaled).data();
  }

  /// to[i] = from[i] + sum_k g_k[i] u_k[i], or with the squares of g.
  template <std::size_t K, bool Squared>
  [[gnu::always_inline]] void add_scaled(const CoreRun* run, const double* const (&u)[K],
                                         const double* from, double* to) const {
    const std::size_t size = run->length;
    const double* g[K];
    bool unit = true;
    for (std::size_t k = 0; k < K; ++k) {
      g[k] = values(run[k]);
      unit = unit && run[k].unit;
    }
    std::size_t i = 0;
    if (unit) {
      for (; i + 4 <= size; i += 4) {
        Vector sum = vector_at<4>(from + i);
        for (std::size_t k = 0; k < K; ++k) sum += Vector(vector_at<4>(u[k] + i));
        vector_at<4>(to + i) = sum;
      }
    } else {
      for (; i + 4 <= size; i += 4) {
        Vector sum = vector_at<4>(from + i);
        for (std::size_t k = 0; k < K; ++k) {
          Vector a = vector_at<4>(g[k] + i);
          if (Squared) a = a * a;
          sum += a * vector_at<4>(u[k] + i);
        }
        vector_at<4>(to + i) = sum;
      }
    }
    for (; i < size; ++i) {
      double sum = from[i];
      for (std::size_t k = 0; k < K; ++k) sum += (Squared ? g[k][i] * g[k][i] : g[k][i]) * u[k][i];
      to[i] = sum;
    }
  }
  /// sum_i g[i] u[i], and sum_i g[i] u[i] v[i], four at a time and what is left.
  static void add_dot(std::size_t size, const double* g, const double* u, Vector& sum,
                      double& rest) {
    std::size_t i = 0;
    for (; i + 4 <= size; i += 4) {
      const Vector a = vector_at<4>(g + i);
      sum += a * vector_at<4>(u + i);
    }
    for (; i < size; ++i) rest += g[i] * u[i];
  }
  static void add_dot(std::size_t size, const double* g, const double* u, const double* v,
                      Vector& sum, double& rest) {
    std::size_t i = 0;
    for (; i + 4 <= size; i += 4) {
      const Vector a = vector_at<4>(g + i);
      const Vector b = a * vector_at<4>(u + i);
      sum += b * vector_at<4>(v + i);
    }
    for (; i < size; ++i) rest += g[i] * u[i] * v[i];
  }

  [[gnu::always_inline]] void find_rows(pos_t entry) {
    const auto e = static_cast<std::size_t>(entry);
    set_row(plan_.last, plan_.last_index[e]);
    const index_t& tuple = plan_.tuple[e];
    const auto coords = plan_.coords_of(tuple);
    for (std::size_t k = 0; k < coords.size(); ++k) set_row(plan_.tuple_modes[k], coords[k]);
  }
  [[gnu::always_inline]] void set_row(Mode n, index_t index) {
    const std::size_t row = static_cast<std::size_t>(index) * width_[n];
    row_[n] = values_[n] + row;
    variance_row_[n] = variances_[n] + row;
  }

  [[nodiscard]] const double* values(const CoreRun& run) const {
    return runs_.values.data() + run.first;
  }
  [[nodiscard]] const RunFactor* factors(const CoreRun& run) const {
    return runs_.factors.data() + run.factors;
  }
  [[nodiscard]] const double* at(const RunFactor& factor) const {
    return row_[factor.mode] + factor.column;
  }
  [[nodiscard]] const double* variance_at(const RunFactor& factor) const {
    return variance_row_[factor.mode] + factor.column;
  }

  /// A run of any shape.
  void add(const CoreRun& run, double* delta) const {
    const RunFactor* factor = factors(run);
    double staying = 1.0;
    for (std::uint32_t k = 0; k < run.staying; ++k) staying *= *at(*factor++);
    const double* const g = values(run);
    double* const to = delta + run.target;
    for (std::size_t i = 0; i < run.length; ++i) {
      double product = staying * g[i];
      for (std::uint32_t k = 0; k < run.moving; ++k) product *= at(factor[k])[i];
      to[run.target_moves ? i : 0] += product;
    }
  }

  void add_variance_of(const CoreRun& run, double* sums) const {
    const RunFactor* factor = factors(run);
    double squares = 1.0;
    double moments = 1.0;
    for (std::uint32_t k = 0; k < run.staying; ++k, ++factor) {
      const double square = *at(*factor) * *at(*factor);
      squares *= square;
      moments *= square + *variance_at(*factor);
    }
    const double* const g = values(run);
    double* const to = sums + run.target;
    for (std::size_t i = 0; i < run.length; ++i) {
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
  const ModeRuns& runs_;
  std::size_t stride_;
  double* constant_;   // the part of delta that is the same for all entries
  std::size_t* rest_;  // components that no scaled run writes first
  std::size_t rests_ = 0;
  const double* values_[kMaxOrder];
  const double* variances_[kMaxOrder];
  std::size_t width_[kMaxOrder];
  const double* row_[kMaxOrder];           // the entry's rows,
  const double* variance_row_[kMaxOrder];  // and theirs
};

}  // namespace vest::inline VEST_ISA
