// The runs of a sparse core: every non-zero element in one of them, and none beyond the core.
#include "workspace/core_runs.hpp"

#include <algorithm>
#include <map>

#include "sparse_cores.hpp"

using namespace vest;

namespace {

using Columns = std::vector<std::size_t>;

Columns columns_of(const TuckerModel& model, std::size_t element) {
  Columns columns(model.order());
  for (Mode n = 0; n < model.order(); ++n)
    columns[n] = element / model.core_stride(n) % model.rank(n);
  return columns;
}

/// What a run says of its elements is what they are.
void check_run(const TuckerModel& model, const ModeRuns& runs, const CoreRun& run, Mode mode,
               bool ones) {
  CHECK(run.length > 0 && run.first + run.length <= runs.elements.size());
  CHECK(run.factors + run.staying + run.moving <= runs.factors.size());
  bool unit = true;
  for (std::uint32_t i = 0; i < run.length; ++i) {
    const Columns columns = columns_of(model, runs.elements[run.first + i]);
    CHECK(columns[mode] == run.target + (run.target_moves ? i : 0));
    std::map<std::size_t, std::size_t> said;
    for (std::uint32_t k = 0; k < run.staying + run.moving; ++k) {
      const RunFactor& factor = runs.factors[run.factors + k];
      said[factor.mode] = factor.column + (k < run.staying ? 0 : i);
      CHECK(said[factor.mode] < model.rank(factor.mode));
    }
    CHECK(said.size() == run.staying + run.moving && !said.contains(mode));
    for (Mode n = 0; n < model.order(); ++n)
      if (n != mode && said.contains(n))
        CHECK(said[n] == columns[n]);
      else if (n != mode)
        CHECK(ones && columns[n] == 0);
    CHECK(runs.values[run.first + i] == model.values(0)[runs.elements[run.first + i]]);
    unit = unit && runs.values[run.first + i] == 1.0;
  }
  CHECK(run.unit == unit);
}

void check_runs(const CoreRuns& all, const TuckerModel& model, bool ones) {
  std::vector<std::size_t> pattern;
  for (std::size_t i = 0; i < model.values(0).size(); ++i)
    if (model.values(0)[i] != 0.0) pattern.push_back(i);
  CHECK(all.size() == pattern.size());
  for (Mode n = 0; n < model.order(); ++n) {
    const ModeRuns& runs = all.of(n);
    std::vector<std::size_t> covered;
    std::size_t kinds = 0;
    for (std::size_t kind = 0; kind < kRunKinds; ++kind)
      for (const CoreRun& run : runs.of(static_cast<RunKind>(kind))) {
        ++kinds;
        CHECK(run.kind() == static_cast<RunKind>(kind));
        check_run(model, runs, run, n, ones);
        for (std::uint32_t i = 0; i < run.length; ++i)
          covered.push_back(runs.elements[run.first + i]);
      }
    CHECK(kinds == runs.runs.size());
    std::ranges::sort(covered);
    CHECK(covered == pattern);  // each once
  }
}

void random_patterns() {
  for (const test::Case& c : test::sparse_cases())
    for (const bool ones : {false, true})
      for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const test::Problem problem = test::make_sparse(c, ones, seed);
        CoreRuns runs;
        runs.update(problem.model, ones);
        check_runs(runs, problem.model, ones);
      }
}

TuckerModel cube(std::size_t rank) {
  TuckerModel model =
      test::zero_model(std::vector<index_t>(3, static_cast<index_t>(rank)), {4, 4, 4});
  for (std::size_t part = 1; part < model.parts(); ++part) std::ranges::fill(model.edit(part), 1.0);
  return model;
}

/// The core of a mean, biases and pairs: a diagonal is one run for each of its modes.
void pairs_are_runs() {
  TuckerModel model = cube(6);
  const auto set = [&](std::size_t i, std::size_t j, std::size_t k) {
    model.edit(0)[(i * 6 + j) * 6 + k] = 1.0;
  };
  set(0, 0, 0), set(1, 0, 0), set(0, 1, 0), set(0, 0, 1);
  for (std::size_t j = 2; j < 6; ++j) set(j, j, 0), set(j, 0, j), set(0, j, j);
  CoreRuns runs;
  runs.update(model, true);
  for (Mode n = 0; n < 3; ++n) {
    const ModeRuns& mode = runs.of(n);
    CHECK(mode.of(RunKind::kConstant).size() == 1);  // the mean and the mode's own bias
    CHECK(mode.of(RunKind::kConstant)[0].length == 2);
    CHECK(mode.of(RunKind::kSingle).size() == 2);  // the biases of the others
    CHECK(mode.of(RunKind::kScaled).size() == 2 && mode.of(RunKind::kDot).size() == 1);
    CHECK(mode.of(RunKind::kOther).empty());
    CHECK(mode.of(RunKind::kScaled)[0].together == 2 && mode.of(RunKind::kScaled)[0].length == 4);
    CHECK(mode.of(RunKind::kDot)[0].moving == 2 && mode.of(RunKind::kDot)[0].target == 0);
  }
  check_runs(runs, model, true);
}

/// Values are read again when the core was edited; runs are made anew if the pattern changed.
void runs_follow_the_core() {
  TuckerModel model = cube(4);
  for (std::size_t i = 0; i < 4; ++i) model.edit(0)[i] = 1.0;
  CoreRuns runs;
  runs.update(model, false);
  CHECK(runs.size() == 4 && runs.of(0).runs.size() == 1 && runs.of(0).runs[0].unit);
  model.edit(0)[2] = 5.0;
  runs.update(model, false);
  check_runs(runs, model, false);
  CHECK(runs.of(0).runs.size() == 1 && !runs.of(0).runs[0].unit);
  model.edit(0)[2] = 0.0;
  runs.update(model, false);
  check_runs(runs, model, false);
  CHECK(runs.size() == 3 && runs.of(0).runs.size() == 2);
  runs.update(model, true);
  check_runs(runs, model, true);
  for (double& value : model.edit(0)) value = 0.0;
  runs.update(model, true);
  CHECK(runs.size() == 0 && runs.of(1).runs.empty() && runs.of(1).of(RunKind::kDot).empty());
}

}  // namespace

int main() {
  RUN(random_patterns);
  RUN(pairs_are_runs);
  RUN(runs_follow_the_core);
  return check::report();
}
