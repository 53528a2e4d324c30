// Memory for large arrays, straight from the system and straight back to it.
//
// What the C library's allocator is given back in the middle of its heap it keeps, and fits that
// follow one another leave holes that no later array has the size of: a process then takes several
// times what its arrays do. Whole pages that are mapped by themselves leave none.
#pragma once

#include <cstddef>

namespace vest {

/// Arrays of so many bytes and more are mapped; smaller ones are the allocator's business.
inline constexpr std::size_t kMapped = std::size_t{1} << 18;

/// Whole pages, at least `bytes` in all, that begin at a multiple of `alignment`, a power of two.
/// Nothing has been written to them. Throws std::bad_alloc if there is not so much memory.
[[nodiscard]] void* map_pages(std::size_t bytes, std::size_t alignment);
/// Gives them back.
void unmap_pages(void* memory, std::size_t bytes, std::size_t alignment) noexcept;

}  // namespace vest
