// The row update when every element is known only as well as its entries allow.
//
// The steps are those of L_F with a penalty of its own for each element: what is not known of the
// rows that it is multiplied with, sum Var delta(j), and its prior. What comes out is a value and
// its variance: a = h / d and s = noise / d, with d = v + sum Var delta(j) + prior * noise.
#include "kernels/factor/update_noisy_factor.hpp"

#include <algorithm>

#include "kernels/factor/delta.hpp"
#include "kernels/factor/row_pass.hpp"
#include "kernels/factor/row_steps.hpp"
#include "vest/penalty.hpp"

namespace vest::inline VEST_ISA {
namespace {

template <int J>
class NoisyRow {
 public:
  NoisyRow(const DeltaSource& source, const Penalty& penalty, double* rows, double* variances,
           EmptyRows& empty, Scratch& scratch)
      : mode_(source.plan.mode),
        rank_(source.rank()),
        penalty_(penalty),
        model_(source.model),
        rows_(rows),
        variances_(variances),
        empty_(empty),
        components_(rank_, scratch),
        deltas_(source, scratch),
        all_(rank_, scratch),
        own_(rank_, scratch),
        left_(all_, scratch) {}

  /// Sums over all components as OuterLayout has them, or over those that are not pruned alone: V
  /// in full, then b. Behind either, the sums of Var delta.
  std::size_t start(index_t row) {
    row_ = row;
    marks_ = model_.row_marks(mode_, row);
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
    double* const a = rows_ + at(row_);
    double* const s = variances_ + at(row_);
    if (few())
      step_present(sums, a, s);
    else
      step_all(sums, a, s);
    empty_.look_at(model_, mode_, row_);
  }

  /// No entry touches the row: all that is known of it is the prior.
  void finish_untouched(index_t row) {
    const Mark* const marks = model_.row_marks(mode_, row);
    for (std::size_t j = 0; j < rank_; ++j) {
      if (marks[j] == Mark::kFixed) continue;
      rows_[at(row) + j] = 0.0;
      variances_[at(row) + j] = is_live(marks[j]) ? 1.0 / penalty_.prior[j] : 0.0;
    }
  }

 private:
  [[nodiscard]] std::size_t at(index_t row) const { return static_cast<std::size_t>(row) * rank_; }
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

  /// One step: the element's value, and how sure it is.
  void step(std::size_t j, double h, double v, double own, double* a, double* s) const {
    const double denominator = v + own + penalty_.prior[j] * penalty_.noise;
    const double value = NoiseStep{denominator}(h, v);
    a[j] = penalty_.nonnegative ? std::max(0.0, value) : value;
    s[j] = penalty_.noise / denominator;
  }

  void step_all(const double* sums, double* a, double* s) {
    const double* const own = sums + all_.layout().size();
    left_.start(sums, a);
    for (const std::size_t j : present_) {
      if (!is_live(marks_[j])) continue;
      const double* v = left_.row(sums, j);
      const double before = a[j];
      step(j, left_.rest[j] - left_.own[j] + v[j] * before, v[j], own[j], a, s);
      left_.subtract(v, j, a[j] - before);
    }
  }

  void step_present(const double* sums, double* a, double* s) {
    const std::size_t k = present_.size();
    const double* const b = sums + k * k;
    for (std::size_t j = 0; j < k; ++j) {
      if (!is_live(marks_[present_[j]])) continue;
      const double* v = sums + j * k;
      double h = b[j];
      for (std::size_t t = 0; t < k; ++t)
        if (t != j) h -= v[t] * a[present_[t]];
      step(present_[j], h, v[j], b[k + j], a, s);
    }
  }

  Mode mode_;
  std::size_t rank_;
  const Penalty& penalty_;
  const TuckerModel& model_;
  double* rows_;
  double* variances_;
  EmptyRows& empty_;
  ComponentList components_;
  Deltas<J> deltas_;
  OuterSums<J> all_;
  Row<J> own_;
  Left<J> left_;
  index_t row_ = 0;
  const Mark* marks_ = nullptr;
  std::span<const std::size_t> present_;
};

}  // namespace

void update_noisy_factor(const ModePlan& plan, const Penalty& penalty, TuckerModel& model,
                         Workspace& ws) {
  const DeltaSource source = prepare_delta(plan, model, ws);
  double* const rows = model.edit(plan.mode + 1).data();
  double* const variances = model.variances(plan.mode + 1).data();
  with_source(source, [&]<int J>() {
    for_row_sums(
        source, noisy_sums_size(source.rank()), ws,
        [&](Scratch& scratch) {
          return NoisyRow<J>(source, penalty, rows, variances, ws.empty, scratch);
        },
        [](pos_t, const NoisyRow<J>&) {});
  });
  ws.empty.looked_at(model, plan.mode);
}

}  // namespace vest::inline VEST_ISA
