// Interruptions: a step stopped at any of its checkpoints leaves the solver in order.
#include <chrono>
#include <thread>

#include "solving.hpp"

using namespace vest;

namespace {

using Core = PlanOverrides::Core;

/// A stop check that says yes at the k-th chance a step gives it. Chances are 50 ms apart, so the
/// check itself takes that long: then each checkpoint of the step is one.
class Stopper {
 public:
  [[nodiscard]] StopCheck check() {
    return [this] { return armed_ && !(wait(), left_-- > 0); };
  }
  void arm(int after) {
    left_ = after;
    armed_ = true;
    wait();
  }
  void disarm() { armed_ = false; }

 private:
  static void wait() { std::this_thread::sleep_for(std::chrono::milliseconds(51)); }
  bool armed_ = false;
  int left_ = 0;
};

/// What a solver tells is what a new one tells of the same model: nothing that was half made when
/// the stop came, or made of what has changed since, is used.
void check_nothing_is_out_of_date(Solver& solver, const test::Problem& problem, Core core) {
  SolverOptions same = test::options(PenaltyKind::kFrobenius, 1);
  same.plan.core = core;
  Solver fresh(problem.tensor(), solver.model(), same);
  for (std::size_t part = 0; part < problem.model.parts(); ++part)
    CHECK(test::same_bits(test::scores(solver, part), test::scores(fresh, part)));
  CHECK(solver.error() == fresh.error());
}

/// Runs a step again and again from the same state, stopped at a later checkpoint each time, until
/// it gets through: after each stop judge(solver), which must find the state in order.
template <class Prepare, class Step, class Judge>
void interrupt_everywhere(const test::Problem& problem, Core core, Prepare&& prepare, Step&& step,
                          Judge&& judge) {
  int stops = 0;
  bool through = false;
  for (int after = 0; !through && after < 40; after += 1 + after / 4) {
    Stopper stopper;
    SolverOptions with_stop = test::options(PenaltyKind::kFrobenius, 1);
    with_stop.stop = stopper.check();
    with_stop.plan.core = core;
    Solver solver(problem.tensor(), problem.model, with_stop);
    prepare(solver);
    stopper.arm(after);
    try {
      step(solver);
      through = true;
    } catch (const Interrupted&) {
      ++stops;
    }
    stopper.disarm();
    if (!through) judge(solver);
    check_nothing_is_out_of_date(solver, problem, core);
    const double error = solver.error();  // and whatever happened, the solver works on
    CHECK(std::isfinite(error));
    for (Mode n = 0; n < problem.model.order(); ++n) solver.update_factor(n);
    solver.update_core();
    CHECK(solver.error() < error);
  }
  CHECK(stops > 0);
}

const auto nothing = [](Solver&) {};

/// Three chunks of rows: a stop between them leaves some new and some old, none in between.
void an_interrupted_factor_update_leaves_whole_rows() {
  const test::Problem problem = test::make_problem({"", {300, 9, 8}, {2, 3, 2}, 1500, 0.0});
  Solver through(problem.tensor(), problem.model, test::options(PenaltyKind::kFrobenius, 1));
  through.update_factor(0);
  bool mixed = false;
  interrupt_everywhere(
      problem, Core::kAuto, nothing, [](Solver& solver) { solver.update_factor(0); },
      [&](Solver& solver) {
        int changed = 0;
        for (index_t i = 0; i < 300; ++i) {
          const auto is = [&](const TuckerModel& model) {
            return test::same_bits({solver.model().row(0, i), 2}, {model.row(0, i), 2});
          };
          CHECK(is(problem.model) || is(through.model()));
          changed += !is(problem.model);
        }
        mixed = mixed || (changed > 0 && changed < 299);
      });
  CHECK(mixed);
}

void an_interrupted_core_update_leaves_a_usable_model() {
  const test::Problem problem = test::make_problem({"", {20, 9, 8}, {2, 2, 2}, 300, 0.0});
  for (const Core core : {Core::kGram, Core::kBlocks})
    interrupt_everywhere(
        problem, core, nothing, [](Solver& solver) { solver.update_core(); },
        [&](Solver& solver) {
          for (std::size_t part = 1; part < 4; ++part)
            CHECK(test::same_bits(solver.model().values(part), problem.model.values(part)));
          CHECK(test::all_finite(solver.model().values(0)));
        });
}

void interrupted_looks_change_nothing() {
  const test::Problem problem = test::make_problem({"", {20, 9, 8}, {2, 2, 2}, 300});
  const auto unchanged = [&](Solver& solver) {
    CHECK(test::same_state(solver.model(), problem.model));
  };
  interrupt_everywhere(
      problem, Core::kAuto, nothing, [](Solver& solver) { static_cast<void>(solver.error()); },
      unchanged);
  for (const std::size_t part : {0, 2})
    interrupt_everywhere(
        problem, Core::kAuto, nothing, [&](Solver& solver) { test::scores(solver, part); },
        unchanged);
}

/// Tables that were half made when the stop came must not be taken for anybody's.
void an_interrupted_preparation_is_not_trusted() {
  const test::Problem problem = test::make_problem({"", {700, 600, 500}, {2, 3, 2}, 2000});
  Stopper stopper;
  SolverOptions with_stop = test::options(PenaltyKind::kFrobenius, 1);
  with_stop.stop = stopper.check();
  with_stop.plan.tables = PlanOverrides::Force::kTables;
  Solver solver(problem.tensor(), problem.model, with_stop);
  for (const std::size_t part : {1, 2, 3}) {
    const std::vector<double> before = test::scores(solver, part);
    stopper.arm(1);  // one chunk of tables is made, the second is not
    CHECK_THROWS(test::scores(solver, part % 3 + 1), Interrupted);
    stopper.disarm();
    CHECK(test::same_bits(test::scores(solver, part), before));
  }
}

/// All or nothing: not even the batch before may have lost its chance of revival.
void an_interrupted_pruning_prunes_nothing() {
  const test::Problem problem = test::make_problem({"", {20, 9}, {3, 2}, 120, 0.0});
  TuckerModel before;
  interrupt_everywhere(
      problem, Core::kGram,
      [&](Solver& solver) {
        solver.prune(std::vector<pos_t>{1, 5, 2});
        before = solver.model();
      },
      [](Solver& solver) { solver.prune(std::vector<pos_t>{2, 10, 4}); },
      [&](Solver& solver) {
        for (std::size_t part = 0; part < 3; ++part)
          CHECK(test::same_bits(solver.model().values(part), before.values(part)));
        CHECK(test::total_pruned(solver.model()) == 8);
        CHECK(test::same_state(solver.model(), before));
        CHECK(solver.revive() == 8);
      });
}

}  // namespace

int main() {
  RUN(an_interrupted_factor_update_leaves_whole_rows);
  RUN(an_interrupted_core_update_leaves_a_usable_model);
  RUN(interrupted_looks_change_nothing);
  RUN(an_interrupted_preparation_is_not_trusted);
  RUN(an_interrupted_pruning_prunes_nothing);
  return check::report();
}
