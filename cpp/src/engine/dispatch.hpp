// Which build of the kernels runs: the best one for the processor, chosen when a solver is made.
#pragma once

#include <span>
#include <string_view>

#include "kernels/kernels.hpp"

namespace vest {

/// The kernels as compiled for one instruction set; each member is the function of that name.
struct KernelTable {
  const char* isa;
  decltype(&vest::update_factor) update_factor;
  decltype(&vest::update_core) update_core;
  decltype(&vest::squared_error) squared_error;
  decltype(&vest::factor_responsibilities) factor_responsibilities;
  decltype(&vest::core_responsibilities) core_responsibilities;
  decltype(&vest::predict) predict;
};

/// Those that this build has and this processor can run, the best one first.
[[nodiscard]] std::span<const KernelTable* const> kernel_tables();

/// The best one, or the one of that name. Throws std::invalid_argument if it cannot run here.
[[nodiscard]] const KernelTable& kernels_for(std::string_view isa = {});

}  // namespace vest
