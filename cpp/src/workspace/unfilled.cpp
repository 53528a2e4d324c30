// Asking for memory that begins with a cache line, and giving it back.
#include "workspace/unfilled.hpp"

#include <new>
#include <utility>

#include "vest/pages.hpp"

namespace vest {
namespace {

constexpr std::size_t kLine = 64;

}  // namespace

Unfilled::Unfilled(std::size_t rows, std::size_t columns) : rows_(rows), columns_(columns) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(rows, columns, &bytes) ||
      __builtin_mul_overflow(bytes, sizeof(double), &bytes))
    throw std::bad_alloc();
  if (bytes >= kMapped)
    memory_ = static_cast<double*>(map_pages(bytes, kLine));
  else if (bytes > 0)
    memory_ = static_cast<double*>(::operator new(bytes, std::align_val_t{kLine}));
}

Unfilled::Unfilled(Unfilled&& other) noexcept { *this = std::move(other); }

Unfilled& Unfilled::operator=(Unfilled&& other) noexcept {
  std::swap(rows_, other.rows_);
  std::swap(columns_, other.columns_);
  std::swap(memory_, other.memory_);
  return *this;
}

Unfilled::~Unfilled() {
  const std::size_t bytes = size() * sizeof(double);
  if (bytes >= kMapped)
    unmap_pages(memory_, bytes, kLine);
  else
    ::operator delete(memory_, std::align_val_t{kLine});
}

}  // namespace vest
