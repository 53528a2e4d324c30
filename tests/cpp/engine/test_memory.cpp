// The estimate of a fit's memory: its parts add up, and grow with what they depend on.
#include "vest/memory.hpp"

#include <stdexcept>
#include <vector>

#include "sparse_cores.hpp"

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

void weights_are_counted_where_they_are_kept() {
  const auto bytes = [](bool weighted) {
    return estimate_memory(Shape{10, 20, 30}, 1000, Ranks{2, 2, 2}, 1, vest::Allocation::kPerPart,
                           {.weighted = weighted});
  };
  CHECK_CLOSE(bytes(true).tensor - bytes(false).tensor, 1000 * 8.0, 0.0);
  CHECK_CLOSE(bytes(true).plan - bytes(false).plan, 3 * 1000 * 8.0, 0.0);
  CHECK_CLOSE(bytes(true).workspace - bytes(false).workspace, 0.0, 0.0);
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

/// Every array that grows with something, as a workspace has it, is within the estimate.
void check_workspace(const vest::test::Case& c, vest::MemoryNeeds needs) {
  {
    vest::test::NoisyProblem noisy = vest::test::make_noisy(c);
    vest::test::Problem plain = vest::test::make_problem(c);
    const vest::test::Problem& problem = needs.noise ? noisy.problem : plain;
    const vest::test::Rig rig(
        problem.tensor(), problem.model, 1,
        needs.sparse_core ? vest::test::by_runs(true) : vest::PlanOverrides{});
    const vest::Workspace& ws = rig.ws;
    double doubles = 0.0;
    for (const std::size_t size :
         {ws.slots.partial.size(), ws.slots.total.size(), ws.blocks.residual.size(),
          ws.blocks.lead.size(), ws.blocks.product.size(), ws.threads.size(),
          ws.pass.pieces.size()})
      doubles += static_cast<double>(size);
    for (const std::size_t size :
         {ws.pass.tables.size(), ws.pass.core.size(), ws.pass.squares.size(), ws.gram.matrix.size(),
          ws.gram.target.size(), ws.gram.change.size(), ws.gram.offsets.size(), ws.gradient.size(),
          ws.denominator.size()})
      doubles += static_cast<double>(size);
    double bytes = 8.0 * doubles + static_cast<double>(ws.pass.zero.size());
    for (vest::Mode n = 0; n < c.shape.size(); ++n)
      bytes += static_cast<double>(ws.empty[n].size());
    CHECK(bytes <=
          estimate_memory(c.shape, c.entries, Ranks(c.ranks), 1, vest::Allocation::kPerPart, needs)
              .workspace);
  }
}

void a_workspace_is_within_it() {
  for (const vest::test::Case& c : vest::test::cases())
    for (const bool noise : {false, true})
      for (const bool sparse_core : {false, true}) check_workspace(c, {noise, sparse_core});
}

void variances_take_a_number_for_each_element() {
  const auto bytes = [](bool noise) {
    return estimate_memory(Shape{10, 20, 30}, 1000, Ranks{2, 2, 2}, 1, vest::Allocation::kPerPart,
                           {noise, false});
  };
  CHECK_CLOSE(bytes(true).model - bytes(false).model, 8.0 * (2 * 60 + 8), 1e-9);
  CHECK_CLOSE(bytes(true).workspace - bytes(false).workspace, 8.0 * 8, 1e-9);
}

/// What grows is the residuals alone, whatever the core's size; there are no tables.
void a_sparse_core_takes_little() {
  const auto workspace = [](vest::pos_t entries, vest::index_t rank) {
    return estimate_memory(Shape(4, 50), entries, Ranks(4, rank), 1, vest::Allocation::kPerPart,
                           {true, true})
        .workspace;
  };
  CHECK(workspace(2'000'000, 22) < workspace(1'000'000, 22) + 10e6);
  CHECK(workspace(1'000'000, 22) < 8e6 + 2 * 8.0 * 22 * 22 * 22 * 22 + 8e6);
}

void one_ranking_of_all_elements_takes_a_number_for_each() {
  const auto workspace = [](vest::Allocation allocation) {
    return estimate_memory(Shape{10, 20, 30}, 1000, Ranks{2, 2, 2}, 1, allocation).workspace;
  };
  CHECK_CLOSE(workspace(vest::Allocation::kGlobal) - workspace(vest::Allocation::kPerPart),
              8.0 * (2 * 60 + 8 - 60), 1e-9);
}

void a_core_too_large_for_a_gram_matrix_keeps_residuals_instead() {
  const auto with_entries = [](vest::pos_t entries) {
    return estimate_memory(Shape(10, 50), entries, Ranks(10, 3), 1).workspace;
  };
  CHECK(with_entries(2'000'000) > with_entries(1'000'000) + 20e6);
}

void ranks_that_no_model_has_are_refused() {
  for (const Ranks& ranks : {Ranks{0, 2, 2}, Ranks{2, 2, -1}, Ranks{2, 2}, Ranks{}})
    CHECK_THROWS(estimate_memory(Shape{10, 20, 30}, 1000, ranks, 1), std::invalid_argument);
  CHECK_THROWS(estimate_memory(Shape{}, 1000, Ranks{}, 1), std::invalid_argument);
}

}  // namespace

int main() {
  RUN(the_tensor_and_its_sorted_copies_are_exact);
  RUN(ranks_that_no_model_has_are_refused);
  RUN(weights_are_counted_where_they_are_kept);
  RUN(the_peak_is_the_larger_of_sorting_and_iterating);
  RUN(threads_sort_side_by_side_up_to_the_order);
  RUN(one_ranking_of_all_elements_takes_a_number_for_each);
  RUN(a_workspace_is_within_it);
  RUN(variances_take_a_number_for_each_element);
  RUN(a_sparse_core_takes_little);
  RUN(a_core_too_large_for_a_gram_matrix_keeps_residuals_instead);
  return check::report();
}
