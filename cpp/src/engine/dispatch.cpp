// Asking the processor what it can run.
#include "engine/dispatch.hpp"

#include <array>
#include <stdexcept>
#include <string>

namespace vest {

#ifdef VEST_X86_LEVELS
namespace x86_64_v3 {
extern const KernelTable kernel_table;
}
namespace x86_64_v4 {
extern const KernelTable kernel_table;
}
#endif

namespace {

/// Best first; the processor cannot change, so this is asked once.
struct Tables {
  Tables() {
#ifdef VEST_X86_LEVELS
    if (__builtin_cpu_supports("x86-64-v4")) runnable[count++] = &x86_64_v4::kernel_table;
    if (__builtin_cpu_supports("x86-64-v3")) runnable[count++] = &x86_64_v3::kernel_table;
#endif
    runnable[count++] = &base::kernel_table;
  }
  std::array<const KernelTable*, 3> runnable{};
  std::size_t count = 0;
};

}  // namespace

std::span<const KernelTable* const> kernel_tables() {
  static const Tables tables;
  return {tables.runnable.data(), tables.count};
}

const KernelTable& kernels_for(std::string_view isa) {
  std::string names;
  for (const KernelTable* table : kernel_tables()) {
    if (isa.empty() || isa == table->isa) return *table;
    names += (names.empty() ? "" : ", ") + std::string(table->isa);
  }
  throw std::invalid_argument("no kernels for " + std::string(isa) + " here; there are " + names);
}

}  // namespace vest
