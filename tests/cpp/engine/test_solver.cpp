// The solver: its steps together, pruning at one state, reviving, and masks.
#include "vest/solver.hpp"

#include <algorithm>
#include <armadillo>
#include <functional>
#include <memory>
#include <numeric>

#include "engine/dispatch.hpp"
#include "solving.hpp"

using namespace vest;

namespace {

using Core = PlanOverrides::Core;

/// Whole iterations, prunings included, against the paper's loops.
void iterations_follow_the_paper(const test::Problem& problem) {
  for (const PenaltyKind kind : test::kKinds) {
    TuckerModel want = problem.model;
    const SparseTensor x = problem.tensor();
    Solver solver(x, problem.model, test::options(kind));
    const double lambda = test::kLambda;
    for (int t = 1; t <= 2; ++t) {
      for (Mode n = 0; n < want.order(); ++n) {
        solver.update_factor(n);
        literal::update_factor(problem.entries, n, {kind, lambda}, want, 1);
      }
      solver.update_core();
      literal::update_core(problem.entries, {kind, lambda}, want, 1);
      const double error = std::sqrt(literal::squared_error(problem.entries, want, 1) / x.norm2());
      CHECK_CLOSE(solver.error(), error, 1e-9);
      std::vector<pos_t> counts;
      for (std::size_t part = 0; part < want.parts(); ++part)
        counts.push_back((std::ssize(want.marks(part)) - test::count_pruned(want, part)) / 10);
      solver.prune(counts);
      literal::prune(problem.entries, counts, want, 1);
      for (std::size_t part = 0; part < want.parts(); ++part) {
        CHECK(std::ranges::equal(solver.model().marks(part), want.marks(part)));
        CHECK_CLOSE(test::apart(solver.model().values(part), want.values(part)), 0.0, 1e-8);
      }
    }
  }
}

/// A solver and the paper's loops beside it.
struct Twins {
  Twins(const test::Problem& problem, const SolverOptions& choice)
      : x(problem.entries), solver(problem.tensor(), problem.model, choice), want(problem.model) {}

  /// 0: update the core, 1: prune, 2..N+1: update a factor, N+2..2N+2: mask a part, from there on:
  /// set its marks.
  void change(std::size_t which) {
    const std::size_t order = want.order();
    if (which >= 2 * order + 3) {
      const std::size_t part = which - 2 * order - 3;
      std::vector<std::uint8_t> marks(want.marks(part).size());
      for (std::uint8_t& mark : marks)
        mark = static_cast<std::uint8_t>(random.uniform() < 0.2 ? Mark::kLastBatch : Mark::kFree);
      solver.set_marks(part, marks);
      return adopt_marks();
    }
    if (which == 0) {
      solver.update_core();
      literal::update_core(x, {PenaltyKind::kFrobenius, test::kLambda}, want, 1);
    } else if (which == 1) {
      solver.prune(std::vector<pos_t>(order + 1, 1));
      adopt_marks();  // near-ties may fall either way: the choice is judged elsewhere
    } else if (which < order + 2) {
      solver.update_factor(which - 2);
      literal::update_factor(x, which - 2, {PenaltyKind::kFrobenius, test::kLambda}, want, 1);
    } else {
      const std::size_t part = which - order - 2;
      const std::size_t size = want.marks(part).size();
      const auto mask = std::make_unique<bool[]>(size);
      for (std::size_t i = 0; i < size; ++i) mask[i] = random.uniform() < 0.2;
      solver.set_pruned(part, {mask.get(), size});
      adopt_marks();
    }
  }

  /// Compares the scores of a part, or past the last one the error.
  void look(std::size_t part) {
    const std::vector<double> r = literal::residuals(x, want, 1);
    const double error = std::inner_product(r.begin(), r.end(), r.begin(), 0.0);
    const double norm2 =
        std::inner_product(x.values.begin(), x.values.end(), x.values.begin(), 0.0);
    if (part == want.parts())
      return CHECK_CLOSE(std::pow(solver.error(), 2.0), error / norm2, 1e-9);
    const std::vector<double> got = test::scores(solver, part);
    const std::vector<double> resp = literal::responsibilities(x, r, part, want, 1);
    for (std::size_t i = 0; i < got.size(); ++i) CHECK_CLOSE(got[i], resp[i], 1e-9 * norm2);
  }

  void adopt_marks() {
    for (std::size_t part = 0; part < want.parts(); ++part)
      for (std::size_t i = 0; i < want.marks(part).size(); ++i) {
        want.marks(part)[i] = solver.model().marks(part)[i];
        if (want.marks(part)[i] != Mark::kFree) want.edit(part)[i] = 0.0;
      }
  }

  const literal::Entries& x;
  Solver solver;
  TuckerModel want;
  test::Random random{7};
};

/// What one step leaves prepared for the next must not outlive the state it belongs to.
void every_look_sees_every_change() {
  const test::Problem problem = test::make_problem({"", {9, 8, 7, 6}, {3, 4, 2, 2}, 300, 0.1});
  const std::size_t order = problem.model.order();
  for (const Core core : {Core::kGram, Core::kBlocks})
    for (std::size_t change = 0; change < 3 * order + 4; ++change) {
      SolverOptions choice = test::options(PenaltyKind::kFrobenius);
      choice.plan.core = core;
      Twins twins(problem, choice);
      for (std::size_t part = 0; part < order + 2; ++part) {
        twins.look(part);
        twins.change(change);
        twins.look(part);
      }
    }
}

/// Whatever a step changes has a new version afterwards; looks change neither.
void no_change_keeps_its_version() {
  const test::Problem problem = test::make_problem({"", {9, 8, 7}, {3, 4, 2}, 150, 0.1});
  for (const Core core : {Core::kGram, Core::kBlocks}) {
    SolverOptions choice = test::options();
    choice.plan.core = core;
    Solver solver(problem.tensor(), problem.model, choice);
    const TuckerModel& model = solver.model();
    std::vector<char> mask(model.marks(2).size());
    for (std::size_t i = 0; i < mask.size(); i += 3) mask[i] = 1;
    const std::span masked(reinterpret_cast<const bool*>(mask.data()), mask.size());
    std::vector<std::uint8_t> marks(model.marks(3).size());
    for (std::size_t i = 0; i < marks.size(); i += 2)
      marks[i] = static_cast<std::uint8_t>(Mark::kPruned);
    const std::vector<std::function<void()>> looks{
        [&] { static_cast<void>(solver.error()); },
        [&] { static_cast<void>(solver.error(true)); },
        [&] { static_cast<void>(test::scores(solver, 0)); },
        [&] { static_cast<void>(test::scores(solver, 2)); },
        [&] { solver.set_kept(2, masked); },
        [&] { static_cast<void>(solver.revive()); },
    };
    const std::vector<std::function<void()>> changes{
        [&] { solver.update_factor(0); },
        [&] { solver.update_factor(2); },
        [&] { solver.update_core(); },
        [&] { solver.prune(std::vector<pos_t>{1, 2, 3, 1}); },
        [&] { solver.set_pruned(2, masked); },
        [&] { solver.set_marks(3, marks); },
    };
    const auto edits = [&](const std::function<void()>& step) {
      const TuckerModel before = model;
      step();
      int edited = 0;
      for (std::size_t part = 0; part < model.parts(); ++part) {
        const bool is_new = model.version(part) != before.version(part);
        CHECK(is_new || test::same_bits(model.values(part), before.values(part)));
        edited += is_new;
      }
      return edited;
    };
    for (const auto& look : looks) CHECK(edits(look) == 0);
    for (const auto& change : changes) CHECK(edits(change) > 0);
  }
}

/// Every build of the kernels can be asked for; an unknown one is refused.
void kernels_by_name() {
  const test::Problem problem = test::make_problem(test::cases()[2]);
  for (const KernelTable* kernels : kernel_tables()) {
    SolverOptions choice = test::options();
    choice.isa = kernels->isa;
    CHECK(std::string(Solver(problem.tensor(), problem.model, choice).isa()) == kernels->isa);
  }
  CHECK(Solver(problem.tensor(), problem.model, test::options()).isa() == kernel_tables()[0]->isa);
  SolverOptions unknown = test::options();
  unknown.isa = "abacus";
  CHECK_THROWS(Solver(problem.tensor(), problem.model, unknown), std::invalid_argument);
}

void a_start_that_does_not_fit_is_refused() {
  const test::Problem problem = test::make_problem(test::cases()[2]);
  const SparseTensor x = problem.tensor();
  CHECK_THROWS(Solver(x, test::make_problem(test::cases()[0]).model, test::options()),
               std::invalid_argument);
  const test::Problem longer = test::make_problem({"", {30, 21, 10}, {2, 12, 3}, 10});
  CHECK_THROWS(Solver(x, longer.model, test::options()), std::invalid_argument);
  CHECK_THROWS(Solver(x, problem.model, test::options(PenaltyKind::kL1, -1)),
               std::invalid_argument);
}

/// The tensor is read by the constructor only.
void the_tensor_may_go() {
  const test::Problem problem = test::make_problem(test::cases()[2]);
  auto gone = std::make_unique<test::Problem>(problem);
  Solver solver(gone->tensor(), problem.model, test::options());
  std::ranges::fill(gone->entries.coords, -1);
  gone.reset();
  Solver other(problem.tensor(), problem.model, test::options());
  for (Solver* s : {&solver, &other}) s->update_factor(0), s->update_core();
  CHECK(test::same_state(solver.model(), other.model()));
}

/// Solvers of one plan do not disturb each other, and the plan lives as long as one of them.
void solvers_share_a_plan() {
  const test::Problem problem = test::make_problem(test::cases()[2]);
  auto plan =
      std::make_shared<const Plan>(make_plan(problem.tensor(), problem.model.ranks(), Team(1)));
  const std::weak_ptr<const Plan> watch = plan;
  Solver alone(problem.tensor(), problem.model, test::options());
  auto first = std::make_unique<Solver>(plan, problem.model, test::options());
  Solver second(plan, problem.model, test::options());
  CHECK(&first->plan() == &second.plan());
  plan.reset();
  first->update_factor(1);
  first.reset();
  CHECK(!watch.expired());
  for (Solver* s : {&second, &alone}) s->update_factor(0), s->update_core();
  CHECK(test::same_state(second.model(), alone.model()));
  CHECK(second.error() == alone.error());
}

void a_plan_of_other_ranks_is_refused() {
  const test::Problem problem = test::make_problem({"", {9, 8, 7}, {3, 4, 2}, 100});
  const std::vector<index_t> wrong{3, 4, 3};
  const auto plan = std::make_shared<const Plan>(make_plan(problem.tensor(), wrong, Team(1)));
  CHECK_THROWS(Solver(plan, problem.model, test::options()), std::invalid_argument);
}

/// Every part is judged before any element is zeroed.
void pruning_judges_at_one_state() {
  const test::Problem problem = test::make_problem({"", {9, 8, 7}, {3, 4, 2}, 150, 0.2});
  Solver solver(problem.tensor(), problem.model, test::options());
  std::vector<pos_t> counts;
  std::vector<std::vector<std::size_t>> want;
  for (std::size_t part = 0; part < problem.model.parts(); ++part) {
    counts.push_back(std::ssize(problem.model.marks(part)) / 3);
    want.push_back(
        literal::least(test::scores(solver, part), problem.model.marks(part), counts[part]));
  }
  solver.prune(counts);
  for (std::size_t part = 0; part < problem.model.parts(); ++part)
    for (std::size_t i = 0; i < problem.model.marks(part).size(); ++i) {
      const bool chosen = std::ranges::find(want[part], i) != want[part].end();
      const Mark before = problem.model.marks(part)[i];
      CHECK(solver.model().marks(part)[i] == (chosen                  ? Mark::kLastBatch
                                              : before == Mark::kFree ? Mark::kFree
                                                                      : Mark::kPruned));
      CHECK(solver.model().values(part)[i] == (chosen ? 0.0 : problem.model.values(part)[i]));
    }

  // The check can fail: part by part, other elements would have gone.
  Solver in_turn(problem.tensor(), problem.model, test::options());
  for (std::size_t part = 0; part < counts.size(); ++part) {
    std::vector<pos_t> only(counts.size(), 0);
    only[part] = counts[part];
    in_turn.prune(only);
  }
  bool differs = false;
  for (std::size_t part = 0; part < counts.size(); ++part)
    differs =
        differs || !test::same_bits(in_turn.model().values(part), solver.model().values(part));
  CHECK(differs);
}

/// All elements in one ranking, the core's before the factors' where they tie.
void a_global_ranking_prunes_the_least_wherever_they_are() {
  const test::Problem problem = test::make_problem({"", {9, 8, 7}, {3, 4, 2}, 150, 0.2});
  for (const bool judge : {false, true})
    for (const int threads : test::kThreads) {
      SolverOptions choice = test::options(PenaltyKind::kL1, threads);
      choice.allocation = Allocation::kGlobal;
      Solver solver(problem.tensor(), problem.model, choice);
      std::vector<double> scores;
      std::vector<Mark> marks;
      for (std::size_t part = 0; part < problem.model.parts(); ++part) {
        const std::vector<double> of_part = test::scores(solver, part);
        scores.insert(scores.end(), of_part.begin(), of_part.end());
        const auto before = solver.model().marks(part);
        marks.insert(marks.end(), before.begin(), before.end());
      }
      const pos_t free = std::ranges::count(marks, Mark::kFree);
      for (const pos_t count : {pos_t{0}, free / 2}) {
        const std::vector<std::size_t> want = literal::least(scores, marks, count);
        static_cast<void>(solver.error(judge));
        solver.prune(std::vector<pos_t>{count});
        std::vector<std::size_t> got;
        for (std::size_t part = 0, at = 0; part < problem.model.parts(); ++part)
          for (const Mark mark : solver.model().marks(part)) {
            if (mark == Mark::kLastBatch) got.push_back(at);
            ++at;
          }
        std::vector<std::size_t> sorted = want;
        std::ranges::sort(sorted);
        CHECK(got == sorted);
      }
      CHECK_THROWS(solver.prune(std::vector<pos_t>{free}), std::invalid_argument);
      CHECK_THROWS(solver.prune(std::vector<pos_t>{1, 1, 1, 1}), std::invalid_argument);
    }
}

/// Elements to keep are updated but never pruned, and a part of such is not judged at all.
void kept_elements_stay() {
  const test::Problem problem = test::make_problem({"", {9, 8, 7}, {3, 4, 2}, 150, 0.0});
  for (const Allocation allocation : {Allocation::kPerPart, Allocation::kGlobal}) {
    SolverOptions choice = test::options(PenaltyKind::kFrobenius);
    choice.allocation = allocation;
    Solver solver(problem.tensor(), problem.model, choice);
    const std::vector<std::size_t> sizes{24, 27, 32, 14};
    const auto mask = std::make_unique<bool[]>(32);
    for (std::size_t i = 0; i < 32; ++i) mask[i] = true;
    solver.set_kept(2, {mask.get(), sizes[2]});
    mask[1] = mask[5] = false;
    solver.set_kept(1, {mask.get(), sizes[1]});
    CHECK((solver.free() == std::vector<pos_t>{24, 2, 0, 14}));
    const std::vector<pos_t> all = allocation == Allocation::kGlobal
                                       ? std::vector<pos_t>{40}
                                       : std::vector<pos_t>{24, 2, 0, 14};
    solver.prune(all);
    CHECK((solver.pruned() == std::vector<pos_t>{24, 2, 0, 14}));
    CHECK(test::same_bits(solver.model().values(2), problem.model.values(2)));
    CHECK((solver.zeros() == std::vector<pos_t>{24, 2, 0, 14}));
    CHECK(solver.revive() == 40);
    CHECK((solver.free() == std::vector<pos_t>{24, 2, 0, 14}));
    CHECK_THROWS(solver.set_kept(1, {mask.get(), 3}), std::invalid_argument);
  }
}

/// A penalty of a part's own: as a solver would have had it from the start.
void penalties_are_per_part() {
  const test::Problem problem = test::make_problem(test::cases()[2]);
  Solver solver(problem.tensor(), problem.model, test::options(PenaltyKind::kL1));
  std::vector<double> weight(problem.model.rows(1), 0.5);
  solver.set_penalty(0, 7.0, true, {});
  solver.set_penalty(2, 4.0 * test::kLambda, false, weight);
  TuckerModel want = problem.model;
  for (Mode n = 0; n < 3; ++n) {
    solver.update_factor(n);
    const double lambda = n == 1 ? 2.0 * test::kLambda : test::kLambda;
    literal::update_factor(problem.entries, n, {PenaltyKind::kL1, lambda}, want, 1);
  }
  solver.update_core();
  literal::update_core(problem.entries, {PenaltyKind::kL1, 7.0, true}, want, 1);
  for (std::size_t part = 0; part < want.parts(); ++part)
    CHECK_CLOSE(test::apart(solver.model().values(part), want.values(part)), 0.0, 1e-9);
  CHECK_THROWS(solver.set_penalty(1, 1.0, false, weight), std::invalid_argument);
  CHECK_THROWS(solver.set_penalty(0, 1.0, false, weight), std::invalid_argument);
  CHECK_THROWS(solver.set_penalty(9, 1.0, false, {}), std::invalid_argument);
}

/// The arrays are the caller's to change, if it says so.
void values_changed_from_outside_are_seen() {
  const test::Problem problem = test::make_problem({"", {9, 8, 7}, {3, 4, 2}, 150, 0.3});
  TuckerModel other = problem.model;
  for (std::size_t part = 0; part < other.parts(); ++part)
    for (double& value : other.edit(part)) value = value == 0.0 ? 0.0 : -1.5 * value;
  for (std::size_t i = 0; i < 6; ++i) other.edit(1)[i] = 0.0;  // two rows become empty
  Solver want(problem.tensor(), other, test::options());
  // A model over memory of ours, as the Python side has it.
  arma::vec core = problem.model.core();
  std::vector<arma::mat> kept;
  std::vector<arma::mat> borrowed;
  borrowed.reserve(3);  // a growing vector would copy them, out of their memory
  for (Mode n = 0; n < 3; ++n) kept.push_back(problem.model.factor(n));
  for (arma::mat& factor : kept)
    borrowed.emplace_back(factor.memptr(), factor.n_rows, factor.n_cols, false, true);
  TuckerModel model(problem.model.ranks(), arma::vec(core.memptr(), core.n_elem, false, true),
                    std::move(borrowed));
  for (std::size_t part = 0; part < model.parts(); ++part)
    std::ranges::copy(problem.model.marks(part), model.marks(part).begin());
  Solver solver(problem.tensor(), std::move(model), test::options());
  for (const std::size_t part : {0, 1, 2, 3}) static_cast<void>(test::scores(solver, part));
  static_cast<void>(solver.error(true));
  std::ranges::copy(other.values(0), core.begin());
  for (Mode n = 0; n < 3; ++n) std::ranges::copy(other.values(n + 1), kept[n].begin());
  solver.values_changed();
  CHECK(solver.error() == want.error());
  for (std::size_t part = 0; part < 4; ++part)
    CHECK(test::same_bits(test::scores(solver, part), test::scores(want, part)));
  for (Solver* each : {&solver, &want}) each->update_factor(0), each->update_core();
  CHECK(test::same_state(solver.model(), want.model()));
}

void the_error_is_relative_to_the_norm_asked_for() {
  const test::Problem problem = test::make_problem(test::cases()[2]);
  SolverOptions choice = test::options();
  Solver plain(problem.tensor(), problem.model, choice);
  choice.norm = 2.0 * std::sqrt(problem.tensor().norm2());
  Solver other(problem.tensor(), problem.model, choice);
  CHECK_CLOSE(other.error(), 0.5 * plain.error(), 1e-14);
  CHECK_CLOSE(other.error(true), 0.5 * plain.error(), 1e-14);
}

/// Judging beside the error prunes the same elements, and what was judged is not used once the
/// model has changed.
void what_was_judged_is_used_while_it_is_right() {
  const test::Problem problem = test::make_problem(test::cases()[4]);
  const std::vector<pos_t> counts{3, 2, 1, 1, 0};
  Solver plain(problem.tensor(), problem.model, test::options());
  Solver judged(problem.tensor(), problem.model, test::options());
  for (int step = 0; step < 4; ++step) {
    CHECK_CLOSE(judged.error(true), plain.error(), 1e-14);
    if (step == 1)
      for (Solver* solver : {&plain, &judged}) solver->update_factor(0);
    if (step == 2)
      for (Solver* solver : {&plain, &judged}) solver->update_core();
    for (Solver* solver : {&plain, &judged}) solver->prune(counts);
    CHECK(test::same_state(plain.model(), judged.model()));
  }
}

/// Whatever happens between judging and pruning, the elements pruned are those of the moment.
void what_was_judged_is_forgotten_in_time() {
  const std::vector<pos_t> counts{2, 3, 3, 0};
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    for (const int between : {0, 1, 2}) {
      const test::Problem problem = test::make_problem({"", {9, 8, 7}, {3, 4, 2}, 150, 0.0}, seed);
      Solver plain(problem.tensor(), problem.model, test::options());
      Solver judged(problem.tensor(), problem.model, test::options());
      static_cast<void>(judged.error(true));
      std::vector<char> every_fifth(problem.model.marks(1).size());
      for (std::size_t i = 0; i < every_fifth.size(); i += 5) every_fifth[i] = 1;
      for (Solver* solver : {&plain, &judged}) {
        if (between == 0) solver->prune(counts);
        if (between == 1)
          solver->set_pruned(
              1, {reinterpret_cast<const bool*>(every_fifth.data()), every_fifth.size()});
        if (between == 2) solver->revive();
        solver->prune(counts);
      }
      CHECK(test::same_state(plain.model(), judged.model()));
    }
}

void counts_that_cannot_be_pruned_change_nothing() {
  const test::Problem problem = test::make_problem(test::cases()[2]);
  Solver solver(problem.tensor(), problem.model, test::options());
  solver.prune(std::vector<pos_t>{1, 2, 3, 4});
  const TuckerModel before = solver.model();
  const pos_t free = std::ssize(before.marks(2)) - test::count_pruned(before, 2);
  for (const std::vector<pos_t>& counts :
       {std::vector<pos_t>{1, 1, 1}, {1, 1, 1, 1, 1}, {1, 1, 1, -1}, {1, 1, free + 1, 1}})
    CHECK_THROWS(solver.prune(counts), std::invalid_argument);
  CHECK(test::same_state(solver.model(), before));
  solver.prune(std::vector<pos_t>{0, 0, free, 0});  // all that is left of a part
  CHECK(test::count_pruned(solver.model(), 2) == std::ssize(before.marks(2)));
  CHECK(test::count_zeros(solver.model(), 2) == std::ssize(before.marks(2)));
}

void only_the_last_batch_is_revived() {
  const test::Problem problem = test::make_problem({"", {9, 8, 7}, {3, 4, 2}, 150, 0.0});
  Solver solver(problem.tensor(), problem.model, test::options(PenaltyKind::kFrobenius));
  CHECK(solver.revive() == 0);
  solver.prune(std::vector<pos_t>{2, 3, 0, 1});
  const TuckerModel first = solver.model();
  solver.prune(std::vector<pos_t>{1, 0, 5, 1});
  const TuckerModel second = solver.model();
  CHECK(test::total_pruned(second) == 13);
  CHECK(solver.revive() == 7);
  CHECK(solver.revive() == 0);
  for (std::size_t part = 0; part < first.parts(); ++part) {
    CHECK(test::same_bits(solver.model().values(part), second.values(part)));  // still zero
    for (std::size_t i = 0; i < first.marks(part).size(); ++i)
      CHECK((solver.model().marks(part)[i] == Mark::kFree) ==
            (first.marks(part)[i] == Mark::kFree));
  }
  const auto zeros = test::count_zeros(solver.model(), 2);
  solver.update_factor(1);  // the revived grow again, the others stay zero
  CHECK(test::count_zeros(solver.model(), 2) < zeros);
  CHECK(test::count_zeros(solver.model(), 0) >= 3);
}

void masks_are_set_and_lifted() {
  const test::Problem problem = test::make_problem({"", {9, 8, 7}, {3, 4, 2}, 150, 0.0});
  Solver solver(problem.tensor(), problem.model, test::options(PenaltyKind::kFrobenius));
  solver.prune(std::vector<pos_t>{0, 0, 4, 0});
  const auto mask = std::make_unique<bool[]>(32);
  for (const std::size_t i : {0, 5, 31}) mask[i] = true;
  solver.set_pruned(2, {mask.get(), 32});
  CHECK(solver.revive() == 0);  // the mask replaces marks of a batch, too
  CHECK(test::count_pruned(solver.model(), 2) == 3 && test::total_pruned(solver.model()) == 3);
  solver.update_factor(1);
  for (std::size_t i = 0; i < 32; ++i) {
    CHECK((solver.model().marks(2)[i] != Mark::kFree) == mask[i]);
    if (mask[i]) CHECK(solver.model().values(2)[i] == 0.0);
  }
  std::fill_n(mask.get(), 32, false);
  solver.set_pruned(2, {mask.get(), 32});
  CHECK(test::total_pruned(solver.model()) == 0);
  CHECK_THROWS(solver.set_pruned(2, {mask.get(), 31}), std::invalid_argument);
  CHECK_THROWS(solver.set_pruned(4, {mask.get(), 32}), std::invalid_argument);
}

void parts_and_modes_that_do_not_exist_are_refused() {
  const test::Problem problem = test::make_problem(test::cases()[2]);
  Solver solver(problem.tensor(), problem.model, test::options());
  std::vector<double> out(problem.model.marks(3).size());
  CHECK_THROWS(solver.responsibilities(4, out), std::invalid_argument);
  CHECK_THROWS(solver.responsibilities(1, out), std::invalid_argument);
  CHECK_THROWS(solver.update_factor(3), std::out_of_range);
}

}  // namespace

int main() {
  test::for_cases("iterations", iterations_follow_the_paper, 5000);
  RUN(every_look_sees_every_change);
  RUN(no_change_keeps_its_version);
  RUN(kernels_by_name);
  RUN(a_start_that_does_not_fit_is_refused);
  RUN(the_tensor_may_go);
  RUN(solvers_share_a_plan);
  RUN(a_plan_of_other_ranks_is_refused);
  RUN(pruning_judges_at_one_state);
  RUN(a_global_ranking_prunes_the_least_wherever_they_are);
  RUN(kept_elements_stay);
  RUN(penalties_are_per_part);
  RUN(values_changed_from_outside_are_seen);
  RUN(the_error_is_relative_to_the_norm_asked_for);
  RUN(what_was_judged_is_used_while_it_is_right);
  RUN(what_was_judged_is_forgotten_in_time);
  RUN(counts_that_cannot_be_pruned_change_nothing);
  RUN(only_the_last_batch_is_revived);
  RUN(masks_are_set_and_lifted);
  RUN(parts_and_modes_that_do_not_exist_are_refused);
  return check::report();
}
