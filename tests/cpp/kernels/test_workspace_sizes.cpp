// What the kernels say they need: kernels run within it, and it needs no entries to be told.
#include "kernels/workspace_sizes.hpp"

#include "problem.hpp"

using namespace vest;

namespace {

using Force = PlanOverrides::Force;
using Core = PlanOverrides::Core;

/// Scratch, tables, sums and layouts all appear; what a strategy does not need is not asked for.
void each_strategy_asks_for_its_own() {
  const test::Problem problem = test::make_problem(test::cases()[4]);
  const std::vector<index_t>& ranks = problem.model.ranks();
  const auto sizes = [&](Force tables, Core core) {
    return workspace_sizes(make_plan(problem.tensor(), ranks, Team(1), {tables, core}));
  };
  const WorkspaceSizes gram = sizes(Force::kTables, Core::kGram);
  const WorkspaceSizes blocks = sizes(Force::kOnTheFly, Core::kBlocks);
  CHECK(gram.tables > 0 && blocks.tables == 0);
  CHECK(gram.gram > 0 && gram.offsets > 0);
  CHECK(blocks.gram == 0 && blocks.offsets == 0);
  CHECK(gram.slot > blocks.slot);
  for (const WorkspaceSizes& each : {gram, blocks}) {
    CHECK(each.core >= problem.model.values(0).size());
    CHECK(each.scratch > 0 && each.row_sums > 0 && each.slot > 0);
  }
}

/// The entries of a plan do not matter, only its choices and counts.
void entries_are_not_read() {
  test::for_cases("sizes", [](const test::Problem& problem) {
    Plan plan = make_plan(problem.tensor(), problem.model.ranks(), Team(1));
    const WorkspaceSizes with = workspace_sizes(plan);
    for (ModePlan& mode : plan.modes) {
      mode.value.clear();
      mode.tuple.clear();
      mode.last_index.clear();
      mode.tuple_coords.clear();
    }
    const WorkspaceSizes without = workspace_sizes(plan);
    CHECK(with.scratch == without.scratch && with.core == without.core);
    CHECK(with.tables == without.tables && with.row_sums == without.row_sums);
    CHECK(with.slot == without.slot && with.gram == without.gram);
  });
}

}  // namespace

int main() {
  RUN(each_strategy_asks_for_its_own);
  entries_are_not_read();
  return check::report();
}
