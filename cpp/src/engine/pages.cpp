// Mapping pages where the system can, and asking the allocator elsewhere and under sanitizers,
// which watch over what it gives.
#include "vest/pages.hpp"

#include <cstdint>
#include <limits>
#include <new>

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__)
#define MAPS_PAGES
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace vest {

#ifdef MAPS_PAGES
namespace {

std::size_t page_size() {
  static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return page;
}

std::size_t whole_pages(std::size_t bytes) {
  const std::size_t page = page_size();
  if (bytes > std::numeric_limits<std::size_t>::max() - page) throw std::bad_alloc();
  return (bytes + page - 1) / page * page;
}

}  // namespace

void* map_pages(std::size_t bytes, std::size_t alignment) {
  const std::size_t size = whole_pages(bytes);
  if (size > std::numeric_limits<std::size_t>::max() - alignment) throw std::bad_alloc();
  // So many more that a multiple is among them; the rest goes back. Every page begins at some.
  const std::size_t spare = alignment > page_size() ? alignment : 0;
  void* const all =
      mmap(nullptr, size + spare, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) throw std::bad_alloc();
  auto* const begin = static_cast<std::byte*>(all);
  const std::size_t past = reinterpret_cast<std::uintptr_t>(all) % alignment;
  const std::size_t before = past == 0 ? 0 : alignment - past;
  if (before > 0) munmap(begin, before);
  if (spare > before) munmap(begin + before + size, spare - before);
  return begin + before;
}

void unmap_pages(void* memory, std::size_t bytes, std::size_t) noexcept {
  if (memory != nullptr) munmap(memory, whole_pages(bytes));
}
#else
void* map_pages(std::size_t bytes, std::size_t alignment) {
  return ::operator new(bytes, std::align_val_t{alignment});
}

void unmap_pages(void* memory, std::size_t, std::size_t alignment) noexcept {
  ::operator delete(memory, std::align_val_t{alignment});
}
#endif

}  // namespace vest
