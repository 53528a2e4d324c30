// The kernels as compiled for one instruction set, in a table that the engine can choose.
#pragma once

#include "kernels/kernels.hpp"
#include "kernels/workspace_sizes.hpp"

namespace vest {

/// Each member is the function of that name.
struct KernelTable {
  const char* isa;
  decltype(&vest::workspace_sizes) workspace_sizes;
  decltype(&vest::update_factor) update_factor;
  decltype(&vest::row_sums) row_sums;
  decltype(&vest::solve_rows) solve_rows;
  decltype(&vest::update_core) update_core;
  decltype(&vest::squared_error) squared_error;
  decltype(&vest::factor_responsibilities) factor_responsibilities;
  decltype(&vest::core_responsibilities) core_responsibilities;
  decltype(&vest::core_sums) core_sums;
  decltype(&vest::predict) predict;
  decltype(&vest::predict_variances) predict_variances;
  decltype(&vest::top_k) top_k;
};

inline namespace VEST_ISA {
extern const KernelTable kernel_table;
}

}  // namespace vest
