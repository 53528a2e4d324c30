// The paper's parallel element-wise factor update: one coordinate sweep over every row of a mode.
//
// Each row is summed (row_sums.hpp) and, as soon as its sums are complete, takes its steps on them
// (row_steps.hpp): the sums of one row at a time are in memory, and the entries are read once.
#include <algorithm>

#include "kernels/factor/delta.hpp"
#include "kernels/factor/row_pass.hpp"
#include "kernels/factor/row_steps.hpp"
#include "kernels/factor/row_sums.hpp"
#include "kernels/factor/update_noisy_factor.hpp"
#include "kernels/kernels.hpp"
#include "vest/penalty.hpp"

namespace vest::inline VEST_ISA {
namespace {

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
        sums_(source, scratch),
        left_(sums_.all(), scratch),
        packed_(J == kByRuns ? rank_ : 0, scratch) {}

  std::size_t start(index_t row) {
    row_ = row;
    return sums_.start(model_.row_marks(mode_, row));
  }

  void sum(pos_t begin, pos_t end, double* sums) { sums_.sum(begin, end, sums); }

  void finish(const double* sums) {
    double* a = element(row_);
    const double lambda = penalty_.lambda_of(row_);
    if constexpr (J == kByRuns) {
      left_.resize(sums_.live().size());
      packed_.with(sums_.live(), a, [&](std::span<const std::size_t> every, double* values) {
        sweeps_.all(lambda, every, sums, left_, values);
      });
    } else if (sums_.few()) {
      sweeps_.some(lambda, sums_.live(), sums, a);
    } else {
      sweeps_.all(lambda, sums_.live(), sums, left_, a);
    }
    empty_.look_at(model_, mode_, row_);
  }

  /// No entry touches the row: its features are zero, and so it becomes.
  void finish_untouched(index_t row) { std::fill_n(element(row), rank_, 0.0); }

 private:
  /// The first element of a row.
  [[nodiscard]] double* element(index_t row) const {
    return rows_ + static_cast<std::size_t>(row) * rank_;
  }

  Mode mode_;
  std::size_t rank_;
  const Sweeps<J>& sweeps_;
  const Penalty& penalty_;
  const TuckerModel& model_;
  double* rows_;
  EmptyRows& empty_;
  RowSums<J> sums_;
  Left<J> left_;
  Packed packed_;
  index_t row_ = 0;
};

}  // namespace

void update_factor(const ModePlan& plan, const Penalty& penalty, TuckerModel& model,
                   Workspace& ws) {
  if (penalty.kind == PenaltyKind::kNoise) return update_noisy_factor(plan, penalty, model, ws);
  const DeltaSource source = prepare_delta(plan, model, ws);
  double* const rows = model.edit(plan.mode + 1).data();
  with_source(source, [&]<int J>() {
    Sweeps<J> sweeps{};
    with_step(penalty, [&]<class Step>(const Step&) { sweeps = Sweeps<J>::template of<Step>(); });
    for_row_sums(
        source, noisy_sums_size(source.rank(), J == kByRuns), ws,
        [&](Scratch& scratch) {
          return RowUpdate<J>(source, sweeps, penalty, rows, ws.empty, scratch);
        },
        [](pos_t, const RowUpdate<J>&) {});
  });
  ws.empty.looked_at(model, plan.mode);
}

}  // namespace vest::inline VEST_ISA
