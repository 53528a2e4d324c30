// Second moments of the core's features: sum over the entries of the products of a^2 + s.
//
// A core element's own penalty is sum Var phi, and the moments are v + sum Var phi in one: with
// independent elements, the expected square of a product is the product of the expected squares.
// An entry of weight w adds w times as much.
#include "kernels/core/core_moments.hpp"

#include "kernels/core/fiber_sum.hpp"

namespace vest::inline VEST_ISA {
namespace {

/// The sums over the entries, with the path's axes, into the slots' total.
void sum_over_entries(const ModePlan& mode, const Path& path, const TuckerModel& model,
                      Workspace& ws) {
  using Moments = FiberSum<Feature::kMoments>;
  const std::size_t size = Moments::total_size(model.ranks(), path);
  const double* const roots = mode.roots();
  sum_over_slots(ws.slots, {CoreSumKind::kMoments}, mode.chunks, size, ws.team,
                 [&](double* column, std::span<const Chunk> chunks, int thread) {
                   Scratch scratch = ws.scratch(thread);
                   Moments moments(model, path, column, scratch);
                   walk_tree(
                       mode, chunks,
                       [&](index_t, pos_t begin, pos_t end) {
                         double* const leaf = moments.leaf();
                         for (pos_t e = begin; e < end; ++e) {
                           const index_t index = mode.last_index[static_cast<std::size_t>(e)];
                           if (roots != nullptr) {
                             const double weight = roots[e] * roots[e];
                             for_features<Feature::kMoments>(
                                 model, mode.last, index,
                                 [&](std::size_t u, double f) { leaf[u] += weight * f; });
                           } else {
                             for_features<Feature::kMoments>(
                                 model, mode.last, index,
                                 [&](std::size_t u, double f) { leaf[u] += f; });
                           }
                         }
                       },
                       [&](std::size_t depth, index_t index) { moments.end(depth, index); });
                   moments.finish();
                 });
}

}  // namespace

void sum_moment_features(const Plan& plan, const TuckerModel& model, Workspace& ws) {
  const ModePlan& mode = plan.modes[plan.core.mode];
  sum_over_entries(mode, Path(mode), model, ws);
}

void sum_moments(const Plan& plan, const Penalty& penalty, const TuckerModel& model,
                 Workspace& ws) {
  const ModePlan& mode = plan.modes[plan.core.mode];
  const Path path(mode);
  const std::size_t size = FiberSum<Feature::kMoments>::total_size(model.ranks(), path);
  sum_moment_features(plan, model, ws);
  to_core_order({ws.slots.total.data(), size}, path, model, ws.denominator);
  const std::span<double> variances = model.variances(0);
  const std::span<const Mark> marks = model.marks(0);
  for (std::size_t i = 0; i < variances.size(); ++i) {
    ws.denominator[i] += penalty.prior[0] * penalty.noise;
    variances[i] = is_live(marks[i]) ? penalty.noise / ws.denominator[i] : 0.0;
  }
}

}  // namespace vest::inline VEST_ISA
