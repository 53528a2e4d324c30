// The steps of the two penalties minimise along one coordinate; their slopes are what they say.
#include "vest/penalty.hpp"

#include "problem.hpp"

using namespace vest;

namespace {

/// Where no neighbour is lower: the objective has one minimum.
template <class Objective>
void check_minimum(const Objective& objective, double at) {
  for (const double away : {1e-3, 1e-1, 10.0}) {
    CHECK(objective(at) < objective(at + away));
    CHECK(objective(at) < objective(at - away));
  }
}

void frobenius_minimises_the_squared_penalty() {
  test::Random random(1);
  for (int i = 0; i < 200; ++i) {
    const double h = 4.0 * random.element();
    const double v = random.uniform() + 0.01;
    const double lambda = 3.0 * random.uniform();
    check_minimum([&](double a) { return a * a * v - 2.0 * a * h + lambda * a * a; },
                  FrobeniusStep{lambda}(h, v));
  }
}

void l1_minimises_the_absolute_penalty() {
  test::Random random(2);
  int zeros = 0;
  for (int i = 0; i < 200; ++i) {
    const double h = random.element();
    const double v = random.uniform() + 0.01;
    const double lambda = 3.0 * random.uniform();
    const double at = L1Step{lambda}(h, v);
    check_minimum([&](double a) { return a * a * v - 2.0 * a * h + lambda * std::abs(a); }, at);
    CHECK(at * h >= 0.0);  // it may shrink to zero but never past it
    zeros += at == 0.0;
  }
  CHECK(zeros > 20 && zeros < 180);
}

void l1_cases_by_hand() {
  const L1Step step{2.0};
  CHECK(step(3.0, 2.0) == 1.0);    // g = -6 < -2: -(2 - 6) / 4
  CHECK(step(-3.0, 2.0) == -1.0);  // g = 6 > 2: (2 - 6) / 4
  CHECK(step(0.9, 2.0) == 0.0);
  CHECK(step(1.0, 2.0) == 0.0);  // g = -lambda belongs to the third case
  CHECK(step(-1.0, 2.0) == 0.0);
}

void a_feature_that_is_zero_everywhere_gives_zero() {
  for (const double lambda : {0.0, 2.0}) {
    CHECK(FrobeniusStep{lambda}(0.0, 0.0) == 0.0);
    CHECK(L1Step{lambda}(0.0, 0.0) == 0.0);
    CHECK(L1Step{lambda}(1e-300, 0.0) == 0.0);  // v underflows before h does
  }
}

void with_step_hands_over_the_chosen_one() {
  for (const PenaltyKind kind : test::kKinds) {
    double got = -1.0;
    with_step({kind, 2.0}, [&](const auto& step) { got = step(3.0, 2.0); });
    CHECK(got == (kind == PenaltyKind::kFrobenius ? 0.75 : 1.0));
    with_step({kind, 2.0}, [&](const auto& step) { got = step(-3.0, 2.0); });
    CHECK(got == (kind == PenaltyKind::kFrobenius ? -0.75 : -1.0));
    with_step({kind, 2.0, true}, [&](const auto& step) { got = step(3.0, 2.0); });
    CHECK(got == (kind == PenaltyKind::kFrobenius ? 0.75 : 1.0));
    with_step({kind, 2.0, true}, [&](const auto& step) { got = step(-3.0, 2.0); });
    CHECK(got == 0.0 && !std::signbit(got));
  }
}

/// Of the values that are allowed none is better.
void without_negative_elements_the_minimum_is_that_of_the_half_line() {
  test::Random random(3);
  for (int i = 0; i < 200; ++i) {
    const double h = random.element();
    const double v = random.uniform() + 0.01;
    const double lambda = 2.0 * random.uniform();
    const auto check = [&](double at, const auto& objective) {
      CHECK(at >= 0.0);
      for (const double other : {0.0, 0.5 * at, at + 1e-3, at + 1.0})
        CHECK(objective(at) <= objective(other));
    };
    check(NonNegative<FrobeniusStep>{lambda}(h, v),
          [&](double a) { return a * a * v - 2.0 * a * h + lambda * a * a; });
    check(NonNegative<L1Step>{lambda}(h, v),
          [&](double a) { return a * a * v - 2.0 * a * h + lambda * a; });
  }
}

void slopes_are_those_of_the_penalties() {
  for (const double a : {-3.0, -0.5, 0.25, 2.0}) {
    const FrobeniusStep square{1.5};
    const L1Step absolute{1.5};
    CHECK(square.curvature() * a + square.pull(a) == 0.5 * (2.0 * 1.5 * a));
    CHECK(absolute.curvature() * a + absolute.pull(a) == 0.5 * (a > 0.0 ? 1.5 : -1.5));
    CHECK(NonNegative<L1Step>{absolute}.pull(a) == absolute.pull(a));
    CHECK(NonNegative<FrobeniusStep>{square}.curvature() == square.curvature());
  }
}

void a_row_pays_by_its_weight() {
  const double weight[] = {1.0, 0.5};
  CHECK((Penalty{PenaltyKind::kL1, 3.0}.lambda_of(7) == 3.0));
  CHECK((Penalty{PenaltyKind::kL1, 3.0, false, weight}.lambda_of(1) == 1.5));
}

}  // namespace

int main() {
  RUN(frobenius_minimises_the_squared_penalty);
  RUN(l1_minimises_the_absolute_penalty);
  RUN(l1_cases_by_hand);
  RUN(a_feature_that_is_zero_everywhere_gives_zero);
  RUN(with_step_hands_over_the_chosen_one);
  RUN(without_negative_elements_the_minimum_is_that_of_the_half_line);
  RUN(slopes_are_those_of_the_penalties);
  RUN(a_row_pays_by_its_weight);
  return check::report();
}
