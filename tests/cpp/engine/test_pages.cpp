// Pages begin where they should, are the process's own, and go back to the system at once.
#include "vest/pages.hpp"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <new>
#include <vector>

#include "check.hpp"
#include "sanitizers.hpp"

using vest::map_pages;
using vest::unmap_pages;

namespace {

constexpr std::size_t kHuge = std::size_t{1} << 21;

void they_begin_at_a_multiple() {
  for (const std::size_t alignment : {std::size_t{64}, std::size_t{4096}, kHuge})
    for (const std::size_t bytes : {std::size_t{1}, vest::kMapped, vest::kMapped + 5, 3 * kHuge}) {
      auto* const memory = static_cast<unsigned char*>(map_pages(bytes, alignment));
      CHECK(reinterpret_cast<std::uintptr_t>(memory) % alignment == 0);
      std::memset(memory, 7, bytes);
      CHECK(memory[0] == 7 && memory[bytes - 1] == 7);
      unmap_pages(memory, bytes, alignment);
    }
}

#ifndef UNDER_ADDRESS_SANITIZER  // which ends the process where others throw
void too_much_is_refused() {
  for (const std::size_t bytes : {SIZE_MAX, SIZE_MAX - 5000, SIZE_MAX / 2}) {
    bool refused = false;
    try {
      unmap_pages(map_pages(bytes, kHuge), bytes, kHuge);
    } catch (const std::bad_alloc&) {
      refused = true;
    }
    CHECK(refused);
  }
  unmap_pages(nullptr, 5, 64);
}
#endif

/// Pages of this process that are in memory; zero where nobody tells.
long resident() {
  std::ifstream file("/proc/self/statm");
  long all = 0, found = 0;
  file >> all >> found;
  return found;
}

void they_go_back_at_once() {
  const long before = resident();
  if (before == 0) return;
  constexpr std::size_t kBytes = 32 * kHuge;
  std::vector<void*> pieces;
  for (int i = 0; i < 4; ++i) {
    pieces.push_back(map_pages(kBytes, kHuge));
    std::memset(pieces.back(), 1, kBytes);
  }
  const long most = resident();
  CHECK(static_cast<std::size_t>(most - before) * 4096 >= 3 * kBytes);
  for (const int i : {2, 0, 3}) unmap_pages(pieces[static_cast<std::size_t>(i)], kBytes, kHuge);
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  CHECK(static_cast<std::size_t>(resident() - before) * 4096 < 2 * kBytes);
#endif
  unmap_pages(pieces[1], kBytes, kHuge);
}

}  // namespace

int main() {
  RUN(they_begin_at_a_multiple);
#ifndef UNDER_ADDRESS_SANITIZER
  RUN(too_much_is_refused);
#endif
  RUN(they_go_back_at_once);
  return check::report();
}
