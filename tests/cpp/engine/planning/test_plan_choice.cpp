// The cost model: what it chooses where the choice is clear, and that overrides are obeyed.
#include "engine/planning/plan_choice.hpp"

#include <algorithm>
#include <set>

#include "engine/planning/distinct.hpp"
#include "problem.hpp"

using namespace vest;

namespace {

using Force = PlanOverrides::Force;
using Core = PlanOverrides::Core;

Choices choose_for(const test::Case& c, const PlanOverrides& overrides = {}) {
  test::Random random(1);
  const literal::Entries x = test::make_entries(c.shape, c.entries, random);
  return choose(SparseTensor(x.coords, x.values, x.shape), c.ranks, Team(1), overrides);
}

bool all_tabulated(const Choices& choices, bool want) {
  return std::ranges::all_of(choices.modes,
                             [&](const ModeChoice& m) { return m.tabulated == want; });
}

void every_mode_is_contracted_once() {
  for (const test::Case& c : test::cases())
    for (const Core core : {Core::kGram, Core::kBlocks}) {
      const Choices choices = choose_for(c, {Force::kAuto, core});
      CHECK(choices.modes.size() == c.shape.size());
      for (Mode n = 0; n < choices.modes.size(); ++n) {
        const ModeChoice& m = choices.modes[n];
        std::multiset<Mode> seen(m.tuple_modes.begin(), m.tuple_modes.end());
        seen.insert({n, m.last});
        CHECK(seen.size() == c.shape.size());
        CHECK(std::set<Mode>(seen.begin(), seen.end()).size() == c.shape.size());
        CHECK(std::isfinite(m.cost) && m.cost > 0.0);
      }
    }
}

void short_modes_come_first_in_a_tuple() {
  const test::Case c{"", {50, 5, 40, 20, 30}, {2, 2, 2, 2, 2}, 500};
  for (const ModeChoice& m : choose_for(c, {Force::kAuto, Core::kGram}).modes)
    CHECK(std::ranges::is_sorted(m.tuple_modes, {}, [&](Mode q) { return c.shape[q]; }));
}

void tables_where_tuples_repeat() {
  const Choices choices = choose_for({"", {400, 6, 5, 4}, {4, 3, 3, 2}, 4000});
  CHECK(choices.modes[0].tabulated);
  CHECK(all_tabulated(choose_for({"", {60, 50, 40}, {5, 5, 5}, 4000}), true));
}

void no_tables_where_tuples_do_not_repeat() {
  CHECK(all_tabulated(choose_for({"", {5000, 5000, 5000, 5000}, {4, 4, 4, 4}, 3000}), false));
}

void rough_costs_tell_what_is_chosen() {
  // Where one way costs far less than the other by sizes alone, counting comes to the same.
  for (const test::Case& c : {test::Case{"", {60, 50, 40}, {5, 5, 5}, 4000},
                              test::Case{"", {40, 30, 20}, {12, 12, 12}, 3000},
                              test::Case{"", {30, 20, 10, 8}, {4, 4, 3, 3}, 4000}}) {
    const RoughCosts costs = rough_costs(c.shape, c.entries, c.ranks);
    CHECK(std::isfinite(costs.gram) && std::isfinite(costs.blocks));
    CHECK(costs.gram > 0.0 && costs.blocks > 0.0);
    const bool blocks = choose_for(c).core.strategy == CoreStrategy::kBlocks;
    if (costs.gram < costs.blocks / 2.0) CHECK(!blocks);
    if (costs.blocks < costs.gram / 2.0) CHECK(blocks);
  }
}

void tables_have_a_limit() {
  // 150,000 entries that share no tuple; a table of 30 x 30 for each would take 1 GB.
  const pos_t count = 150000;
  std::vector<index_t> coords;
  for (pos_t e = 0; e < count; ++e)
    for (const pos_t i : {e % 3, e, e, e}) coords.push_back(static_cast<index_t>(i));
  const std::vector<double> values(static_cast<std::size_t>(count), 1.0);
  const SparseTensor x(coords, values, {3, count, count, count});
  const std::vector<index_t> ranks{30, 30, 30, 30};
  CHECK(all_tabulated(choose(x, ranks, Team(1), {}), false));
}

/// The mode contracted last is the one that makes few tuples of the others.
void the_last_mode_is_the_one_that_does_not_repeat() {
  const Choices choices = choose_for({"", {8, 7, 3000, 6}, {3, 3, 3, 3}, 5000});
  for (const Mode n : {0, 1, 3}) CHECK(choices.modes[n].last == 2);
}

void the_core_sweep_goes_by_size() {
  const auto strategy = [](std::vector<index_t> ranks) {
    return choose_for({"", {40, 30, 20, 10}, std::move(ranks), 2000}).core.strategy;
  };
  CHECK(strategy({3, 3, 2, 2}) == CoreStrategy::kGram);
  CHECK(strategy({20, 20, 20, 20}) == CoreStrategy::kBlocks);  // a Gram matrix of 10^10
}

/// Small cores are never swept by blocks, whatever the tensor; blocks are chosen only if thinkable.
void blocks_are_foreseen() {
  CHECK(!blocks_thinkable(std::vector<index_t>{3, 3, 3}));
  CHECK(blocks_thinkable(std::vector<index_t>{10, 10, 10}));
  CHECK(blocks_thinkable(std::vector<index_t>{20, 20, 20, 20}));
  for (const test::Case& c : test::cases())
    if (choose_for(c).core.strategy == CoreStrategy::kBlocks) CHECK(blocks_thinkable(c.ranks));
}

/// Blocks of trailing modes need entries in descending order of modes.
void blocks_descend() {
  for (const test::Case& c : test::cases()) {
    const Choices choices = choose_for(c, {Force::kAuto, Core::kBlocks});
    const ModeChoice& last = choices.modes.back();
    CHECK(choices.core.mode == c.shape.size() - 1);
    CHECK(last.last == 0);
    CHECK(std::ranges::is_sorted(last.tuple_modes, std::greater<>()));
    CHECK(choices.core.trailing >= 1 && choices.core.trailing < c.shape.size());
  }
}

void overrides_are_obeyed() {
  for (const test::Case& c : test::cases())
    for (const Core core : {Core::kGram, Core::kBlocks}) {
      const Choices tables = choose_for(c, {Force::kTables, core});
      const Choices fly = choose_for(c, {Force::kOnTheFly, core});
      CHECK(all_tabulated(tables, true));
      CHECK(all_tabulated(fly, false));
      for (const CoreStrategy got : {tables.core.strategy, fly.core.strategy})
        CHECK(got == (core == Core::kGram ? CoreStrategy::kGram : CoreStrategy::kBlocks));
    }
}

void choices_do_not_depend_on_threads() {
  const test::Problem problem = test::make_problem(test::cases()[4]);
  const SparseTensor x = problem.tensor();
  const Choices one = choose(x, problem.model.ranks(), Team(1), {});
  const Choices many = choose(x, problem.model.ranks(), Team(4), {});
  for (Mode n = 0; n < x.order(); ++n) {
    CHECK(one.modes[n].cost == many.modes[n].cost);
    CHECK(one.modes[n].tuple_modes == many.modes[n].tuple_modes);
  }
}

}  // namespace

int main() {
  RUN(every_mode_is_contracted_once);
  RUN(short_modes_come_first_in_a_tuple);
  RUN(tables_where_tuples_repeat);
  RUN(no_tables_where_tuples_do_not_repeat);
  RUN(rough_costs_tell_what_is_chosen);
  RUN(tables_have_a_limit);
  RUN(the_last_mode_is_the_one_that_does_not_repeat);
  RUN(the_core_sweep_goes_by_size);
  RUN(blocks_are_foreseen);
  RUN(blocks_descend);
  RUN(overrides_are_obeyed);
  RUN(choices_do_not_depend_on_threads);
  return check::report();
}
