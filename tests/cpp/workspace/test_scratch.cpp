// Scratch memory is handed out once and never runs over.
#include "workspace/scratch.hpp"

#include <stdexcept>
#include <vector>

#include "check.hpp"

using namespace vest;

namespace {

void scratch_is_handed_out_once() {
  std::vector<double> memory(10);
  Scratch scratch(memory);
  CHECK(scratch.take(4) == memory.data());
  CHECK(scratch.take(0) == memory.data() + 4);
  CHECK(scratch.take(6) == memory.data() + 4);
  CHECK_THROWS(scratch.take(1), std::logic_error);
}

}  // namespace

int main() {
  RUN(scratch_is_handed_out_once);
  return check::report();
}
