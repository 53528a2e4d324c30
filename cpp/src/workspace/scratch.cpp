// Handing out scratch memory.
#include "workspace/scratch.hpp"

#include <stdexcept>

namespace vest {

double* Scratch::take(std::size_t size) {
  if (size > left_.size()) throw std::logic_error("a kernel's scratch was sized too small");
  double* const taken = left_.data();
  left_ = left_.subspan(size);
  return taken;
}

}  // namespace vest
