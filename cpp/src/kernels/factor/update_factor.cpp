// The paper's parallel element-wise factor update: one coordinate sweep over every row of a mode.
//
// A row's deltas do not depend on the row itself, so V = sum delta delta^T and b = sum x delta are
// summed once per row; the steps of its coordinates then need V and b alone. Pruned coordinates
// are zero and stay so: a row with few free ones is summed over those only.
#include <algorithm>

#include "kernels/factor/delta.hpp"
#include "kernels/factor/row_pass.hpp"
#include "kernels/kernels.hpp"
#include "kernels/vectors/outer_sums.hpp"
#include "vest/penalty.hpp"

namespace vest::inline VEST_ISA {
namespace {

/// What is left to explain, b - V a, in the making: V is symmetric and only its upper part is kept,
/// so row j of V is subtracted from what follows it, and what it says of j itself is in `own`.
template <int J>
struct Left {
  Left(const OuterSums<J>& all, Scratch& scratch)
      : layout(all.layout()),
        rank(all.size()),
        rest(scratch.take(padded_rank(rank))),
        own(scratch.take(rank)) {}

  [[nodiscard]] const double* row(const double* sums, std::size_t j) const {
    return sums + layout.row(j) - layout.first(j);
  }
  /// rest -= weight V(j, .), from the first column kept on.
  void subtract(const double* row, std::size_t j, double weight) {
    if constexpr (J == 0) {
      for (std::size_t t = j; t < rank; ++t) rest[t] -= weight * row[t];
    } else {
      for (std::size_t t = layout.first(j); t < Lanes<J>::padded; t += Lanes<J>::width)
        vector_at<J>(rest + t) -= weight * vector_at<J>(row + t);
    }
  }
  void start(const double* sums, const double* a) {
    std::copy_n(sums + layout.b(), padded_rank(rank), rest);
    for (std::size_t j = 0; j < rank; ++j) {
      const double* v = row(sums, j);
      subtract(v, j, a[j]);
      own[j] = 0.0;
      for (std::size_t t = layout.first(j) + layout.width; t < rank; ++t) own[j] += v[t] * a[t];
    }
  }

  OuterLayout<J> layout;
  std::size_t rank;
  double* rest;
  double* own;
};

/// The free coordinates in turn: h = sum x delta(j) - sum_{t != j} v(t) a_t, then the step.
template <int J, class Step>
void sweep_all(double lambda, std::span<const std::size_t> free, const double* sums, Left<J>& left,
               double* a) {
  const Step step{lambda};
  left.start(sums, a);
  for (const std::size_t j : free) {
    const double* v = left.row(sums, j);
    const double before = a[j];
    a[j] = step(left.rest[j] - left.own[j] + v[j] * before, v[j]);
    left.subtract(v, j, a[j] - before);
  }
}

/// The same on V and b of the free coordinates alone.
template <class Step>
void sweep_some(double lambda, std::span<const std::size_t> free, const double* sums, double* a) {
  const Step step{lambda};
  const std::size_t k = free.size();
  const double* b = sums + k * k;
  for (std::size_t j = 0; j < k; ++j) {
    const double* v = sums + j * k;
    double h = b[j];
    for (std::size_t t = 0; t < k; ++t)
      if (t != j) h -= v[t] * a[free[t]];
    a[free[j]] = step(h, v[j]);
  }
}

/// The steps of one loss. The sums know nothing of it: it comes in once per row, as a function.
template <int J>
struct Sweeps {
  template <class Step>
  static Sweeps of() {
    return {&sweep_all<J, Step>, &sweep_some<Step>};
  }
  decltype(&sweep_all<J, L1Step>) all;
  decltype(&sweep_some<L1Step>) some;
};

/// V and b of the free coordinates alone.
void sum_some(SomeDeltas& deltas, std::span<const std::size_t> free, pos_t begin, pos_t end,
              double* sums) {
  with_few(free.size(), [&]<int K>() {
    const std::size_t k = K == 0 ? free.size() : std::size_t{K};
    double fixed[K == 0 ? 1 : K * K + K];
    double* const v = K == 0 ? sums : fixed;
    double* const b = v + k * k;
    std::fill_n(v, k * k + k, 0.0);
    deltas.each_of<K>(
        free, begin, end,
        [&](double x, const double* delta) {
          for (std::size_t j = 0; j < k; ++j) {
            for (std::size_t t = 0; t < k; ++t) v[j * k + t] += delta[j] * delta[t];
            b[j] += x * delta[j];
          }
        },
        [](double) {});
    if (K != 0) std::copy_n(v, k * k + k, sums);
  });
}

template <int J>
class RowUpdate {
 public:
  RowUpdate(const DeltaSource& source, const Sweeps<J>& sweeps, const Penalty& penalty,
            double* rows, EmptyRows& empty, Scratch& scratch)
      : mode_(source.plan.mode),
        rank_(source.rank()),
        sweeps_(sweeps),
        penalty_(penalty),
        model_(source.model),
        rows_(rows),
        empty_(empty),
        kept_(rank_, scratch),
        deltas_(source, scratch),
        all_(rank_, scratch),
        left_(all_, scratch) {}

  std::size_t start(index_t row) {
    row_ = row;
    const Mark* marks = model_.row_marks(mode_, row);
    free_ = kept_.choose([&](std::size_t j) { return is_live(marks[j]); });
    return few() ? free_.size() * free_.size() + free_.size() : all_.layout().size();
  }

  void sum(pos_t begin, pos_t end, double* sums) {
    if (!few()) {
      OuterSums<J> all = all_;  // a local, so that it may live in registers
      all.clear();
      deltas_.each(
          begin, end, [&](double x, const Row<J>& delta) { all.add(x, delta); }, [](double) {});
      all.store(sums);
    } else if (!free_.empty()) {
      sum_some(deltas_, free_, begin, end, sums);
    }
  }

  void finish(const double* sums) {
    double* a = element(row_);
    const double lambda = penalty_.lambda_of(row_);
    if (few())
      sweeps_.some(lambda, free_, sums, a);
    else
      sweeps_.all(lambda, free_, sums, left_, a);
    empty_.look_at(model_, mode_, row_);
  }

  /// No entry touches the row: its features are zero, and so it becomes.
  void finish_untouched(index_t row) { std::fill_n(element(row), rank_, 0.0); }

 private:
  /// The first element of a row.
  [[nodiscard]] double* element(index_t row) const {
    return rows_ + static_cast<std::size_t>(row) * rank_;
  }
  [[nodiscard]] bool few() const { return few_kept(free_.size(), rank_); }

  Mode mode_;
  std::size_t rank_;
  const Sweeps<J>& sweeps_;
  const Penalty& penalty_;
  const TuckerModel& model_;
  double* rows_;
  EmptyRows& empty_;
  Kept kept_;
  Deltas<J> deltas_;
  OuterSums<J> all_;
  Left<J> left_;
  index_t row_ = 0;
  std::span<const std::size_t> free_;
};

}  // namespace

void update_factor(const ModePlan& plan, const Penalty& penalty, TuckerModel& model,
                   Workspace& ws) {
  const DeltaSource source = prepare_delta(plan, model, ws);
  double* const rows = model.edit(plan.mode + 1).data();
  with_rank(source.rank(), [&]<int J>() {
    Sweeps<J> sweeps{};
    with_step(penalty, [&]<class Step>(const Step&) { sweeps = Sweeps<J>::template of<Step>(); });
    for_row_sums(
        source, outer_size(source.rank()), ws,
        [&](Scratch& scratch) {
          return RowUpdate<J>(source, sweeps, penalty, rows, ws.empty, scratch);
        },
        [](pos_t, const RowUpdate<J>&) {});
  });
  ws.empty.looked_at(model, plan.mode);
}

}  // namespace vest::inline VEST_ISA
