// V and b of chosen rows against plain loops: orders, ranks, masks, long rows, threads.
#include "problem.hpp"

using namespace vest;

namespace {

/// V, then b, of each row, entry by entry, each as often as its weight says, and core element by
/// core element.
std::vector<double> plain_sums(const test::Problem& problem, Mode n,
                               const std::vector<index_t>& rows) {
  const TuckerModel& model = problem.model;
  const std::size_t rank = model.rank(n);
  const literal::CoreIndices j(model);
  const auto entries = literal::entries_of_rows(problem.entries, n);
  std::vector<double> v(rows.size() * rank * rank), b(rows.size() * rank);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (const pos_t e : entries[static_cast<std::size_t>(rows[i])]) {
      std::vector<double> delta(rank);
      for (std::size_t beta = 0; beta < j.count(); ++beta)
        delta[static_cast<std::size_t>(j[beta][n])] +=
            model.values(0)[beta] * literal::product(model, problem.entries.alpha(e), j[beta], n);
      for (std::size_t t = 0; t < rank; ++t)
        if (!is_live(model.row_marks(n, rows[i])[t])) delta[t] = 0.0;
      for (std::size_t t = 0; t < rank; ++t) {
        const double weighed = problem.entries.w(e) * delta[t];
        b[i * rank + t] += problem.entries.x(e) * weighed;
        for (std::size_t u = 0; u < rank; ++u) v[(i * rank + t) * rank + u] += weighed * delta[u];
      }
    }
  v.insert(v.end(), b.begin(), b.end());
  return v;
}

std::vector<double> sums(test::Rig& rig, const KernelTable& kernels, Mode n,
                         const std::vector<index_t>& rows) {
  const std::size_t rank = rig.model.rank(n);
  std::vector<double> v(rows.size() * rank * rank, test::kNaN), b(rows.size() * rank, test::kNaN);
  kernels.row_sums(rig.plan.modes[n], rig.model, rows, rig.ws, v, b);
  v.insert(v.end(), b.begin(), b.end());
  return v;
}

std::vector<index_t> every(std::size_t step, const test::Problem& problem, Mode n) {
  std::vector<index_t> rows;
  for (std::size_t i = 0; i < problem.model.rows(n); i += step)
    rows.push_back(static_cast<index_t>(i));
  return rows;
}

/// The middle row, which has no entries, is among all rows.
void chosen_rows_are_summed(const test::Problem& problem) {
  for (Mode n = 0; n < problem.model.order(); ++n)
    for (const std::size_t step : {1, 3}) {
      const std::vector<index_t> rows = every(step, problem, n);
      const std::vector<double> want = plain_sums(problem, n, rows);
      test::check_kernel(problem, want, [&](test::Rig& rig, const KernelTable& kernels) {
        const std::vector<double> got = sums(rig, kernels, n, rows);
        CHECK(test::same_bits(rig.model.values(n + 1), problem.model.values(n + 1)));
        return got;
      });
    }
}

void sums_do_not_depend_on_which_rows_are_asked_for() {
  const test::Problem problem = test::make_problem(test::cases()[7]);
  test::Rig rig(problem.tensor(), problem.model, 2, {});
  const std::size_t rank = rig.model.rank(1);
  const std::vector<double> all = sums(rig, kernel_table, 1, every(1, problem, 1));
  for (const index_t row : {0, 5, 179}) {
    const std::vector<double> alone = sums(rig, kernel_table, 1, {row});
    const double* v = all.data() + static_cast<std::size_t>(row) * rank * rank;
    CHECK(test::same_bits(std::span(alone).first(rank * rank), {v, rank * rank}));
  }
  CHECK(sums(rig, kernel_table, 1, {}).empty());
}

/// What makes rows that are spread over several machines possible.
void sums_over_shares_of_the_entries_add_up() {
  const test::Problem whole = test::make_problem(test::cases()[2]);
  test::Problem shares[2] = {whole, whole};
  for (int share : {0, 1}) {
    literal::Entries part{{}, {}, whole.entries.shape};
    for (pos_t e = share; e < whole.entries.nnz(); e += 2) {
      const index_t* alpha = whole.entries.alpha(e);
      part.coords.insert(part.coords.end(), alpha, alpha + whole.entries.shape.size());
      part.values.push_back(whole.entries.x(e));
    }
    shares[share].entries = part;
  }
  for (Mode n = 0; n < 3; ++n) {
    std::vector<double> total(plain_sums(whole, n, every(1, whole, n)).size());
    for (const test::Problem& share : shares) {
      test::Rig rig(share.tensor(), share.model, 1, {});
      const std::vector<double> some = sums(rig, kernel_table, n, every(1, whole, n));
      for (std::size_t i = 0; i < total.size(); ++i) total[i] += some[i];
    }
    const std::vector<double> want = plain_sums(whole, n, every(1, whole, n));
    CHECK_CLOSE(test::apart(total, want), 0.0, test::kTol);
  }
}

}  // namespace

int main() {
  test::for_cases("row_sums", chosen_rows_are_summed);
  RUN(sums_do_not_depend_on_which_rows_are_asked_for);
  RUN(sums_over_shares_of_the_entries_add_up);
  return check::report();
}
