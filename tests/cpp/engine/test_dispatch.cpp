// Which kernels run: the best this processor can, the one asked for, or an error that names them.
#include "engine/dispatch.hpp"

#include <set>
#include <string>

#include "problem.hpp"

using namespace vest;

namespace {

void the_best_come_first_and_the_base_is_always_there() {
  const auto tables = kernel_tables();
  CHECK(!tables.empty());
  CHECK(std::string(tables.back()->isa) == "base");
  std::set<std::string> names;
  for (const KernelTable* table : tables) names.insert(table->isa);
  CHECK(names.size() == tables.size());
  CHECK(kernel_tables().data() == tables.data());  // asked once
}

void kernels_are_found_by_name() {
  CHECK(&kernels_for() == kernel_tables().front());
  CHECK(&kernels_for("") == kernel_tables().front());
  for (const KernelTable* table : kernel_tables()) CHECK(&kernels_for(table->isa) == table);
}

void an_unknown_name_is_refused() {
  try {
    static_cast<void>(kernels_for("abacus"));
    CHECK(false);
  } catch (const std::invalid_argument& error) {
    const std::string said = error.what();
    CHECK(said.find("abacus") != std::string::npos);
    for (const KernelTable* table : kernel_tables())
      CHECK(said.find(table->isa) != std::string::npos);
  }
}

}  // namespace

int main() {
  RUN(the_best_come_first_and_the_base_is_always_there);
  RUN(kernels_are_found_by_name);
  RUN(an_unknown_name_is_refused);
  return check::report();
}
