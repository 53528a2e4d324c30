// The one formula that both kinds of responsibility come down to.
#pragma once

#include "vest/types.hpp"

namespace vest::inline VEST_ISA {

/// 2e sum r f + e^2 sum f^2 for an element e with the feature f; exactly 0 for one that is zero.
[[nodiscard]] inline double score(double e, double rf, double ff) {
  return 2.0 * e * rf + e * e * ff;
}

}  // namespace vest::inline VEST_ISA
