// Looking ahead: every row that entries will read is asked for once, and nothing outside arrays.
#include "lookahead.hpp"

#include <map>

#include "problem.hpp"

using namespace vest;

namespace {

using Requests = std::map<const void*, int>;

test::Problem problem_with(const std::vector<pos_t>& shape, std::uint64_t seed = 1) {
  return test::make_problem({"", shape, std::vector<index_t>(shape.size(), 3), 500, 0.0}, seed);
}

Requests asked_for(const Lookahead& lookahead, pos_t entries) {
  Requests asked;
  for (pos_t begin = 0; begin < entries + 2 * Lookahead::kRun; begin += Lookahead::kRun)
    lookahead.requests(begin, [&](const void* address, std::size_t size) {
      CHECK(size > 0);
      ++asked[address];
    });
  return asked;
}

/// What entries read: the rows of far factors; coordinates of tuples from the second look on.
Requests read(const test::Rig& rig, const ModePlan& plan, bool on_the_fly) {
  Requests rows;
  const auto far = [&](Mode n) { return rig.model.factor(n).n_elem * sizeof(double) > 128 * 1024; };
  bool far_tuples = false;
  for (const Mode n : plan.tuple_modes) far_tuples = far_tuples || (on_the_fly && far(n));
  for (std::size_t e = 0; e < plan.value.size(); ++e) {
    if (far(plan.last)) ++rows[rig.model.row(plan.last, plan.last_index[e])];
    const auto coords = plan.coords_of(plan.tuple[e]);
    for (std::size_t k = 0; k < coords.size(); ++k)
      if (on_the_fly && far(plan.tuple_modes[k]))
        ++rows[rig.model.row(plan.tuple_modes[k], coords[k])];
    if (far_tuples && coords.size() > 1 && e >= kAhead) ++rows[coords.data()];
  }
  return rows;
}

void rows_of_far_factors_are_asked_for() {
  const pos_t far = 8000;
  const std::vector<std::vector<pos_t>> shapes{
      {far, far}, {far, 5, far}, {far, far, far}, {20, far, 9, far}, {7, 8, 9, 10}};
  for (const auto& shape : shapes) {
    const test::Problem problem = problem_with(shape);
    for (const auto force : {PlanOverrides::Force::kTables, PlanOverrides::Force::kOnTheFly}) {
      const test::Rig rig(problem.tensor(), problem.model, 1, {force});
      const bool on_the_fly = force == PlanOverrides::Force::kOnTheFly;
      for (const ModePlan& plan : rig.plan.modes) {
        const Lookahead lookahead(plan, rig.model, rig.ws.empty, false, on_the_fly);
        CHECK(asked_for(lookahead, std::ssize(plan.value)) == read(rig, plan, on_the_fly));
      }
    }
  }
}

void empty_rows_are_left_out() {
  test::Problem problem = problem_with({8000, 8000});
  const auto emptied = static_cast<index_t>(problem.entries.coords[0]);
  std::fill_n(problem.model.row(0, emptied), 3, 0.0);
  const test::Rig rig(problem.tensor(), problem.model, 1, {});
  const ModePlan& plan = rig.plan.modes[1];
  for (const bool skips : {false, true}) {
    const Lookahead lookahead(plan, rig.model, rig.ws.empty, skips, false);
    CHECK(asked_for(lookahead, 500).contains(rig.model.row(0, emptied)) == !skips);
  }
}

}  // namespace

int main() {
  RUN(rows_of_far_factors_are_asked_for);
  RUN(empty_rows_are_left_out);
  return check::report();
}
