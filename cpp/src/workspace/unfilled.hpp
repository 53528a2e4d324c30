// Memory for numbers that are written before they are read: nothing fills it at first.
#pragma once

#include <cstddef>

namespace vest {

/// A matrix of `rows` x `columns`, column by column; one column by itself is a vector. Builds of
/// the kernels for different processors must not share its functions: they are compiled once in
/// unfilled.cpp, or always inline.
class Unfilled {
 public:
  Unfilled() = default;
  /// Throws std::bad_alloc if there is not so much memory.
  explicit Unfilled(std::size_t rows, std::size_t columns = 1);
  Unfilled(Unfilled&& other) noexcept;
  Unfilled& operator=(Unfilled&& other) noexcept;
  ~Unfilled();

  [[nodiscard, gnu::always_inline]] std::size_t rows() const { return rows_; }
  [[nodiscard, gnu::always_inline]] std::size_t columns() const { return columns_; }
  [[nodiscard, gnu::always_inline]] std::size_t size() const { return rows_ * columns_; }

  [[nodiscard, gnu::always_inline]] double* data() { return memory_; }
  [[nodiscard, gnu::always_inline]] const double* data() const { return memory_; }
  [[nodiscard, gnu::always_inline]] double& operator[](std::size_t i) { return memory_[i]; }
  [[nodiscard, gnu::always_inline]] double* column(std::size_t i) { return memory_ + i * rows_; }
  [[nodiscard, gnu::always_inline]] const double* column(std::size_t i) const {
    return memory_ + i * rows_;
  }

 private:
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  double* memory_ = nullptr;
};

}  // namespace vest
