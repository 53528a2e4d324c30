// The paper's parallel element-wise factor update: one coordinate sweep over every row of a mode.
//
// A row's deltas do not depend on the row itself, so V = sum delta delta^T and b = sum x delta are
// summed once per row; the steps of its J coordinates then need V and b alone.
#include <algorithm>

#include "../delta.hpp"
#include "vest/kernels.hpp"
#include "vest/loss.hpp"

namespace vest {
namespace {

/// V and b of one row. J: the rank, or 0 for any.
template <int J>
class NormalEquations {
 public:
  NormalEquations(std::size_t rank, Scratch& scratch)
      : rank_(rank), sums_(J > 0 ? fixed_ : scratch.take(size(rank))) {}

  [[nodiscard]] static std::size_t size(std::size_t rank) { return rank * rank + rank; }

  void clear() { std::fill_n(sums_, size(rank()), 0.0); }

  void add(double x, const double* delta) {
    double* v = sums_;
    for (std::size_t j = 0; j < rank(); ++j, v += rank())
      for (std::size_t t = 0; t < rank(); ++t) v[t] += delta[j] * delta[t];
    for (std::size_t j = 0; j < rank(); ++j) v[j] += x * delta[j];
  }

  void add_stored(const double* stored) {
    for (std::size_t k = 0; k < size(rank()); ++k) sums_[k] += stored[k];
  }
  void store(double* to) const { std::copy_n(sums_, size(rank()), to); }

  /// Coordinates j = 0..J-1 in turn: h = sum x delta(j) - sum_{t != j} v(t) a_t, then the step.
  template <class Step>
  void sweep(const Step& step, const Mark* marks, double* a) const {
    const double* b = sums_ + rank() * rank();
    for (std::size_t j = 0; j < rank(); ++j) {
      if (marks[j] != Mark::kFree) continue;
      const double* v = sums_ + j * rank();
      double h = b[j];
      for (std::size_t t = 0; t < rank(); ++t)
        if (t != j) h -= v[t] * a[t];
      a[j] = step(h, v[j]);
    }
  }

 private:
  [[nodiscard]] std::size_t rank() const { return J > 0 ? static_cast<std::size_t>(J) : rank_; }

  std::size_t rank_;
  double fixed_[J > 0 ? J * J + J : 1];
  double* sums_;
};

template <int J, class Step>
void update_rows(const DeltaSource& source, const Step& step, TuckerModel& model, Workspace& ws) {
  const ModePlan& plan = source.plan;
  const std::size_t rank = model.rank(plan.mode);
  const auto sweep = [&](const NormalEquations<J>& sums, index_t row) {
    sums.sweep(step, model.row_marks(plan.mode, row), model.row(plan.mode, row));
  };
  ws.team.for_chunks(std::ssize(plan.chunks), [&](pos_t c, int thread) {
    const Chunk& chunk = plan.chunks[static_cast<std::size_t>(c)];
    Scratch scratch = ws.scratch(thread);
    NormalEquations<J> sums(rank, scratch);
    DeltaCursor<J> delta(source, scratch);
    plan.for_rows(chunk, [&](index_t row, pos_t begin, pos_t end) {
      sums.clear();
      for (pos_t e = begin; e < end; ++e)
        sums.add(plan.value[static_cast<std::size_t>(e)], delta(e));
      if (chunk.is_piece())
        sums.store(ws.pieces.colptr(static_cast<arma::uword>(chunk.piece)));
      else
        sweep(sums, row);
    });
  });
  ws.team.for_chunks(std::ssize(plan.split_rows), [&](pos_t s, int thread) {
    const SplitRow& split = plan.split_rows[static_cast<std::size_t>(s)];
    Scratch scratch = ws.scratch(thread);
    NormalEquations<J> sums(rank, scratch);
    sums.clear();
    for (index_t piece = split.piece_begin; piece < split.piece_end; ++piece)
      sums.add_stored(ws.pieces.colptr(static_cast<arma::uword>(piece)));
    sweep(sums, split.row);
  });
}

}  // namespace

void update_factor(const ModePlan& plan, Loss loss, double lambda, TuckerModel& model,
                   Workspace& ws) {
  const DeltaSource source = prepare_delta(plan, model, ws);
  with_step(loss, lambda, [&](const auto& step) {
    with_rank(model.rank(plan.mode), [&]<int J>() { update_rows<J>(source, step, model, ws); });
  });
}

}  // namespace vest
