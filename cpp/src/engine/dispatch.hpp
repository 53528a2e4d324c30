// Which build of the kernels runs: the best one for the processor, chosen when a solver is made.
#pragma once

#include <span>
#include <string_view>

#include "kernels/kernel_table.hpp"

namespace vest {

/// Those that this build has and this processor can run, the best one first.
[[nodiscard]] std::span<const KernelTable* const> kernel_tables();

/// The best one, or the one of that name. Throws std::invalid_argument if it cannot run here.
[[nodiscard]] const KernelTable& kernels_for(std::string_view isa = {});

}  // namespace vest
