// Rows from V and b: the minimum, whatever the start; zeros, signs and what may not move.
#include <memory>

#include "problem.hpp"

using namespace vest;

namespace {

constexpr double kClose = 1e-7;

/// Sums over a few random deltas for each row, and what else a system is made of.
struct Systems {
  Systems(std::size_t rows, std::size_t any_rank, double alike = 0.0) : rank(any_rank) {
    test::Random random(3);
    v.resize(rows * rank * rank);
    b.resize(rows * rank);
    start.resize(rows * rank);
    free = std::make_unique<bool[]>(rows * rank);
    std::fill_n(free.get(), rows * rank, true);
    for (std::size_t j = 0; j < rank; ++j) lambda.push_back(0.5 + random.uniform());
    for (std::size_t i = 0; i < rows; ++i) weight.push_back(0.5 + random.uniform());
    std::vector<double> delta(rank);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t e = 0; e < 2 * rank; ++e) {
        for (double& d : delta) d = alike + random.element();
        for (std::size_t j = 0; j < rank; ++j) {
          b[i * rank + j] += random.element() * delta[j];
          for (std::size_t t = 0; t < rank; ++t)
            v[(i * rank + j) * rank + t] += delta[j] * delta[t];
        }
      }
    for (double& a : start) a = random.element();
  }

  [[nodiscard]] RowSystems with(PenaltyKind kind, bool nonnegative) const {
    return {.rank = rank,
            .v = v,
            .b = b,
            .free = {free.get(), b.size()},
            .lambda = lambda,
            .row_weight = weight,
            .kind = kind,
            .nonnegative = nonnegative};
  }
  /// What the step of an element says, all others fixed.
  [[nodiscard]] double best(const RowSystems& systems, std::size_t row, std::size_t j,
                            const double* a) const {
    const double* v_row = v.data() + (row * rank + j) * rank;
    double h = b[row * rank + j];
    for (std::size_t t = 0; t < rank; ++t)
      if (t != j) h -= v_row[t] * a[t];
    return literal::new_value({systems.kind, 0.0, systems.nonnegative}, weight[row] * lambda[j], h,
                              v_row[j]);
  }

  std::size_t rank;
  std::vector<double> v, b, start, lambda, weight;
  std::unique_ptr<bool[]> free;
};

std::vector<double> solved(const RowSystems& systems, std::vector<double> rows, int threads = 1,
                           const KernelTable& kernels = kernel_table) {
  kernels.solve_rows(systems, Team(threads), rows);
  return rows;
}

/// No step of any element moves it: a convex function has its minimum there.
void rows_are_where_no_step_moves_them() {
  for (const std::size_t rank : {1, 2, 5, 13}) {
    const Systems made(150, rank);
    for (const PenaltyKind kind : test::kKinds)
      for (const bool nonnegative : {false, true})
        for (const KernelTable* kernels : kernel_tables()) {
          const RowSystems systems = made.with(kind, nonnegative);
          const std::vector<double> got = solved(systems, made.start, 1, *kernels);
          for (std::size_t i = 0; i < got.size(); ++i) {
            const double* a = got.data() + i / rank * rank;
            CHECK_CLOSE(made.best(systems, i / rank, i % rank, a), got[i], kClose);
          }
          CHECK(!nonnegative || std::ranges::min(got) == 0.0);
          const std::vector<double> zeros(got.size());
          CHECK_CLOSE(test::apart(solved(systems, zeros, 1, *kernels), got), 0.0, kClose);
          for (const int threads : test::kThreads)
            CHECK(test::same_bits(solved(systems, made.start, threads, *kernels), got));
        }
  }
}

/// Steps alone would crawl where deltas are nearly alike. The minimum is known: b is made for it.
void rows_leap_where_steps_crawl() {
  Systems made(40, 4, 300.0);
  const std::vector<double> want = made.start;
  for (std::size_t i = 0; i < want.size(); ++i) {
    const std::size_t row = i / 4;
    made.b[i] = made.weight[row] * made.lambda[i % 4] * want[i];
    for (std::size_t t = 0; t < 4; ++t) made.b[i] += made.v[i * 4 + t] * want[row * 4 + t];
  }
  const std::vector<double> zeros(want.size());
  const RowSystems systems = made.with(PenaltyKind::kFrobenius, false);
  CHECK_CLOSE(test::apart(solved(systems, zeros), want), 0.0, 1e-6);
}

void what_may_not_move_stays_and_still_explains() {
  Systems made(60, 4);
  test::Random random(5);
  for (std::size_t i = 0; i < made.b.size(); ++i) made.free[i] = random.uniform() < 0.6;
  for (std::size_t row = 0; row < 60; ++row) {  // no entry says anything of component 2
    for (std::size_t t = 0; t < 4; ++t)
      made.v[(row * 4 + 2) * 4 + t] = made.v[(row * 4 + t) * 4 + 2] = 0.0;
    made.b[row * 4 + 2] = 0.0;
  }
  for (const PenaltyKind kind : test::kKinds) {
    const RowSystems systems = made.with(kind, false);
    const std::vector<double> got = solved(systems, made.start);
    for (std::size_t i = 0; i < got.size(); ++i) {
      const double* a = got.data() + i / 4 * 4;
      if (made.free[i] && i % 4 != 2)
        CHECK_CLOSE(made.best(systems, i / 4, i % 4, a), got[i], kClose);
      else
        CHECK(got[i] == made.start[i]);
    }
  }
}

void singular_systems_do_no_harm() {
  Systems made(20, 3);
  std::ranges::fill(made.v, 1.0);
  std::ranges::fill(made.lambda, 0.0);
  for (const PenaltyKind kind : test::kKinds) {
    const std::vector<double> got = solved(made.with(kind, false), made.start);
    CHECK(std::ranges::all_of(got, [](double a) { return std::isfinite(a); }));
  }
}

}  // namespace

int main() {
  RUN(rows_are_where_no_step_moves_them);
  RUN(rows_leap_where_steps_crawl);
  RUN(what_may_not_move_stays_and_still_explains);
  RUN(singular_systems_do_no_harm);
  return check::report();
}
