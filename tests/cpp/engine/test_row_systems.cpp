// Rows solved for by whatever kernels run here: sizes that do not fit get an error.
#include "vest/row_systems.hpp"

#include "problem.hpp"

using namespace vest;

namespace {

const std::vector<double> v{2.0, 0.0, 0.0, 1.0}, b{5.0, 9.0}, lambda{0.5, 0.5}, weight{1.0};
const bool all[] = {true, true};

RowSystems one_row() {
  return {.rank = 2,
          .v = v,
          .b = b,
          .free = all,
          .lambda = lambda,
          .row_weight = weight,
          .kind = PenaltyKind::kFrobenius};
}

void a_row_is_solved_for() {
  std::vector<double> row{0.0, 0.0};
  solve_row_systems(one_row(), Team(1), row);
  CHECK(row[0] == 2.0 && row[1] == 6.0);
  RowSystems none{.rank = 2, .lambda = lambda};
  CHECK(none.rows() == 0);
  solve_row_systems(none, Team(1), {});
}

void sizes_must_fit() {
  std::vector<double> row{0.0, 0.0};
  const auto solve = [&](auto&& change) {
    RowSystems systems = one_row();
    change(systems);
    solve_row_systems(systems, Team(1), row);
  };
  CHECK_THROWS(solve([](RowSystems& s) { s.rank = 0; }), std::invalid_argument);
  CHECK_THROWS(solve([](RowSystems& s) { s.rank = 3; }), std::invalid_argument);
  CHECK_THROWS(solve([](RowSystems& s) { s.v = s.v.first(3); }), std::invalid_argument);
  CHECK_THROWS(solve([](RowSystems& s) { s.b = s.b.first(1); }), std::invalid_argument);
  CHECK_THROWS(solve([](RowSystems& s) { s.free = s.free.first(1); }), std::invalid_argument);
  CHECK_THROWS(solve([](RowSystems& s) { s.lambda = s.lambda.first(1); }), std::invalid_argument);
  CHECK_THROWS(solve([](RowSystems& s) { s.row_weight = lambda; }), std::invalid_argument);
}

}  // namespace

int main() {
  RUN(a_row_is_solved_for);
  RUN(sizes_must_fit);
  return check::report();
}
