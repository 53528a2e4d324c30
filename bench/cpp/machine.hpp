// What this machine can do, measured in the same run, and what the program was built with.
#pragma once

#include <string>

#include "vest/types.hpp"

namespace vest::bench {

struct Machine {
  std::string cpu;
  int threads = 1;
  std::string instructions;  ///< With which the peak was measured: the best that the CPU has.
  double gflops = 0.0;       ///< Multiply-adds in registers, two operations each.
  double gbytes = 0.0;       ///< STREAM's triad, counted as STREAM does: 24 bytes per element.
};

/// Takes a second or so on the given number of threads.
[[nodiscard]] Machine measure_machine(int threads);

/// Compiler, its flags, and the version of the library.
[[nodiscard]] std::string compiler();
[[nodiscard]] std::string flags();
[[nodiscard]] std::string version();

/// The most memory the process has held since the last reset, in bytes; 0 where unknown. Where
/// the kernel refuses the reset, the figure includes what was there before.
[[nodiscard]] pos_t peak_memory();
void reset_peak_memory();

}  // namespace vest::bench
