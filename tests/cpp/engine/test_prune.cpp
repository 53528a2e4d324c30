// The radix selection equals a stable sort, whatever the numbers.
#include "engine/prune.hpp"

#include <algorithm>
#include <limits>

#include "problem.hpp"

using namespace vest;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void mark_in(const std::vector<double>& scores, pos_t count, std::vector<Mark>& marks) {
  const Ranked part{scores, marks};
  mark_least({&part, 1}, count, Team(1));
}

/// mark_least against a stable sort, for the given numbers and marks: in one part, and in several
/// that make up the same ranking.
void check_selection(const std::vector<double>& scores, const std::vector<Mark>& marks,
                     pos_t count) {
  std::vector<Mark> want = marks;
  for (const std::size_t i : literal::least(scores, marks, count)) want[i] = Mark::kChosen;
  std::vector<Mark> got = marks;
  mark_in(scores, count, got);
  CHECK(got == want);
  got = marks;
  const std::size_t third = marks.size() / 3;
  const std::span<const double> all(scores);
  const std::span<Mark> parts(got);
  const Ranked split[] = {{all.first(third), parts.first(third)},
                          {all.subspan(third, 0), parts.subspan(third, 0)},
                          {all.subspan(third), parts.subspan(third)}};
  mark_least(split, count, Team(3));
  CHECK(got == want);
}

/// Every count from none to all.
void check_counts(const std::vector<double>& scores) {
  const std::vector<Mark> free(scores.size(), Mark::kFree);
  for (pos_t count = 0; count <= std::ssize(scores); ++count) check_selection(scores, free, count);
}

void random_numbers() {
  test::Random random(1);
  std::vector<double> scores;
  for (int i = 0; i < 300; ++i) scores.push_back(random.element());
  check_counts(scores);
}

/// Sizes apart, signs mixed: all digits of the keys decide somewhere.
void numbers_of_all_sizes() {
  test::Random random(2);
  std::vector<double> scores;
  for (int i = 0; i < 300; ++i)
    scores.push_back(std::ldexp(random.element(), random.below(2000) - 1000));
  check_counts(scores);
}

void numbers_that_differ_in_their_last_bits() {
  test::Random random(3);
  std::vector<double> scores;
  for (int i = 0; i < 200; ++i)
    scores.push_back((i % 2 == 0 ? 1.0 : -1.0) * (1.0 + 0x1p-52 * random.below(50)));
  check_counts(scores);
}

void ties_go_to_the_lower_position() {
  test::Random random(4);
  std::vector<double> scores;
  for (int i = 0; i < 300; ++i) scores.push_back(random.below(5) - 2);
  check_counts(scores);
  check_counts(std::vector<double>(100, 0.25));  // all equal
  check_counts(std::vector<double>(100, 0.0));
}

void both_zeros_are_equal() {
  check_counts({0.0, -0.0, 1.0, -0.0, 0.0, -1.0, 0.0, -0.0});
  std::vector<Mark> marks(3, Mark::kFree);
  mark_in({0.0, -0.0, -0.0}, 1, marks);
  CHECK(marks[0] == Mark::kChosen);  // not the negative zero behind it
}

void extremes() {
  const double smallest = std::numeric_limits<double>::denorm_min();
  const double largest = std::numeric_limits<double>::max();
  check_counts({kInfinity, -kInfinity, largest, -largest, smallest, -smallest, 0.0, kInfinity,
                -kInfinity, -0.0, largest});
}

void nothing_at_all() {
  check_counts({});
  check_counts({1.0});
}

/// Marked elements are neither chosen nor changed, however low they score.
void earlier_marks_stay() {
  test::Random random(5);
  std::vector<double> scores;
  std::vector<Mark> marks;
  for (int i = 0; i < 400; ++i) {
    const double u = random.uniform();
    marks.push_back(u < 0.2   ? Mark::kPruned
                    : u < 0.3 ? Mark::kKept
                    : u < 0.4 ? Mark::kLastBatch
                              : Mark::kFree);
    scores.push_back(marks.back() == Mark::kFree ? random.element() : -100.0);
  }
  const pos_t free = std::ranges::count(marks, Mark::kFree);
  for (pos_t count = 0; count <= free; ++count) check_selection(scores, marks, count);

  const auto pruned = std::ranges::count(marks, Mark::kPruned);
  mark_in(scores, free, marks);
  CHECK(std::ranges::count(marks, Mark::kFree) == 0);
  CHECK(std::ranges::count(marks, Mark::kPruned) == pruned);
}

void exactly_the_count_is_marked_among_many() {
  test::Random random(6);
  std::vector<double> scores;
  for (int i = 0; i < 400000; ++i) scores.push_back(std::floor(1000.0 * random.element()));
  const std::vector<Mark> free(scores.size(), Mark::kFree);
  for (const pos_t count : {1, 999, 200000, 399999}) check_selection(scores, free, count);
}

}  // namespace

int main() {
  RUN(random_numbers);
  RUN(numbers_of_all_sizes);
  RUN(numbers_that_differ_in_their_last_bits);
  RUN(ties_go_to_the_lower_position);
  RUN(both_zeros_are_equal);
  RUN(extremes);
  RUN(nothing_at_all);
  RUN(earlier_marks_stay);
  RUN(exactly_the_count_is_marked_among_many);
  return check::report();
}
