// Memory that nothing fills: where columns begin, moves, and sizes beyond any memory.
#include "workspace/unfilled.hpp"

#include <cstdint>
#include <new>
#include <utility>

#include "check.hpp"
#include "vest/pages.hpp"

using vest::Unfilled;

namespace {

void columns_stand_one_after_the_other() {
  Unfilled matrix(3, 4);
  CHECK(matrix.rows() == 3 && matrix.columns() == 4 && matrix.size() == 12);
  CHECK(matrix.column(0) == matrix.data());
  CHECK(matrix.column(3) == matrix.data() + 9);
  matrix.column(2)[1] = 5.0;
  CHECK(matrix[7] == 5.0);
  CHECK(reinterpret_cast<std::uintptr_t>(matrix.data()) % 64 == 0);
}

void without_rows_there_is_no_memory() {
  CHECK(Unfilled().data() == nullptr && Unfilled().size() == 0);
  CHECK(Unfilled(0, 5).data() == nullptr && Unfilled(0, 5).columns() == 5);
}

void memory_moves_along() {
  Unfilled from(2);
  from[1] = 3.0;
  const double* const memory = from.data();
  Unfilled to = std::move(from);
  CHECK(to.data() == memory && to.rows() == 2 && to.columns() == 1);
  Unfilled last(7);
  last = std::move(to);
  CHECK(last.data() == memory && last[1] == 3.0 && last.size() == 2);
}

void large_ones_are_mapped() {
  constexpr std::size_t kRows = vest::kMapped / sizeof(double);
  for (const std::size_t rows : {kRows - 1, kRows, kRows + 1}) {
    Unfilled large(rows);
    large[0] = 1.0;
    large[rows - 1] = 2.0;
    CHECK(reinterpret_cast<std::uintptr_t>(large.data()) % 64 == 0);
    Unfilled small(2);
    small = std::move(large);  // each goes the way it came
    CHECK(small[0] == 1.0 && small[rows - 1] == 2.0);
  }
}

void too_much_is_refused() {
  bool refused = false;
  try {
    const Unfilled all(SIZE_MAX / 4, 8);
  } catch (const std::bad_alloc&) {
    refused = true;
  }
  CHECK(refused);
}

}  // namespace

int main() {
  RUN(columns_stand_one_after_the_other);
  RUN(without_rows_there_is_no_memory);
  RUN(memory_moves_along);
  RUN(large_ones_are_mapped);
  RUN(too_much_is_refused);
  return check::report();
}
