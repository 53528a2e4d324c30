// How a fit fares beside processes that never rest: the machine is seldom ours alone.
#pragma once

#include "json.hpp"
#include "options.hpp"

namespace vest::bench {

/// Times 40 iterations with one and two threads beside 0, 1, 2 and 4 busy processes, and compares
/// two threads with the better of one thread and their fair share of the processors.
[[nodiscard]] Json run_busy(Options options);

}  // namespace vest::bench
