// One loop for both sides: the solver and the paper's loops have steps of the same names.
#include "measure.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>

#include "literal.hpp"
#include "machine.hpp"
#include "random.hpp"
#include "timing.hpp"
#include "vest/solver.hpp"

namespace vest::bench {
namespace {

constexpr double kPruneRate = 0.01;
constexpr int kLeastIterations = 3;
constexpr std::size_t kLargePart = std::size_t{1} << 26;

/// The paper's loops with the face of the solver.
class LiteralSolver {
 public:
  LiteralSolver(const Entries& entries, TuckerModel start, const Penalty& penalty, int threads)
      : x_(entries), model_(std::move(start)), penalty_(penalty), threads_(threads) {
    for (const double x : x_.values) norm2_ += x * x;
  }

  void update_factor(Mode n) { literal::update_factor(x_, n, penalty_, model_, threads_); }
  void update_core() { literal::update_core(x_, penalty_, model_, threads_); }
  [[nodiscard]] double error(bool /*judge*/) {
    return std::sqrt(literal::squared_error(x_, model_, threads_) / norm2_);
  }
  void prune(std::span<const pos_t> counts) { literal::prune(x_, counts, model_, threads_); }
  void revive() {
    for (std::size_t part = 0; part < model_.parts(); ++part)
      std::ranges::replace(model_.marks(part), Mark::kLastBatch, Mark::kFree);
  }
  [[nodiscard]] const TuckerModel& model() const { return model_; }

 private:
  const Entries& x_;
  TuckerModel model_;
  Penalty penalty_;
  int threads_;
  double norm2_ = 0.0;
};

/// A share of each part, one element at least, though never its last free one.
std::vector<pos_t> batch(const TuckerModel& model, double share) {
  std::vector<pos_t> counts;
  for (std::size_t part = 0; part < model.parts(); ++part) {
    const auto size = static_cast<double>(model.marks(part).size());
    const pos_t wanted = std::max<pos_t>(1, static_cast<pos_t>(share * size));
    const pos_t live = std::ranges::count_if(model.marks(part), is_live);
    counts.push_back(std::min(wanted, std::max<pos_t>(0, live - 1)));
  }
  return counts;
}

template <class Engine>
Iteration iterate(Engine& engine, double share) {
  Iteration done;
  done.factors = time_of([&] {
    for (Mode n = 0; n < engine.model().order(); ++n) engine.update_factor(n);
  });
  done.core = time_of([&] { engine.update_core(); });
  done.error = time_of([&] { done.relative_error = engine.error(true); });
  const std::vector<pos_t> counts = batch(engine.model(), share);
  done.prune = time_of([&] { engine.prune(counts); });
  return done;
}

/// Prunes a tenth of each part per iteration, as a fit does at its fastest, up to the target.
template <class Engine>
void prune_to(Engine& engine, double target) {
  constexpr double kStep = 0.1;
  for (double pruned = 0.0; pruned < target - 1e-9; pruned += kStep)
    iterate(engine, std::min(kStep, target - pruned));
}

/// One more iteration, which leaves as many free elements as it found.
template <class Engine>
Iteration repeat(Engine& engine, Run& run) {
  const Iteration done = iterate(engine, kPruneRate);
  engine.revive();
  run.errors.push_back(done.relative_error);
  return done;
}

double element_count(const TuckerModel& model) {
  double count = 0.0;
  for (std::size_t part = 0; part < model.parts(); ++part)
    count += static_cast<double>(model.values(part).size());
  return count;
}

double zero_share(const TuckerModel& model) {
  pos_t zeros = 0;
  for (std::size_t part = 0; part < model.parts(); ++part)
    zeros += std::ranges::count(model.values(part), 0.0);
  return static_cast<double>(zeros) / element_count(model);
}

std::uint64_t fingerprint(const TuckerModel& model) {
  std::uint64_t hash = 0;
  for (std::size_t part = 0; part < model.parts(); ++part)
    for (const double value : model.values(part))
      hash = mix(hash ^ std::bit_cast<std::uint64_t>(value)) + 1;
  return hash;
}

double time_responsibilities(Solver& solver) {
  std::size_t most = 0;
  for (std::size_t part = 0; part < solver.model().parts(); ++part)
    most = std::max(most, solver.model().marks(part).size());
  if (most > kLargePart) return 0.0;  // not worth another array of that size
  std::vector<double> scores(most);
  return best_time_of(kLeastIterations, [&] {
    for (std::size_t part = 0; part < solver.model().parts(); ++part)
      solver.responsibilities(part, {scores.data(), solver.model().marks(part).size()});
  });
}

std::string describe(const Plan& plan) {
  std::string text;
  for (const ModePlan& mode : plan.modes) {
    text += "mode " + std::to_string(mode.mode) + ": ";
    text += mode.tabulated ? std::to_string(mode.tuple_count) + " tables" : "on the fly";
    text += ", mode " + std::to_string(mode.last) + " last; ";
  }
  if (plan.core.strategy == CoreStrategy::kRuns) return text + "core: by its non-zero elements";
  return text + (plan.core.strategy == CoreStrategy::kGram
                     ? "core: Gram"
                     : "core: blocks of " + std::to_string(plan.core.trailing) + " modes");
}

/// Memory for the variances of all elements, which are the model's from then on.
std::vector<std::vector<double>> give_variances(TuckerModel& model) {
  std::vector<std::vector<double>> memory;
  std::vector<std::span<double>> spans;
  for (std::size_t part = 0; part < model.parts(); ++part)
    memory.emplace_back(model.marks(part).size(), 1e-4);
  spans.assign(memory.begin(), memory.end());
  model.set_variances(std::move(spans));
  return memory;
}

/// Of the core, only the mean may move, and of the factors all but the first column.
void fix_pairs(Solver& solver) {
  for (std::size_t part = 0; part < solver.model().parts(); ++part) {
    const std::span<const double> values = solver.model().values(part);
    const std::size_t width = part == 0 ? values.size() : solver.model().rank(part - 1);
    const auto pruned = std::make_unique<bool[]>(values.size());
    const auto fixed = std::make_unique<bool[]>(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      pruned[i] = part == 0 && values[i] == 0.0;
      fixed[i] = part == 0 ? i > 0 : i % width == 0;
    }
    solver.set_pruned(part, {pruned.get(), values.size()});
    solver.set_fixed(part, {fixed.get(), values.size()});
  }
}

/// The penalty as a fit scales it by default.
double scaled_lam(const Entries& entries, const TuckerModel& start, double lam) {
  return lam * static_cast<double>(entries.nnz()) / element_count(start);
}

}  // namespace

const Iteration& Run::best() const {
  return *std::ranges::min_element(iterations, {}, &Iteration::total);
}

double Run::median_total() const {
  std::vector<double> totals;
  for (const Iteration& one : iterations) totals.push_back(one.total());
  return median(std::move(totals));
}

Run run_solver(const Entries& entries, const Options& options) {
  reset_peak_memory();
  const std::vector<index_t> ranks = full_ranks(options.ranks, entries.order());
  TuckerModel start = make_start(entries.shape, ranks, options.spec.seed);
  Run run;
  run.lam = scaled_lam(entries, start, options.lam);
  if (options.pairs) keep_pairs(start);
  std::vector<std::vector<double>> variances;
  if (options.kind == PenaltyKind::kNoise) variances = give_variances(start);
  const SparseTensor x = as_tensor(entries);
  const Stopwatch planning;
  SolverOptions solver_options;
  solver_options.kind = options.kind;
  solver_options.lambda = run.lam;
  solver_options.threads = options.threads;
  solver_options.plan = options.plan;
  solver_options.isa = options.isa;
  Solver solver(x, std::move(start), solver_options);
  run.plan = planning.seconds();
  if (options.pairs) fix_pairs(solver);
  run.threads = solver.threads();
  run.isa = solver.isa();
  run.choices = describe(solver.plan());

  prune_to(solver, options.sparsity);
  repeat(solver, run);  // warms up
  const Stopwatch all;
  const auto wanted = options.iterations > 0 ? options.iterations : kLeastIterations;
  while (std::ssize(run.iterations) < wanted ||
         (options.iterations == 0 && all.seconds() < options.seconds)) {
    run.iterations.push_back(repeat(solver, run));
    if (run.errors.size() == 2) run.fingerprint = fingerprint(solver.model());
  }
  run.peak_memory = peak_memory();
  run.zeros = zero_share(solver.model());
  run.work = count_work(solver.plan(), ranks);
  run.responsibilities = time_responsibilities(solver);
  return run;
}

Run run_literal(const Entries& entries, const Options& options) {
  const std::vector<index_t> ranks = full_ranks(options.ranks, entries.order());
  TuckerModel start = make_start(entries.shape, ranks, options.spec.seed);
  Run run;
  run.threads = Team(options.threads).threads();
  run.lam = scaled_lam(entries, start, options.lam);
  LiteralSolver solver(entries, std::move(start), {options.kind, run.lam}, run.threads);
  prune_to(solver, options.sparsity);
  for (int i = 0; i < std::max(1, options.literal_iterations); ++i)
    run.iterations.push_back(repeat(solver, run));
  run.zeros = zero_share(solver.model());
  return run;
}

}  // namespace vest::bench
