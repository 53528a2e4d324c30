// Looking ahead: every row that entries will read is asked for once, and nothing outside arrays.
#include "workspace/lookahead.hpp"

#include <map>

#include "problem.hpp"

using namespace vest;

namespace {

using Requests = std::map<std::pair<const void*, std::size_t>, int>;  // (address, bytes): how often

constexpr pos_t kFar = 8000;  // rows of three that no cache holds

test::Problem problem_with(const std::vector<pos_t>& shape, pos_t entries) {
  return test::make_problem({"", shape, std::vector<index_t>(shape.size(), 3), entries, 0.0});
}

Requests asked_for(const Lookahead& lookahead, const ModePlan& plan) {
  Requests asked;
  const pos_t beyond = std::ssize(plan.value) + 2 * Lookahead::kRun;
  for (pos_t begin = 0; begin < beyond; begin += Lookahead::kRun)
    lookahead.requests(begin,
                       [&](const void* address, std::size_t bytes) { ++asked[{address, bytes}]; });
  return asked;
}

/// What entries read: rows of far factors; from the second look on, far coordinates of tuples.
Requests read(const test::Rig& rig, const ModePlan& plan, bool on_the_fly) {
  Requests all;
  const auto read_row = [&](Mode n, index_t i) {
    if (rig.model.values(n + 1).size_bytes() > Lookahead::kNear)
      ++all[{rig.model.row(n, i), rig.model.rank(n) * sizeof(double)}];
  };
  const bool far_coords = plan.tuple_coords.size() * sizeof(index_t) > Lookahead::kNear;
  for (std::size_t e = 0; e < plan.value.size(); ++e) {
    read_row(plan.last, plan.last_index[e]);
    if (!on_the_fly) continue;
    const auto coords = plan.coords_of(plan.tuple[e]);
    for (std::size_t k = 0; k < coords.size(); ++k) read_row(plan.tuple_modes[k], coords[k]);
    if (far_coords && e >= kAhead) ++all[{coords.data(), coords.size_bytes()}];
  }
  return all;
}

void what_is_far_is_asked_for() {
  const std::vector<std::vector<pos_t>> shapes{
      {kFar, kFar}, {kFar, 5, kFar}, {kFar, kFar, kFar}, {20, kFar, 9, kFar}, {7, 8, 9, 10}};
  for (const auto& shape : shapes)
    for (const pos_t entries : {pos_t{5}, pos_t{503}}) {  // the last run is not a whole one
      const test::Problem problem = problem_with(shape, entries);
      for (const auto force : {PlanOverrides::Force::kTables, PlanOverrides::Force::kOnTheFly}) {
        const test::Rig rig(problem.tensor(), problem.model, 1, {force});
        const bool on_the_fly = force == PlanOverrides::Force::kOnTheFly;
        for (const ModePlan& plan : rig.plan.modes) {
          const Lookahead lookahead(plan, rig.model, rig.ws.empty, false, on_the_fly);
          CHECK(asked_for(lookahead, plan) == read(rig, plan, on_the_fly));
        }
      }
    }
}

/// Short modes have many tuples: coordinates may be far where no row is.
void coordinates_may_be_far_alone() {
  const test::Problem problem = problem_with({400, 400, 400, 400}, 25001);
  const test::Rig rig(problem.tensor(), problem.model, 1, {PlanOverrides::Force::kOnTheFly});
  const ModePlan& plan = rig.plan.modes[0];
  const Requests asked = asked_for(Lookahead(plan, rig.model, rig.ws.empty, false, true), plan);
  CHECK(!asked.empty());
  CHECK(asked == read(rig, plan, true));
}

void empty_rows_are_left_out() {
  for (const Mode mode : {Mode{0}, Mode{1}}) {
    test::Problem problem = problem_with({kFar, kFar, kFar}, 503);
    const index_t emptied = problem.entries.coords[mode];
    std::fill_n(test::edit_row(problem.model, mode, emptied), 3, 0.0);
    test::Rig rig(problem.tensor(), problem.model, 1, {PlanOverrides::Force::kOnTheFly});
    rig.ws.empty.update(rig.model, rig.team);
    const ModePlan& plan = rig.plan.modes[2];  // the row is one of the last mode, or of a tuple
    for (const bool skips : {false, true}) {
      const Lookahead lookahead(plan, rig.model, rig.ws.empty, skips, true);
      const std::pair<const void*, std::size_t> row{rig.model.row(mode, emptied), 24};
      CHECK(asked_for(lookahead, plan).contains(row) == !skips);
    }
  }
}

}  // namespace

int main() {
  RUN(what_is_far_is_asked_for);
  RUN(coordinates_may_be_far_alone);
  RUN(empty_rows_are_left_out);
  return check::report();
}
