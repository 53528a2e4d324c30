// Responsibility: how much the squared error would grow if an element were zero.
#include "../delta.hpp"
#include "../fiber_sum.hpp"
#include "vest/kernels.hpp"

namespace vest {
namespace {

/// Sums of one row: r delta(j) and delta(j)^2, for its J elements.
void add_residual(double x, const double* delta, const double* a, std::size_t rank, double* rf,
                  double* ff) {
  double r = x;
  for (std::size_t j = 0; j < rank; ++j) r -= delta[j] * a[j];
  for (std::size_t j = 0; j < rank; ++j) {
    rf[j] += r * delta[j];
    ff[j] += delta[j] * delta[j];
  }
}

/// 2e sum r f + e^2 sum f^2 for the free elements; exactly 0 for an element that is zero.
void score(const double* rf, const double* ff, const double* e, const Mark* marks, std::size_t size,
           double* out) {
  for (std::size_t j = 0; j < size; ++j)
    out[j] = marks[j] == Mark::kFree ? 2.0 * e[j] * rf[j] + e[j] * e[j] * ff[j] : 0.0;
}

template <int J>
void score_rows(const DeltaSource& source, const TuckerModel& model, Workspace& ws, double* out) {
  const ModePlan& plan = source.plan;
  const std::size_t rank = J > 0 ? static_cast<std::size_t>(J) : model.rank(plan.mode);
  const auto score_row = [&](const double* sums, index_t row) {
    score(sums, sums + rank, model.row(plan.mode, row), model.row_marks(plan.mode, row), rank,
          out + static_cast<std::size_t>(row) * rank);
  };
  ws.team.for_chunks(std::ssize(plan.chunks), [&](pos_t c, int thread) {
    const Chunk& chunk = plan.chunks[static_cast<std::size_t>(c)];
    Scratch scratch = ws.scratch(thread);
    double fixed[J > 0 ? 2 * J : 1];
    double* sums = J > 0 ? fixed : scratch.take(2 * rank);
    DeltaCursor<J> delta(source, scratch);
    plan.for_rows(chunk, [&](index_t row, pos_t begin, pos_t end) {
      std::fill_n(sums, 2 * rank, 0.0);
      for (pos_t e = begin; e < end; ++e)
        add_residual(plan.value[static_cast<std::size_t>(e)], delta(e), model.row(plan.mode, row),
                     rank, sums, sums + rank);
      if (chunk.is_piece())
        std::copy_n(sums, 2 * rank, ws.pieces.colptr(static_cast<arma::uword>(chunk.piece)));
      else
        score_row(sums, row);
    });
  });
  ws.team.for_chunks(std::ssize(plan.split_rows), [&](pos_t s, int thread) {
    const SplitRow& split = plan.split_rows[static_cast<std::size_t>(s)];
    double* sums = ws.scratch(thread).take(2 * rank);
    std::fill_n(sums, 2 * rank, 0.0);
    for (index_t piece = split.piece_begin; piece < split.piece_end; ++piece)
      for (std::size_t j = 0; j < 2 * rank; ++j)
        sums[j] += ws.pieces.at(j, static_cast<arma::uword>(piece));
    score_row(sums, split.row);
  });
}

/// For the core the features are products of rows, so both sums are trees over the entries.
template <int J>
void score_core(const DeltaSource& source, const TuckerModel& model, Workspace& ws, double* out) {
  const ModePlan& plan = source.plan;
  const Path path(plan);
  const std::size_t size = model.core().n_elem;
  sum_over_slots(ws.slots, plan.chunks, 2 * size, ws.team,
                 [&](double* column, std::span<const Chunk> chunks, int thread) {
                   Scratch scratch = ws.scratch(thread);
                   DeltaCursor<J> delta(source, scratch);
                   FiberSum<Feature::kValues> rf(model, path, column, scratch);
                   FiberSum<Feature::kSquares> ff(model, path, column + size, scratch);
                   walk_tree(
                       plan, chunks,
                       [&](index_t row, pos_t e) {
                         const auto at = static_cast<std::size_t>(e);
                         const double* d = delta(e);
                         const double* a = model.row(plan.mode, row);
                         double r = plan.value[at];
                         for (std::size_t j = 0; j < delta.rank(); ++j) r -= d[j] * a[j];
                         rf.add(r, plan.last_index[at]);
                         ff.add(1.0, plan.last_index[at]);
                       },
                       [&](std::size_t depth, index_t index) {
                         rf.end(depth, index);
                         ff.end(depth, index);
                       });
                 });
  const std::span<const double> sums(ws.slots.total.memptr(), 2 * size);
  to_core_order(sums.first(size), path, model, ws.core);  // the deltas are done with ws.core
  to_core_order(sums.last(size), path, model, {out, size});
  score(ws.core.data(), out, model.core().memptr(), model.marks(0).data(), size, out);
}

}  // namespace

void responsibilities(const Plan& plan, std::size_t part, const TuckerModel& model, Workspace& ws,
                      std::span<double> out) {
  const ModePlan& mode = plan.modes[part == 0 ? plan.core.mode : part - 1];
  const DeltaSource source = prepare_delta(mode, model, ws);
  with_rank(model.rank(mode.mode), [&]<int J>() {
    if (part == 0)
      score_core<J>(source, model, ws, out.data());
    else
      score_rows<J>(source, model, ws, out.data());
  });
}

}  // namespace vest
