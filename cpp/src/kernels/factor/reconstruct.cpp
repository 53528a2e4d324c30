// Entry-wise reconstruction B(alpha): residuals of the observed entries.
#include "kernels/factor/reconstruct.hpp"

#include "kernels/delta/delta.hpp"
#include "kernels/kernels.hpp"

namespace vest::inline VEST_ISA {
namespace {

template <int J>
void subtract_predictions(const DeltaSource& source, Workspace& ws) {
  const ModePlan& plan = source.plan;
  ws.team.for_chunks(
      std::ssize(plan.chunks),
      [&](pos_t c, int thread) {
        Scratch scratch = ws.scratch(thread);
        Deltas<J> deltas(source, scratch);
        Row<J> a(source.rank(), scratch);
        plan.for_rows(plan.chunks[static_cast<std::size_t>(c)], [&](index_t row, pos_t begin,
                                                                    pos_t end) {
          double* residual = ws.blocks.residual.data() + begin;
          a.load(source.model.row(plan.mode, row));
          deltas.each(
              begin, end, [&](double x, const Row<J>& delta) { *residual++ = x - delta.dot(a); },
              [&](double x) { *residual++ = x; });
        });
      },
      worthwhile_chunks(chunk_operations(source)));
}

}  // namespace

void fill_residuals(const Plan& plan, const TuckerModel& model, Workspace& ws) {
  const DeltaSource source = prepare_delta(plan.modes[plan.core.mode], model, ws);
  if (plan.holds == Holds::kNone) return;
  with_shared_source(source, [&]<int J>() { subtract_predictions<J>(source, ws); });
}

}  // namespace vest::inline VEST_ISA
