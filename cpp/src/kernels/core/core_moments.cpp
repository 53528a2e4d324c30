// Second moments of the core's features: sum over the entries of the products of a^2 + s.
//
// A core element's own penalty is sum Var phi, and the moments are v + sum Var phi in one: with
// independent elements, the expected square of a product is the product of the expected squares.
#include "kernels/core/core_moments.hpp"

#include "kernels/core/fiber_sum.hpp"

namespace vest::inline VEST_ISA {

void sum_moments(const Plan& plan, const Penalty& penalty, const TuckerModel& model,
                 Workspace& ws) {
  using Moments = FiberSum<Feature::kMoments>;
  const ModePlan& mode = plan.modes[plan.core.mode];
  const Path path(mode);
  const std::size_t size = Moments::total_size(model.ranks(), path);
  sum_over_slots(
      ws.slots, mode.chunks, size, ws.team,
      [&](double* column, std::span<const Chunk> chunks, int thread) {
        Scratch scratch = ws.scratch(thread);
        Moments moments(model, path, column, scratch);
        walk_tree(
            mode, chunks,
            [&](index_t, pos_t begin, pos_t end) {
              double* const leaf = moments.leaf();
              for (auto e = static_cast<std::size_t>(begin); e < static_cast<std::size_t>(end); ++e)
                for_features<Feature::kMoments>(model, mode.last, mode.last_index[e],
                                                [&](std::size_t u, double f) { leaf[u] += f; });
            },
            [&](std::size_t depth, index_t index) { moments.end(depth, index); });
        moments.finish();
      });
  to_core_order({ws.slots.total.memptr(), size}, path, model, ws.denominator);
  const std::span<double> variances = model.variances(0);
  const std::span<const Mark> marks = model.marks(0);
  for (std::size_t i = 0; i < variances.size(); ++i) {
    ws.denominator[i] += penalty.prior[0] * penalty.noise;
    variances[i] = is_live(marks[i]) ? penalty.noise / ws.denominator[i] : 0.0;
  }
}

}  // namespace vest::inline VEST_ISA
