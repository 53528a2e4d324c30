// The estimate of a fit's memory: its parts add up, and grow with what they depend on.
#include "vest/memory.hpp"

#include <vector>

#include "check.hpp"

namespace {

using vest::estimate_memory;
using vest::MemoryEstimate;
using Shape = std::vector<vest::pos_t>;
using Ranks = std::vector<vest::index_t>;

void the_tensor_and_its_sorted_copies_are_exact() {
  const MemoryEstimate bytes = estimate_memory(Shape{10, 20, 30}, 1000, Ranks{2, 2, 2}, 1);
  CHECK_CLOSE(bytes.tensor, 1000 * (3 * 4 + 8.0), 0.0);
  CHECK_CLOSE(bytes.plan, 3 * 1000 * 16.0 + (10 + 20 + 30) * 4.0, 0.0);
  CHECK_CLOSE(bytes.model, (2 * 60 + 8) * 9.0, 0.0);
}

void the_peak_is_the_larger_of_sorting_and_iterating() {
  MemoryEstimate bytes{1.0, 2.0, 3.0, 10.0, 4.0};
  CHECK_CLOSE(bytes.peak(), 16.0, 0.0);
  bytes.workspace = 20.0;
  CHECK_CLOSE(bytes.peak(), 26.0, 0.0);
}

void threads_sort_side_by_side_up_to_the_order() {
  const auto sorting = [](int threads) {
    return estimate_memory(Shape{10, 20, 30}, 1000, Ranks{2, 2, 2}, threads).sorting;
  };
  CHECK_CLOSE(sorting(2), 2.0 * sorting(1), 0.0);
  CHECK_CLOSE(sorting(8), 3.0 * sorting(1), 0.0);
}

void a_core_too_large_for_a_gram_matrix_keeps_residuals_instead() {
  const auto with_entries = [](vest::pos_t entries) {
    return estimate_memory(Shape(10, 50), entries, Ranks(10, 3), 1).workspace;
  };
  CHECK(with_entries(2'000'000) > with_entries(1'000'000) + 20e6);
}

}  // namespace

int main() {
  RUN(the_tensor_and_its_sorted_copies_are_exact);
  RUN(the_peak_is_the_larger_of_sorting_and_iterating);
  RUN(threads_sort_side_by_side_up_to_the_order);
  RUN(a_core_too_large_for_a_gram_matrix_keeps_residuals_instead);
  return check::report();
}
