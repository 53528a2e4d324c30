// The paper's parallel element-wise factor update: one coordinate sweep over every row of a mode.
//
// A row's deltas do not depend on the row itself, so V = sum delta delta^T and b = sum x delta are
// summed once per row; the steps of its coordinates then need V and b alone. Pruned coordinates
// are zero and stay so: a row is summed over its free coordinates only.
#include <algorithm>

#include "../delta.hpp"
#include "vest/kernels.hpp"
#include "vest/loss.hpp"

namespace vest::inline VEST_ISA {
namespace {

/// V (k x k) and b (k) of the k free coordinates of a row, into `sums`.
template <int J>
class RowSums {
 public:
  RowSums(const DeltaSource& source, Scratch& scratch)
      : value_(source.plan.value.data()),
        rank_(source.rank()),
        cursor_(source, scratch),
        delta_(rank_, scratch),
        all_(rank_, scratch),
        some_(scratch.take(rank_)) {}

  void sum(std::span<const std::size_t> free, pos_t begin, pos_t end, double* sums) {
    const auto first = static_cast<std::size_t>(begin);
    const auto last = static_cast<std::size_t>(end);
    if (!few_kept(free.size(), rank_))
      sum_all(free, first, last, sums);
    else if (!free.empty())
      sum_some(free, first, last, sums);
  }

 private:
  void sum_all(std::span<const std::size_t> free, std::size_t begin, std::size_t end,
               double* sums) {
    all_.clear();
    for (std::size_t e = begin; e < end; ++e) {
      cursor_.delta(e, delta_);
      all_.add(value_[e], delta_);
    }
    for (const std::size_t j : free)
      for (const std::size_t t : free) *sums++ = all_.v(j, t);
    for (const std::size_t j : free) *sums++ = all_.b(j);
  }

  void sum_some(std::span<const std::size_t> free, std::size_t begin, std::size_t end,
                double* sums) {
    const std::size_t k = free.size();
    double* b = sums + k * k;
    std::fill_n(sums, k * k + k, 0.0);
    for (std::size_t e = begin; e < end; ++e) {
      cursor_.delta_of(e, free, some_);
      for (std::size_t j = 0; j < k; ++j) {
        for (std::size_t t = 0; t < k; ++t) sums[j * k + t] += some_[j] * some_[t];
        b[j] += value_[e] * some_[j];
      }
    }
  }

  const double* value_;
  std::size_t rank_;
  TableCursor cursor_;
  Row<J> delta_;
  OuterSums<J> all_;
  double* some_;
};

/// The free coordinates in turn: h = sum x delta(j) - sum_{t != j} v(t) a_t, then the step.
template <class Step>
void sweep_row(double lambda, std::span<const std::size_t> free, const double* sums, double* a) {
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

using SweepRow = decltype(&sweep_row<L1Step>);

template <int J>
void update_rows(const DeltaSource& source, SweepRow sweep, double lambda, TuckerModel& model,
                 Workspace& ws) {
  const ModePlan& plan = source.plan;
  const std::size_t rank = source.rank();
  const auto free_of = [&](index_t row, Kept& kept) {
    const Mark* marks = model.row_marks(plan.mode, row);
    return kept.choose([&](std::size_t j) { return marks[j] == Mark::kFree; });
  };
  ws.team.for_chunks(std::ssize(plan.chunks), [&](pos_t c, int thread) {
    const Chunk& chunk = plan.chunks[static_cast<std::size_t>(c)];
    Scratch scratch = ws.scratch(thread);
    Kept kept(rank, scratch);
    double* sums = scratch.take(rank * rank + rank);
    RowSums<J> row_sums(source, scratch);
    if (chunk.is_piece()) sums = ws.pieces.colptr(static_cast<arma::uword>(chunk.piece));
    plan.for_rows(chunk, [&](index_t row, pos_t begin, pos_t end) {
      const auto free = free_of(row, kept);
      row_sums.sum(free, begin, end, sums);
      if (!chunk.is_piece()) sweep(lambda, free, sums, model.row(plan.mode, row));
    });
  });
  ws.team.for_chunks(
      std::ssize(plan.split_rows),
      [&](pos_t s, int thread) {
        const SplitRow& split = plan.split_rows[static_cast<std::size_t>(s)];
        Scratch scratch = ws.scratch(thread);
        Kept kept(rank, scratch);
        const auto free = free_of(split.row, kept);
        const std::size_t size = free.size() * free.size() + free.size();
        double* sums = scratch.take(size);
        add_pieces(ws, split, size, sums);
        sweep(lambda, free, sums, model.row(plan.mode, split.row));
      },
      32);
}

}  // namespace

void update_factor(const ModePlan& plan, Loss loss, double lambda, TuckerModel& model,
                   Workspace& ws) {
  // The tables hold no row of this mode, so they stay right while its rows change.
  const DeltaSource source = prepare_delta(plan, model, ws);
  // The sums know nothing of the loss: it comes in once per row, as a function.
  SweepRow sweep = nullptr;
  with_step(loss, lambda, [&]<class Step>(const Step&) { sweep = &sweep_row<Step>; });
  with_rank(source.rank(), [&]<int J>() { update_rows<J>(source, sweep, lambda, model, ws); });
}

}  // namespace vest::inline VEST_ISA
