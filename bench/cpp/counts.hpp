// How much work an iteration is: multiply-adds that the plan cannot avoid, and bytes it streams.
#pragma once

#include <vector>

#include "vest/plan.hpp"

namespace vest::bench {

/// Of one step. Counted for a model without zeros; kernels that skip zeros do less.
///
/// Streamed are the entries of each pass, the factors it reads or writes, and tables, written once
/// and read once. Rows and tables fetched again because a cache lost them are not counted: if the
/// time is far above both limits, that is where it went.
struct Work {
  double multiply_adds = 0.0;
  double bytes = 0.0;

  Work& operator+=(const Work& other) {
    multiply_adds += other.multiply_adds;
    bytes += other.bytes;
    return *this;
  }
};

struct IterationWork {
  Work factors, core, error, prune;

  [[nodiscard]] Work total() const {
    Work sum = factors;
    return sum += core, sum += error, sum += prune;
  }
};

/// Follows the kernels step by step: change it with them.
[[nodiscard]] IterationWork count_work(const Plan& plan, const std::vector<index_t>& ranks);

}  // namespace vest::bench
