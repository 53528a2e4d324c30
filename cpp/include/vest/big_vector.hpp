// Memory for arrays that are read at random: in huge pages, where the system has them to give.
//
// A read at random from ordinary pages of 4 KiB costs a search through the page tables beside the
// one for the data; pages of 2 MiB spare most of that.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace vest {

template <class T>
struct HugePages {
  using value_type = T;
  static constexpr std::size_t kPage = std::size_t{1} << 21;

  HugePages() = default;
  template <class U>
  HugePages(const HugePages<U>&) {}

  [[nodiscard]] T* allocate(std::size_t count) {
    const std::size_t size = count * sizeof(T);
    if (size < 2 * kPage) return static_cast<T*>(::operator new(size));
    void* const memory = ::operator new(size, std::align_val_t{kPage});
#ifdef MADV_HUGEPAGE
    madvise(memory, size, MADV_HUGEPAGE);  // a wish: whether it is granted changes no result
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) {
    if (count * sizeof(T) < 2 * kPage)
      ::operator delete(memory);
    else
      ::operator delete(memory, std::align_val_t{kPage});
  }
  friend bool operator==(const HugePages&, const HugePages&) { return true; }
};

template <class T>
using BigVector = std::vector<T, HugePages<T>>;

}  // namespace vest
