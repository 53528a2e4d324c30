// The core update: which of the exact sweeps runs is the plan's choice.
#include "kernels/core/core_blocks.hpp"
#include "kernels/core/core_by_runs.hpp"
#include "kernels/core/core_moments.hpp"
#include "kernels/core/gram/core_gram.hpp"
#include "kernels/kernels.hpp"

namespace vest::inline VEST_ISA {

void update_core(const Plan& plan, const Penalty& penalty, TuckerModel& model, Workspace& ws) {
  if (plan.core.strategy == CoreStrategy::kRuns) return sweep_by_runs(plan, penalty, model, ws);
  if (penalty.kind == PenaltyKind::kNoise) sum_moments(plan, penalty, model, ws);
  if (plan.core.strategy == CoreStrategy::kGram)
    sweep_by_gram(plan, penalty, model, ws);
  else
    sweep_by_blocks(plan, penalty, model, ws);
}

}  // namespace vest::inline VEST_ISA
