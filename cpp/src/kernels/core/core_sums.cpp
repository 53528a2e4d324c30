// The core's sums over a share of the entries, slot by slot, for who adds up those of all shares.
#include "kernels/core/core_by_runs.hpp"
#include "kernels/core/core_moments.hpp"
#include "kernels/core/gram/core_gram.hpp"
#include "kernels/kernels.hpp"

namespace vest::inline VEST_ISA {

void core_sums(const Plan& plan, const TuckerModel& model, const CoreSum& which, Workspace& ws) {
  switch (which.kind) {
    case CoreSumKind::kGram:
      return sum_pairs(plan, model, ws);
    case CoreSumKind::kMoments:
      return sum_moment_features(plan, model, ws);
    case CoreSumKind::kSome:
    case CoreSumKind::kNonZero:
      return sum_by_runs(plan, model, which, ws);
    case CoreSumKind::kBlock:
      break;  // a pass of blocks needs the residuals that the one before has left
  }
  throw std::invalid_argument("these sums cannot be made share by share");
}

}  // namespace vest::inline VEST_ISA
