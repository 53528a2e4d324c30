// Where the Gram matrix stands, how pairs are numbered, and that the matrix is what it should be.
#include "kernels/core/gram/gram_layout.hpp"

#include "kernels/core/fiber_sum.hpp"
#include "kernels/core/gram/core_gram.hpp"
#include "problem.hpp"

using namespace vest;

namespace {

using Ranks = std::vector<index_t>;

constexpr PlanOverrides kGram{PlanOverrides::Force::kAuto, PlanOverrides::Core::kGram};

void small_cores_are_one_block() {
  const GramLayout layout(Ranks{4, 8, 8});  // 256 elements
  CHECK(layout.leading == 0 && layout.lead_size == 1 && layout.lead_pairs == 1);
  CHECK(layout.block == 256 && layout.size() == 256 * 256);
}

void large_cores_are_blocks_of_trailing_modes() {
  const GramLayout layout(Ranks{5, 4, 16, 8});  // 2,560 elements
  CHECK(layout.leading == 2 && layout.block == 128);
  CHECK(layout.lead_size == 20);
  CHECK(layout.lead_pairs == 15 * 10);
  CHECK(layout.size() == 150 * 128 * 128);
  CHECK(GramLayout(Ranks{40, 5, 7}).block == 35 && GramLayout(Ranks{40, 5, 7}).stride == 36);
  const GramLayout wide(Ranks{3, 2, 500});  // the last mode alone is past a block's size
  CHECK(wide.leading == 2 && wide.block == 500);
}

/// Each unordered pair has a place of its own, and there the product is found.
void pairs_are_numbered() {
  for (std::size_t rank = 1; rank <= kFixedRanks + 2; ++rank) {
    const PairLayout layout(rank);
    CHECK(layout.size() >= pair_count(rank) && layout.size() <= pair_count(rank) + 7);
    std::vector<int> taken(layout.size(), 0);
    std::vector<double> a;
    for (std::size_t j = 0; j < rank; ++j) a.push_back(static_cast<double>(j) + 1.5);
    std::vector<double> sum(layout.size() + 1, 1.0);
    std::vector<double> memory(rank);
    with_rank(rank, [&]<int J>() {
      Scratch scratch(memory);
      Row<J> row(rank, scratch);
      row.load(a.data());
      add_pairs(row, sum.data());
    });
    for (std::size_t j = 0; j < rank; ++j)
      for (std::size_t k = j; k < rank; ++k) {
        CHECK(layout.index(j, k) == layout.index(k, j));
        ++taken[layout.index(j, k)];
        CHECK(sum[layout.index(j, k)] == 1.0 + a[j] * a[k]);
        CHECK(pair_of(pair_index(j, k, rank), rank) == std::pair(j, k));
      }
    CHECK(std::ranges::max(taken) == 1);
    CHECK(sum.back() == 1.0);
  }
}

/// What the sweep leaves in the workspace is the matrix of inner products of all core features.
void the_matrix_is_the_sum_of_products() {
  const test::Problem problem = test::make_problem({"", {9, 8, 7, 6}, {2, 3, 1, 2}, 150});
  const literal::Entries& x = problem.entries;
  const literal::CoreIndices j(problem.model);
  std::vector<double> want(j.count() * j.count(), 0.0);
  for (pos_t e = 0; e < x.nnz(); ++e)
    for (std::size_t b = 0; b < j.count(); ++b)
      for (std::size_t c = 0; c < j.count(); ++c)
        want[b * j.count() + c] += literal::product(problem.model, x.alpha(e), j[b], 4) *
                                   literal::product(problem.model, x.alpha(e), j[c], 4);
  test::Rig rig(problem.tensor(), problem.model, 2, kGram);
  sweep_by_gram(rig.plan, {PenaltyKind::kFrobenius, test::kLambda}, rig.model, rig.ws);
  static_assert(leaf_size<Feature::kValues>(12) == 12);  // rows of 12 need no padding
  CHECK_CLOSE(test::apart(rig.ws.gram.matrix, want), 0.0, test::kTol);
}

}  // namespace

int main() {
  RUN(small_cores_are_one_block);
  RUN(large_cores_are_blocks_of_trailing_modes);
  RUN(pairs_are_numbered);
  RUN(the_matrix_is_the_sum_of_products);
  return check::report();
}
