// Variances of predictions, against differences of the paper's sums: B is linear in each element,
// so the slope in an element is what B changes by if that changes by 1.
#include "problem.hpp"

using namespace vest;

namespace {

/// A model of the same form with positive numbers, some of them zero.
TuckerModel make_variances(const TuckerModel& model, test::Random& random) {
  TuckerModel variances = model;
  for (std::size_t part = 0; part < model.parts(); ++part)
    for (double& s : variances.edit(part)) s = random.uniform() < 0.2 ? 0.0 : random.uniform();
  return variances;
}

double slope(TuckerModel& model, const literal::CoreIndices& j, const index_t* alpha,
             std::size_t part, std::size_t at) {
  const double before = model.values(part)[at];
  model.edit(part)[at] = before + 1.0;
  const double more = literal::reconstruct(model, j, alpha);
  model.edit(part)[at] = before - 1.0;
  const double less = literal::reconstruct(model, j, alpha);
  model.edit(part)[at] = before;
  return (more - less) / 2.0;
}

double variance(TuckerModel& model, const TuckerModel& variances, const literal::CoreIndices& j,
                const index_t* alpha) {
  double sum = 0.0;
  for (std::size_t part = 0; part < model.parts(); ++part) {
    const std::size_t count = part == 0 ? model.values(0).size() : model.rank(part - 1);
    const std::size_t first =
        part == 0 ? 0 : static_cast<std::size_t>(alpha[part - 1]) * model.rank(part - 1);
    for (std::size_t at = first; at < first + count; ++at) {
      const double d = slope(model, j, alpha, part, at);
      sum += variances.values(part)[at] * d * d;
    }
  }
  return sum;
}

void check_variances(test::Problem problem) {
  test::Random random(3);
  const TuckerModel variances = make_variances(problem.model, random);
  const literal::CoreIndices j(problem.model);
  const std::size_t cells = std::min<std::size_t>(61, problem.entries.values.size());
  const std::span<const index_t> coords(problem.entries.coords.data(),
                                        cells * problem.model.order());
  std::vector<double> want;
  for (std::size_t cell = 0; cell < cells; ++cell)
    want.push_back(variance(problem.model, variances, j, &coords[cell * problem.model.order()]));
  for (const KernelTable* kernels : kernel_tables()) {
    std::vector<double> got(cells, test::kNaN);
    kernels->predict_variances(problem.model, variances, coords, Team(1), got);
    CHECK_CLOSE(test::apart(got, want), 0.0, test::kTol);
  }
}

/// Several chunks of cells.
void same_bits_for_any_number_of_threads() {
  const test::Problem problem = test::make_problem({"", {40, 30, 20}, {6, 5, 4}, 9000, 0.5});
  test::Random random(4);
  const TuckerModel variances = make_variances(problem.model, random);
  std::vector<double> first(9000);
  predict_variances(problem.model, variances, problem.entries.coords, Team(1), first);
  for (const int threads : test::kThreads) {
    std::vector<double> got(9000, test::kNaN);
    predict_variances(problem.model, variances, problem.entries.coords, Team(threads), got);
    CHECK(test::same_bits(got, first));
  }
  predict_variances(problem.model, variances, {}, Team(2), {});  // no cells, no complaint
}

/// With all variances zero a prediction is certain, with a core of zeros only the core matters.
void what_is_known_exactly_adds_nothing() {
  test::Problem problem = test::make_problem({"", {9, 8, 7}, {3, 2, 2}, 100, 0.0});
  TuckerModel zeros = problem.model;
  for (std::size_t part = 0; part < zeros.parts(); ++part) std::ranges::fill(zeros.edit(part), 0.0);
  std::vector<double> out(100, test::kNaN);
  predict_variances(problem.model, zeros, problem.entries.coords, Team(2), out);
  CHECK(std::ranges::count(out, 0.0) == 100);
  std::ranges::fill(problem.model.edit(0), 0.0);
  predict_variances(problem.model, zeros, problem.entries.coords, Team(2), out);
  CHECK(std::ranges::count(out, 0.0) == 100);
  check_variances(problem);
}

void variances_can_be_interrupted() {
  const test::Problem problem = test::make_problem(test::cases()[0]);
  std::vector<double> out(problem.entries.values.size());
  CHECK_THROWS(predict_variances(problem.model, problem.model, problem.entries.coords,
                                 Team(1, [] { return true; }), out),
               Interrupted);
}

}  // namespace

int main() {
  test::for_cases("variances", check_variances);
  RUN(same_bits_for_any_number_of_threads);
  RUN(what_is_known_exactly_adds_nothing);
  RUN(variances_can_be_interrupted);
  return check::report();
}
