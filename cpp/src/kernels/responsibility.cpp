// Responsibility: how much the squared error would grow if an element were zero.
#include "../delta.hpp"
#include "../fiber_sum.hpp"
#include "vest/kernels.hpp"

namespace vest::inline VEST_ISA {
namespace {

/// 2e sum r f + e^2 sum f^2 for one element; exactly 0 for an element that is zero.
double score(double e, double rf, double ff) { return 2.0 * e * rf + e * e * ff; }

/// sum r delta(j) and sum delta(j)^2 of the k non-zero elements of a row, into `sums`.
template <int J>
class RowScores {
 public:
  RowScores(const DeltaSource& source, Scratch& scratch)
      : source_(source),
        rank_(source.rank()),
        cursor_(source, scratch),
        row_(rank_, scratch),
        delta_(rank_, scratch),
        rf_(rank_, scratch),
        ff_(rank_, scratch),
        some_(scratch.take(rank_)) {}

  void sum(const double* a, std::span<const std::size_t> kept, pos_t begin, pos_t end,
           double* sums) {
    const auto first = static_cast<std::size_t>(begin);
    const auto last = static_cast<std::size_t>(end);
    if (!few_kept(kept.size(), rank_))
      sum_all(a, kept, first, last, sums);
    else if (!kept.empty())
      sum_some(a, kept, first, last, sums);
  }

 private:
  void sum_all(const double* a, std::span<const std::size_t> kept, std::size_t begin,
               std::size_t end, double* sums) {
    row_.load(a);
    rf_.clear();
    ff_.clear();
    for (std::size_t e = begin; e < end; ++e) {
      cursor_.delta(e, delta_);
      rf_.add(source_.plan.value[e] - delta_.dot(row_), delta_);
      ff_.add_squares(delta_);
    }
    for (const std::size_t j : kept) *sums++ = rf_[j];
    for (const std::size_t j : kept) *sums++ = ff_[j];
  }

  void sum_some(const double* a, std::span<const std::size_t> kept, std::size_t begin,
                std::size_t end, double* sums) {
    const std::size_t k = kept.size();
    std::fill_n(sums, 2 * k, 0.0);
    for (std::size_t e = begin; e < end; ++e) {
      cursor_.delta_of(e, kept, some_);
      double r = source_.plan.value[e];
      for (std::size_t j = 0; j < k; ++j) r -= some_[j] * a[kept[j]];
      for (std::size_t j = 0; j < k; ++j) {
        sums[j] += r * some_[j];
        sums[k + j] += some_[j] * some_[j];
      }
    }
  }

  const DeltaSource& source_;
  std::size_t rank_;
  TableCursor cursor_;
  Row<J> row_, delta_, rf_, ff_;
  double* some_;
};

/// Pruned elements are zero, and zeros score zero: only the non-zero ones are summed.
template <int J>
void score_rows(const DeltaSource& source, const TuckerModel& model, Workspace& ws, double* out) {
  const ModePlan& plan = source.plan;
  const std::size_t rank = source.rank();
  const auto nonzeros_of = [&](index_t row, Kept& kept) {
    const double* a = model.row(plan.mode, row);
    return kept.choose([&](std::size_t j) { return a[j] != 0.0; });
  };
  const auto score_row = [&](index_t row, std::span<const std::size_t> kept, const double* sums) {
    double* scores = out + static_cast<std::size_t>(row) * rank;
    const double* a = model.row(plan.mode, row);
    std::fill_n(scores, rank, 0.0);
    for (std::size_t k = 0; k < kept.size(); ++k)
      scores[kept[k]] = score(a[kept[k]], sums[k], sums[kept.size() + k]);
  };
  ws.team.for_chunks(std::ssize(plan.chunks), [&](pos_t c, int thread) {
    const Chunk& chunk = plan.chunks[static_cast<std::size_t>(c)];
    Scratch scratch = ws.scratch(thread);
    Kept kept(rank, scratch);
    double* sums = scratch.take(2 * rank);
    RowScores<J> row_scores(source, scratch);
    if (chunk.is_piece()) sums = ws.pieces.colptr(static_cast<arma::uword>(chunk.piece));
    plan.for_rows(chunk, [&](index_t row, pos_t begin, pos_t end) {
      const auto nonzeros = nonzeros_of(row, kept);
      row_scores.sum(model.row(plan.mode, row), nonzeros, begin, end, sums);
      if (!chunk.is_piece()) score_row(row, nonzeros, sums);
    });
  });
  ws.team.for_chunks(
      std::ssize(plan.split_rows),
      [&](pos_t s, int thread) {
        const SplitRow& split = plan.split_rows[static_cast<std::size_t>(s)];
        Scratch scratch = ws.scratch(thread);
        Kept kept(rank, scratch);
        const auto nonzeros = nonzeros_of(split.row, kept);
        double* sums = scratch.take(2 * rank);
        add_pieces(ws, split, 2 * nonzeros.size(), sums);
        score_row(split.row, nonzeros, sums);
      },
      32);
}

/// For the core the features are products of rows, so both sums are trees over the entries.
template <int J>
void score_core(const DeltaSource& source, const TuckerModel& model, Workspace& ws, double* out) {
  const ModePlan& plan = source.plan;
  const Path path(plan);
  const std::size_t size = model.core().n_elem;
  const std::size_t last_rank = source.last_rank();
  sum_over_slots(ws.slots, plan.chunks, 2 * size, ws.team,
                 [&](double* column, std::span<const Chunk> chunks, int thread) {
                   Scratch scratch = ws.scratch(thread);
                   Residuals<J> residuals(source, scratch);
                   FiberSum<Feature::kValues> rf(model, path, column, scratch);
                   FiberSum<Feature::kSquares> ff(model, path, column + size, scratch);
                   walk_tree(
                       plan, chunks,
                       [&](index_t row, pos_t begin, pos_t end) {
                         residuals.of_row(row, begin, end, [&](std::size_t e, double r) {
                           const double* a = model.row(plan.last, plan.last_index[e]);
                           for (std::size_t j = 0; j < last_rank; ++j) {
                             rf.leaf()[j] += r * a[j];
                             ff.leaf()[j] += a[j] * a[j];
                           }
                         });
                       },
                       [&](std::size_t depth, index_t index) {
                         rf.end(depth, index);
                         ff.end(depth, index);
                       });
                   rf.finish();
                   ff.finish();
                 });
  const std::span<const double> sums(ws.slots.total.memptr(), 2 * size);
  const std::span<double> rf(ws.gradient.data(), size);
  to_core_order(sums.first(size), path, model, rf);
  to_core_order(sums.last(size), path, model, {out, size});
  for (std::size_t i = 0; i < size; ++i) out[i] = score(model.core()[i], rf[i], out[i]);
}

}  // namespace

void responsibilities(const Plan& plan, std::size_t part, const TuckerModel& model, Workspace& ws,
                      std::span<double> out) {
  const ModePlan& mode = plan.modes[part == 0 ? plan.core.mode : part - 1];
  const DeltaSource source = prepare_delta(mode, model, ws);
  with_rank(source.rank(), [&]<int J>() {
    if (part == 0)
      score_core<J>(source, model, ws, out.data());
    else
      score_rows<J>(source, model, ws, out.data());
  });
}

}  // namespace vest::inline VEST_ISA
