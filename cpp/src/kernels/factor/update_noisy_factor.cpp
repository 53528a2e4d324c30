// The row update when every element is known only as well as its entries allow.
//
// The steps are those of L_F with a penalty of its own for each element: what is not known of the
// rows that it is multiplied with, sum Var delta(j), and its prior. What comes out is a value and
// its variance: a = h / d and s = noise / d, with d = v + sum Var delta(j) + prior * noise.
#include "kernels/factor/update_noisy_factor.hpp"

#include <algorithm>

#include "kernels/delta/delta.hpp"
#include "kernels/factor/row_pass.hpp"
#include "kernels/factor/row_steps.hpp"
#include "kernels/factor/row_sums.hpp"
#include "vest/penalty.hpp"

namespace vest::inline VEST_ISA {
namespace {

/// The steps of a row's elements, and what becomes of rows without entries.
class NoisySteps {
 public:
  NoisySteps(const DeltaSource& source, const Penalty& penalty, double* rows, double* variances,
             EmptyRows& empty)
      : mode_(source.plan.mode),
        rank_(source.rank()),
        penalty_(penalty),
        model_(source.model),
        rows_(rows),
        variances_(variances),
        empty_(empty) {}

  [[nodiscard]] const Mark* marks(index_t row) const { return model_.row_marks(mode_, row); }
  [[nodiscard]] double* values(index_t row) const { return rows_ + at(row); }

  /// The new value of an element. Writes its variance: how sure it is.
  [[nodiscard]] double step(index_t row, std::size_t j, double h, double v, double own) const {
    const double denominator = v + own + penalty_.prior[j] * penalty_.noise;
    const double value = NoiseStep{denominator}(h, v);
    variances_[at(row) + j] = penalty_.noise / denominator;
    return penalty_.nonnegative ? std::max(0.0, value) : value;
  }
  void finished(index_t row) const { empty_.look_at(model_, mode_, row); }

  /// No entry touches the row: all that is known of it is the prior.
  void finish_untouched(index_t row) const {
    for (std::size_t j = 0; j < rank_; ++j) {
      if (marks(row)[j] == Mark::kFixed) continue;
      values(row)[j] = 0.0;
      variances_[at(row) + j] = is_live(marks(row)[j]) ? 1.0 / penalty_.prior[j] : 0.0;
    }
  }

 private:
  [[nodiscard]] std::size_t at(index_t row) const { return static_cast<std::size_t>(row) * rank_; }

  Mode mode_;
  std::size_t rank_;
  const Penalty& penalty_;
  const TuckerModel& model_;
  double* rows_;
  double* variances_;
  EmptyRows& empty_;
};

template <int J>
class NoisyRow {
 public:
  NoisyRow(const DeltaSource& source, const Penalty& penalty, double* rows, double* variances,
           EmptyRows& empty, Scratch& scratch)
      : steps_(source, penalty, rows, variances, empty),
        rank_(source.rank()),
        components_(rank_, scratch),
        deltas_(source, scratch),
        all_(rank_, scratch),
        own_(rank_, scratch),
        left_(all_, scratch) {}

  /// Sums over all components as OuterLayout has them, or over those that are not pruned alone: V
  /// in full, then b. Behind either, the sums of Var delta.
  std::size_t start(index_t row) {
    row_ = row;
    marks_ = steps_.marks(row);
    present_ = components_.choose([&](std::size_t j) { return !is_pruned(marks_[j]); });
    const std::size_t k = present_.size();
    return few() ? k * k + 2 * k : all_.layout().size() + padded(rank_);
  }

  void sum(pos_t begin, pos_t end, double* sums) {
    if (few())
      sum_present(begin, end, sums);
    else
      sum_all(begin, end, sums);
  }

  void finish(const double* sums) {
    if (few())
      step_present(sums, steps_.values(row_));
    else
      step_all(sums, steps_.values(row_));
    steps_.finished(row_);
  }

  void finish_untouched(index_t row) { steps_.finish_untouched(row); }

 private:
  [[nodiscard]] bool few() const { return are_few(present_.size(), rank_); }

  void sum_all(pos_t begin, pos_t end, double* sums) {
    OuterSums<J> all = all_;  // locals, so that they may live in registers
    Row<J> own = own_;
    all.clear();
    own.clear();
    deltas_.each_noisy(begin, end, [&](double x, const Row<J>& delta, const Row<J>& variance) {
      all.add(x, delta);
      own.add(variance);
    });
    all.store(sums);
    own.store_padded(sums + all.layout().size());
  }

  void sum_present(pos_t begin, pos_t end, double* sums) {
    const std::size_t k = present_.size();
    double* const b = sums + k * k;
    double* const own = b + k;
    std::fill_n(sums, k * k + 2 * k, 0.0);
    deltas_.each_of_noisy(present_, begin, end,
                          [&](double x, const double* delta, const double* variance) {
                            for (std::size_t j = 0; j < k; ++j) {
                              for (std::size_t t = 0; t < k; ++t)
                                sums[j * k + t] += delta[j] * delta[t];
                              b[j] += x * delta[j];
                              own[j] += variance[j];
                            }
                          });
  }

  void step_all(const double* sums, double* a) {
    const double* const own = sums + all_.layout().size();
    left_.start(sums, a);
    for (const std::size_t j : present_) {
      if (!is_live(marks_[j])) continue;
      const double* v = left_.row(sums, j);
      const double before = a[j];
      a[j] = steps_.step(row_, j, left_.rest[j] - left_.own[j] + v[j] * before, v[j], own[j]);
      left_.subtract(v, j, a[j] - before);
    }
  }

  void step_present(const double* sums, double* a) {
    const std::size_t k = present_.size();
    const double* const b = sums + k * k;
    for (std::size_t j = 0; j < k; ++j) {
      if (!is_live(marks_[present_[j]])) continue;
      const double* v = sums + j * k;
      double h = b[j];
      for (std::size_t t = 0; t < k; ++t)
        if (t != j) h -= v[t] * a[present_[t]];
      a[present_[j]] = steps_.step(row_, present_[j], h, v[j], b[k + j]);
    }
  }

  NoisySteps steps_;
  std::size_t rank_;
  ComponentList components_;
  Deltas<J> deltas_;
  OuterSums<J> all_;
  Row<J> own_;
  Left<J> left_;
  index_t row_ = 0;
  const Mark* marks_ = nullptr;
  std::span<const std::size_t> present_;
};

/// Where the core is read by its non-zero elements: sums and steps of the components that are not
/// pruned, packed together.
template <>
class NoisyRow<kByRuns> {
 public:
  NoisyRow(const DeltaSource& source, const Penalty& penalty, double* rows, double* variances,
           EmptyRows& empty, Scratch& scratch)
      : steps_(source, penalty, rows, variances, empty),
        sums_(source, scratch),
        left_(sums_.all(), scratch),
        packed_(source.rank(), scratch),
        own_(source.rank(), scratch) {}

  std::size_t start(index_t row) {
    row_ = row;
    marks_ = steps_.marks(row);
    const std::size_t size = sums_.start([&](std::size_t j) { return !is_pruned(marks_[j]); });
    return size + sums_.live().size();
  }

  void sum(pos_t begin, pos_t end, double* sums) {
    own_.clear();
    sums_.sum(begin, end, sums, [&](pos_t e) __attribute__((always_inline)) {
      sums_.deltas().add_variance(e, own_);
    });
    double* const own = sums + OuterLayout<kByRuns>(sums_.live().size()).size();
    for (std::size_t i = 0; i < sums_.live().size(); ++i) own[i] = own_[sums_.live()[i]];
  }

  void finish(const double* sums) {
    const std::span<const std::size_t> live = sums_.live();
    left_.resize(live.size());
    const double* const own = sums + left_.layout.size();
    packed_.with(live, steps_.values(row_), [&](std::span<const std::size_t> every, double* a) {
      left_.start(sums, a);
      for (const std::size_t i : every) {
        if (!is_live(marks_[live[i]])) continue;
        const double* v = left_.row(sums, i);
        const double before = a[i];
        a[i] =
            steps_.step(row_, live[i], left_.rest[i] - left_.own[i] + v[i] * before, v[i], own[i]);
        left_.subtract(v, i, a[i] - before);
      }
    });
    steps_.finished(row_);
  }

  void finish_untouched(index_t row) { steps_.finish_untouched(row); }

 private:
  NoisySteps steps_;
  RowSums<kByRuns> sums_;
  Left<kByRuns> left_;
  Packed packed_;
  Row<kByRuns> own_;
  index_t row_ = 0;
  const Mark* marks_ = nullptr;
};

}  // namespace

void update_noisy_factor(const ModePlan& plan, const Penalty& penalty, TuckerModel& model,
                         Workspace& ws) {
  const DeltaSource source = prepare_delta(plan, model, ws);
  double* const rows = model.edit(plan.mode + 1).data();
  double* const variances = model.variances(plan.mode + 1).data();
  with_shared_source(source, [&]<int J>() {
    for_row_sums(
        source, noisy_sums_size(source.rank(), J == kByRuns), ws,
        [&](Scratch& scratch) {
          return NoisyRow<J>(source, penalty, rows, variances, ws.empty, scratch);
        },
        [](pos_t, const NoisyRow<J>&) {});
  });
  ws.empty.looked_at(model, plan.mode);
}

}  // namespace vest::inline VEST_ISA
