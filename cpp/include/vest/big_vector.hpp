// Memory for arrays that are read at random: in huge pages, where the system has them to give.
//
// A read at random from ordinary pages of 4 KiB costs a search through the page tables beside the
// one for the data; pages of 2 MiB spare most of that.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

#include "vest/pages.hpp"

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace vest {

template <class T>
struct HugePages {
  using value_type = T;
  static constexpr std::size_t kPage = std::size_t{1} << 21;
  static constexpr std::size_t kSmallPage = std::size_t{1} << 12;

  HugePages() = default;
  template <class U>
  HugePages(const HugePages<U>&) {}

  [[nodiscard]] T* allocate(std::size_t count) {
    const std::size_t size = count * sizeof(T);
    if (size < kMapped) return static_cast<T*>(::operator new(size));
    void* const memory = map_pages(size, alignment(size));
#ifdef MADV_HUGEPAGE
    if (size >= 2 * kPage) madvise(memory, size, MADV_HUGEPAGE);  // a wish: it changes no result
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) {
    const std::size_t size = count * sizeof(T);
    if (size < kMapped)
      ::operator delete(memory);
    else
      unmap_pages(memory, size, alignment(size));
  }
  [[nodiscard]] static std::size_t alignment(std::size_t size) {
    return size < 2 * kPage ? kSmallPage : kPage;
  }
  friend bool operator==(const HugePages&, const HugePages&) { return true; }
};

template <class T>
using BigVector = std::vector<T, HugePages<T>>;

}  // namespace vest
