// The paper's parallel element-wise factor update: one coordinate sweep over every row of a mode;
// and its sums alone, for who wants to add something in between.
//
// Each row is summed (row_sums.hpp) and, as soon as its sums are complete, takes its steps on them
// (row_steps.hpp): the sums of one row at a time are in memory, and the entries are read once. Sums
// that are wanted themselves are written out instead (chosen_rows.hpp). Both are one pass, so that
// it is compiled once.
#include <algorithm>

#include "kernels/delta/delta.hpp"
#include "kernels/factor/chosen_rows.hpp"
#include "kernels/factor/row_pass.hpp"
#include "kernels/factor/row_steps.hpp"
#include "kernels/factor/row_sums.hpp"
#include "kernels/factor/update_noisy_factor.hpp"
#include "kernels/kernels.hpp"
#include "vest/penalty.hpp"

namespace vest::inline VEST_ISA {
namespace {

/// What is done with the sums of a row.
struct RowEnds {
  const ChosenRows* chosen = nullptr;  ///< They are written out there; null: the row takes steps.
  const Penalty* penalty = nullptr;
  const AnyStep* step = nullptr;
  double* rows = nullptr;  ///< What the steps change.
  EmptyRows* empty = nullptr;
};

/// Never inlined: passes for all ranks share it.
[[gnu::noinline]] void step_some(const AnyStep& step, double lambda,
                                 std::span<const std::size_t> live, const double* sums, double* a) {
  sweep_some([&](std::size_t, double h, double v) { return step(lambda, h, v); }, live, sums, a);
}

template <int J>
class RowUpdate {
 public:
  RowUpdate(const DeltaSource& source, const RowEnds& ends, Scratch& scratch)
      : mode_(source.plan.mode),
        rank_(source.rank()),
        ends_(ends),
        model_(source.model),
        sums_(source, scratch),
        left_(sums_.all(), scratch),
        packed_(J == kByRuns ? rank_ : 0, scratch) {}

  std::size_t start(index_t row) {
    row_ = row;
    if (is_left_out(row)) return 0;
    return sums_.start(model_.row_marks(mode_, row));
  }

  void sum(pos_t begin, pos_t end, double* sums) {
    if (!is_left_out(row_)) sums_.sum(begin, end, sums);
  }

  [[gnu::noinline]] void finish(const double* sums) {
    if (ends_.chosen == nullptr)
      step(sums);
    else if (!is_left_out(row_))
      ends_.chosen->write(ends_.chosen->place_of(row_), sums_, sums);
  }

  /// No entry touches the row: its features are zero, so nothing is added up, and so it becomes.
  void finish_untouched(index_t row) {
    if (ends_.chosen == nullptr)
      std::fill_n(element(row), rank_, 0.0);
    else if (!is_left_out(row))
      ends_.chosen->clear(ends_.chosen->place_of(row));
  }

 private:
  [[nodiscard]] bool is_left_out(index_t row) const {
    return ends_.chosen != nullptr && !ends_.chosen->is_place(ends_.chosen->place_of(row));
  }
  /// The first element of a row.
  [[nodiscard]] double* element(index_t row) const {
    return ends_.rows + static_cast<std::size_t>(row) * rank_;
  }

  void step(const double* sums) {
    double* a = element(row_);
    const double lambda = ends_.penalty->lambda_of(row_);
    if constexpr (J == kByRuns) {
      left_.resize(sums_.live().size());
      packed_.with(sums_.live(), a, [&](std::span<const std::size_t> every, double* values) {
        sweep_all(*ends_.step, lambda, every, sums, left_, values);
      });
    } else if (sums_.few()) {
      step_some(*ends_.step, lambda, sums_.live(), sums, a);
    } else {
      sweep_all(*ends_.step, lambda, sums_.live(), sums, left_, a);
    }
    ends_.empty->look_at(model_, mode_, row_);
  }

  Mode mode_;
  std::size_t rank_;
  const RowEnds& ends_;
  const TuckerModel& model_;
  RowSums<J> sums_;
  Left<J> left_;
  Packed packed_;
  index_t row_ = 0;
};

/// Sums rows; `ends` says what is done with the sums. One function for both who call it: it is
/// compiled for every rank.
void pass(const DeltaSource& source, Workspace& ws, const RowEnds& ends) {
  with_source(source, [&]<int J>() {
    for_row_sums(
        source, noisy_sums_size(source.rank(), J == kByRuns), ws,
        [&](Scratch& scratch) { return RowUpdate<J>(source, ends, scratch); },
        [](pos_t, const RowUpdate<J>&) {});
  });
}

}  // namespace

void update_factor(const ModePlan& plan, const Penalty& penalty, TuckerModel& model,
                   Workspace& ws) {
  if (penalty.kind == PenaltyKind::kNoise) return update_noisy_factor(plan, penalty, model, ws);
  const AnyStep step(penalty);
  const DeltaSource source = prepare_delta(plan, model, ws);
  double* const rows = model.edit(plan.mode + 1).data();
  pass(source, ws, {.penalty = &penalty, .step = &step, .rows = rows, .empty = &ws.empty});
  ws.empty.looked_at(model, plan.mode);
}

void row_sums(const ModePlan& plan, const TuckerModel& model, std::span<const index_t> rows,
              Workspace& ws, std::span<double> v, std::span<double> b) {
  const ChosenRows chosen(rows, model.rank(plan.mode), v, b);
  pass(prepare_delta(plan, model, ws), ws, {.chosen = &chosen});
}

}  // namespace vest::inline VEST_ISA
