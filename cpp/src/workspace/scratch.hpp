// Scratch memory of one thread.
#pragma once

#include <cstddef>
#include <span>

namespace vest {

/// A thread's own memory, handed out piece by piece from the start of each chunk of work.
class Scratch {
 public:
  explicit Scratch(std::span<double> memory) : left_(memory) {}

  /// Throws std::logic_error if a kernel asks for more than it was sized for.
  [[nodiscard]] double* take(std::size_t size);

 private:
  std::span<double> left_;
};

}  // namespace vest
