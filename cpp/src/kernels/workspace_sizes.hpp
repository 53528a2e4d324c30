// How much memory the kernels need, as their layouts have it.
#pragma once

#include "vest/plan.hpp"
#include "workspace/workspace.hpp"

namespace vest::inline VEST_ISA {

/// The most that any kernel asks for. Of the plan only choices and counts are read, no entries: a
/// plan without entries tells what a fit would need.
[[nodiscard]] WorkspaceSizes workspace_sizes(const Plan& plan);

}  // namespace vest::inline VEST_ISA
