// The workspace: scratch that never runs over, and slots that cover all chunks within their means.
#include "workspace/workspace.hpp"

#include "kernels/core/gram_layout.hpp"
#include "problem.hpp"
#include "workspace/sizes.hpp"

using namespace vest;

namespace {

using Force = PlanOverrides::Force;
using Core = PlanOverrides::Core;

void every_thread_has_its_own_scratch() {
  const test::Problem problem = test::make_problem(test::cases()[2]);
  for (const int threads : test::kThreads) {
    test::Rig rig(problem.tensor(), problem.model, threads, {});
    CHECK(rig.ws.threads.columns() == static_cast<std::size_t>(rig.team.threads()));
    const std::size_t size = rig.ws.threads.rows();
    for (int t = 0; t + 1 < rig.team.threads(); ++t)
      CHECK(rig.ws.scratch(t).take(size) + size <= rig.ws.scratch(t + 1).take(size));
  }
}

void slots_cover_all_chunks() {
  test::for_cases("slots", [](const test::Problem& problem) {
    for (const Core core : {Core::kGram, Core::kBlocks}) {
      test::Rig rig(problem.tensor(), problem.model, 1, {Force::kAuto, core});
      const CoreSlots& slots = rig.ws.slots;
      CHECK(slots.cut.size == std::ssize(rig.plan.modes[rig.plan.core.mode].chunks));
      CHECK(slots.cut.count() >= 1 && slots.cut.count() <= 64);
      CHECK(slots.partial.columns() == static_cast<std::size_t>(slots.cut.count()));
      CHECK(slots.partial.rows() == slots.total.size());
      CHECK(slots.total.size() > rig.model.values(0).size());
    }
  });
}

/// The same number of slots for any number of threads, or sums would have other bits.
void slots_do_not_depend_on_threads() {
  const test::Problem problem = test::make_problem({"", {3, 90, 80}, {2, 2, 2}, 5000});
  test::Rig one(problem.tensor(), problem.model, 1, {});
  test::Rig many(problem.tensor(), problem.model, 8, {});
  CHECK(one.ws.slots.cut.count() > 4);
  CHECK(one.ws.slots.cut.count() == many.ws.slots.cut.count());
  CHECK(one.ws.slots.cut.step == many.ws.slots.cut.step);
}

/// A large core leaves room for few slots: all partial sums together stay within 128 MiB.
void slots_stay_within_their_means() {
  const test::Problem problem = test::make_problem({"", {3, 90, 80}, {14, 13, 13}, 5000});
  test::Rig rig(problem.tensor(), problem.model, 1, {Force::kAuto, Core::kGram});
  CHECK(rig.plan.modes[rig.plan.core.mode].chunks.size() > 8);
  CHECK(rig.ws.slots.partial.size() <= std::size_t{1} << 24);
  CHECK(rig.ws.slots.cut.count() < 64 && rig.ws.slots.cut.count() > 1);
}

void tables_are_there_if_the_plan_wants_them() {
  const test::Problem problem = test::make_problem(test::cases()[4]);
  test::Rig tables(problem.tensor(), problem.model, 1, {Force::kTables, Core::kGram});
  test::Rig fly(problem.tensor(), problem.model, 1, {Force::kOnTheFly, Core::kGram});
  std::size_t most = 0;
  for (const ModePlan& mode : tables.plan.modes)
    most = std::max(most,
                    static_cast<std::size_t>(mode.tuple_count) *
                        table_size(problem.model.rank(mode.last), problem.model.rank(mode.mode)));
  CHECK(tables.ws.pass.tables.size() == most);
  CHECK(fly.ws.pass.tables.empty());
}

void each_core_sweep_has_its_own_memory() {
  const test::Problem problem = test::make_problem(test::cases()[4]);
  const auto nnz = static_cast<std::size_t>(problem.entries.nnz());
  test::Rig gram(problem.tensor(), problem.model, 1, {Force::kAuto, Core::kGram});
  CHECK(gram.ws.gram.matrix.size() == GramLayout(problem.model.ranks()).size());
  CHECK(gram.ws.blocks.residual.size() == 0);
  test::Rig blocks(problem.tensor(), problem.model, 1, {Force::kAuto, Core::kBlocks});
  CHECK(blocks.ws.gram.matrix.empty());
  CHECK(blocks.ws.blocks.residual.size() == nnz && blocks.ws.blocks.product.size() == nnz);
}

/// Of a core that is read by its non-zero elements there is no copy, and nothing is made of it.
void a_sparse_core_has_residuals_alone() {
  const test::Problem problem = test::make_problem(test::cases()[4]);
  test::Rig rig(problem.tensor(), problem.model, 1, {Force::kAuto, Core::kRuns, true});
  CHECK(rig.ws.pass.core.empty() && rig.ws.pass.tables.empty() && rig.ws.pass.zero.empty());
  CHECK(rig.ws.gram.matrix.empty() && rig.ws.denominator.empty());
  CHECK(rig.ws.blocks.residual.size() == static_cast<std::size_t>(problem.entries.nnz()));
  CHECK(rig.ws.blocks.lead.size() == 0 && rig.ws.blocks.product.size() == 0);
}

void pieces_have_a_column_each() {
  const test::Problem problem = test::make_problem(test::cases()[7]);
  test::Rig rig(problem.tensor(), problem.model, 1, {});
  const ModePlan& mode = rig.plan.modes[0];
  CHECK(mode.piece_count > 4);
  CHECK(rig.ws.pass.pieces.columns() == static_cast<std::size_t>(mode.piece_count));
}

}  // namespace

int main() {
  RUN(every_thread_has_its_own_scratch);
  slots_cover_all_chunks();
  RUN(slots_do_not_depend_on_threads);
  RUN(slots_stay_within_their_means);
  RUN(tables_are_there_if_the_plan_wants_them);
  RUN(each_core_sweep_has_its_own_memory);
  RUN(a_sparse_core_has_residuals_alone);
  RUN(pieces_have_a_column_each);
  return check::report();
}
