// The paper's scalability figure: time per iteration over a series of tensors or threads.
#pragma once

#include "json.hpp"
#include "options.hpp"

namespace vest::bench {

/// Runs and prints the series that the options name.
[[nodiscard]] Json run_series(const Options& options);

}  // namespace vest::bench
