// Responsibility of the core's elements: how much the squared error would grow if one were zero.
//
// Where the sweep has summed all inner products of core features, they are by-products of those;
// otherwise both sums are gathered from the residuals through the tree of entries.
#include "kernels/core/core_by_runs.hpp"
#include "kernels/core/fiber_sum.hpp"
#include "kernels/core/gram/core_gram.hpp"
#include "kernels/factor/reconstruct.hpp"
#include "kernels/factor/score.hpp"
#include "kernels/kernels.hpp"

namespace vest::inline VEST_ISA {
namespace {

/// sum r phi and sum phi^2 of all core features phi, with the path's axes, into the slots' total.
/// The residuals are those of weighted values already.
void sum_over_entries(const ModePlan& plan, const Path& path, const TuckerModel& model,
                      Workspace& ws) {
  using Values = FiberSum<Feature::kValues>;
  using Squares = FiberSum<Feature::kSquares>;
  const std::size_t size = Values::total_size(model.ranks(), path);
  const std::size_t rank = model.rank(plan.last);
  const double* residual = ws.blocks.residual.data();
  const double* roots = plan.roots();
  sum_over_slots(ws.slots, {CoreSumKind::kBlock}, plan.chunks, 2 * size, ws.team,
                 [&](double* column, std::span<const Chunk> chunks, int thread) {
                   Scratch scratch = ws.scratch(thread);
                   Values rf(model, path, column, scratch);
                   Squares ff(model, path, column + size, scratch);
                   walk_tree(
                       plan, chunks,
                       [&](index_t, pos_t begin, pos_t end) {
                         double* rf_leaf = rf.leaf();
                         double* ff_leaf = ff.leaf();
                         for (pos_t e = begin; e < end; ++e) {
                           const double* a =
                               model.row(plan.last, plan.last_index[static_cast<std::size_t>(e)]);
                           if (roots != nullptr) {
                             for (std::size_t j = 0; j < rank; ++j) {
                               const double f = roots[e] * a[j];
                               rf_leaf[j] += residual[e] * f;
                               ff_leaf[j] += f * f;
                             }
                           } else {
                             for (std::size_t j = 0; j < rank; ++j) {
                               rf_leaf[j] += residual[e] * a[j];
                               ff_leaf[j] += a[j] * a[j];
                             }
                           }
                         }
                       },
                       [&](std::size_t depth, index_t index) {
                         rf.end(depth, index);
                         ff.end(depth, index);
                       });
                   rf.finish();
                   ff.finish();
                 });
}

}  // namespace

void core_responsibilities(const Plan& plan, const TuckerModel& model, Workspace& ws,
                           std::span<double> out) {
  if (plan.core.strategy == CoreStrategy::kRuns) {
    products_by_runs(plan, model, ws, out);
  } else if (plan.core.strategy == CoreStrategy::kGram) {
    core_products(plan, model, ws, out);
  } else {
    const ModePlan& mode = plan.modes[plan.core.mode];
    const Path path(mode);
    const std::size_t size = FiberSum<Feature::kValues>::total_size(model.ranks(), path);
    fill_residuals(plan, model, ws);
    sum_over_entries(mode, path, model, ws);
    to_core_order({ws.slots.total.data(), size}, path, model, ws.gradient);
    to_core_order({ws.slots.total.data() + size, size}, path, model, out);
  }
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = score(model.values(0)[i], ws.gradient[i], out[i]);
}

}  // namespace vest::inline VEST_ISA
