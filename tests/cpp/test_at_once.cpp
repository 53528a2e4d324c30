// Solvers in several threads at once, each with helpers of its own: the same bits as one alone.
//
// The thread sanitizer (`make sanitize-threads`) looks here for memory that they share.
#include <atomic>
#include <thread>
#include <vector>

#include "problem.hpp"
#include "vest/predict.hpp"
#include "vest/solver.hpp"

using namespace vest;

namespace {

constexpr std::size_t kCallers = 4;

/// All numbers after a few iterations, from a plan that solvers may share.
std::vector<double> solve(const test::Problem& problem, const std::shared_ptr<Plan>& plan) {
  SolverOptions options;
  options.lambda = test::kLambda;
  options.threads = 3;
  Solver solver(plan, problem.model, options);
  std::vector<double> numbers;
  for (int iteration = 0; iteration < 2; ++iteration) {
    for (Mode n = 0; n < solver.model().order(); ++n) solver.update_factor(n);
    solver.update_core();
    numbers.push_back(solver.error(true));
    std::vector<pos_t> few = solver.free();
    for (pos_t& count : few) count /= 4;
    solver.prune(few);
  }
  for (std::size_t part = 0; part < solver.model().parts(); ++part)
    for (const double value : solver.model().values(part)) numbers.push_back(value);
  std::vector<double> cells(problem.entries.values.size());
  predict_cells(solver.model(), problem.entries.coords, Team(2), cells);
  numbers.insert(numbers.end(), cells.begin(), cells.end());
  return numbers;
}

std::shared_ptr<Plan> make_shared_plan(const test::Problem& problem) {
  return std::make_shared<Plan>(make_plan(problem.tensor(), problem.model.ranks(), Team(2)));
}

template <class Body>
void at_once(Body&& body) {
  std::atomic<std::size_t> ready = 0;
  std::vector<std::thread> callers;
  for (std::size_t caller = 0; caller < kCallers; ++caller)
    callers.emplace_back([&, caller] {
      ++ready;
      while (ready < kCallers) std::this_thread::yield();
      body(caller);
    });
  for (std::thread& caller : callers) caller.join();
}

void solvers_at_once_give_the_same_bits(const test::Problem& problem) {
  const std::vector<double> want = solve(problem, make_shared_plan(problem));
  for (const bool shared : {false, true}) {
    const std::shared_ptr<Plan> one = make_shared_plan(problem);
    std::vector<std::vector<double>> got(kCallers);
    at_once([&](std::size_t caller) {
      got[caller] = solve(problem, shared ? one : make_shared_plan(problem));
    });
    for (const std::vector<double>& numbers : got) CHECK(test::same_bits(numbers, want));
  }
}

}  // namespace

int main() {
  test::for_cases("at once", solvers_at_once_give_the_same_bits);
  return check::report();
}
