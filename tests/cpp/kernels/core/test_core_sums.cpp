// The core's sums over shards, slot by slot: those of all shards are those of the whole.
#include "shards.hpp"

using namespace vest;

namespace {

/// The columns of all slots that a plan has, for the sums that are asked for.
std::vector<double> columns(const test::Problem& problem, const Plan& plan, const CoreSum& which,
                            std::size_t size) {
  test::Rig rig(problem.model, 2, plan);
  core_sums(rig.plan, rig.model, which, rig.ws);
  std::vector<double> all;
  for (std::size_t slot = 0; slot < rig.ws.slots.partial.columns(); ++slot)
    all.insert(all.end(), rig.ws.slots.partial.column(slot),
               rig.ws.slots.partial.column(slot) + size);
  return all;
}

/// The shards of the core's mode have its rows numbered from 0, so here they begin with row 0: one
/// shard has all entries.
void a_shard_of_everything_has_the_slots_of_the_whole(const test::Problem& problem) {
  const std::vector<index_t>& ranks = problem.model.ranks();
  const Plan outline =
      test::outline_of(problem.entries, ranks, {.core = PlanOverrides::Core::kGram});
  const Mode n = outline.core.mode;
  const SparseTensor x = problem.tensor();
  const Plan whole = make_plan(x, ranks, Team(1), {.core = PlanOverrides::Core::kGram});
  const Plan shard = make_shard(&x, outline, n, 0, std::ssize(outline.modes[n].chunks), Team(1));
  const std::size_t size = kernels_for().workspace_sizes(outline).slot;
  const auto got = columns(problem, shard, {CoreSumKind::kGram}, size);
  CHECK(test::same_bits(got, columns(problem, whole, {CoreSumKind::kGram}, size)));
  CHECK(test::all_finite(got));
}

void passes_of_blocks_are_refused() {
  const test::Problem problem = test::make_problem(test::cases()[2]);
  test::Rig rig(problem.tensor(), problem.model, 1, {});
  CHECK_THROWS(core_sums(rig.plan, rig.model, {CoreSumKind::kBlock}, rig.ws),
               std::invalid_argument);
}

}  // namespace

int main() {
  test::for_cases("gram", a_shard_of_everything_has_the_slots_of_the_whole, 20000);
  RUN(passes_of_blocks_are_refused);
  return check::report();
}
