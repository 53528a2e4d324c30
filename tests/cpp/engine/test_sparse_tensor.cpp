// Tensors: what is checked, what the errors name, and which repeated entry is found.
#include "vest/sparse_tensor.hpp"

#include <algorithm>
#include <limits>

#include "problem.hpp"

using namespace vest;

namespace {

struct Arrays {
  std::vector<index_t> coords{0, 0, 0, 1, 2, 1, 3, 1, 0};
  std::vector<double> values{1.0, -2.0, 2.0};
  std::vector<pos_t> shape{4, 3, 2};
  std::vector<double> weights = {};

  [[nodiscard]] SparseTensor tensor() const { return {coords, values, shape, {}, weights}; }
};

/// The message of the `Error` that making the tensor throws, or nothing.
template <class Error>
std::string complaint(const Arrays& arrays) {
  try {
    static_cast<void>(arrays.tensor());
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

bool names(const std::string& message, std::initializer_list<const char*> words) {
  return std::ranges::all_of(
      words, [&](const char* word) { return message.find(word) != std::string::npos; });
}

void a_tensor_is_what_it_was_given() {
  const Arrays arrays;
  const SparseTensor x = arrays.tensor();
  CHECK(x.order() == 3);
  CHECK(x.nnz() == 3);
  CHECK(x.shape() == arrays.shape);
  CHECK(x.dim(1) == 3);
  CHECK(x.coord(1, 1) == 2 && x.coord(2, 0) == 3 && x.coord(1, 2) == 1);
  CHECK(x.value(1) == -2.0);
  CHECK(x.norm2() == 9.0);
}

void weights_weigh_squares() {
  Arrays arrays;
  CHECK(!arrays.tensor().weighted());
  arrays.weights = {2.0, 0.5, 3.0};
  const SparseTensor x = arrays.tensor();
  CHECK(x.weighted() && x.weight(2) == 3.0);
  CHECK(x.norm2() == 2.0 + 0.5 * 4.0 + 3.0 * 4.0);
  const std::vector<double> values{1.0, 0.0, 1.0};
  const SparseTensor others = x.with_values(values);
  CHECK(others.weight(0) == 2.0 && others.norm2() == 5.0);
  CHECK(x.is_unchanged());
  std::swap(arrays.weights[0], arrays.weights[1]);
  CHECK(!x.is_unchanged() && !others.is_unchanged());
}

void a_weight_that_is_not_positive_is_named() {
  for (const double bad : {0.0, -1e-9, test::kNaN, std::numeric_limits<double>::infinity()}) {
    Arrays arrays;
    arrays.weights = {1.0, bad, bad};
    const char* shown = std::isnan(bad) ? "nan" : bad > 0.0 ? "inf" : bad < 0.0 ? "-1e-09" : "0;";
    CHECK(names(complaint<WeightError>(arrays), {"entry 1 ", shown, "leave out"}));
  }
  Arrays arrays;
  arrays.weights = {1.0, 2.0};
  CHECK(names(complaint<std::invalid_argument>(arrays), {"3 values", "2 weights"}));
}

void the_norm_of_many_entries_keeps_its_digits() {
  const std::size_t count = 300000;
  const std::vector<double> values(count, 0.1);
  const std::vector<index_t> coords(2 * count, 0);
  const SparseTensor x(coords, values, {1, 1});
  CHECK_CLOSE(x.norm2() / (0.1 * 0.1 * static_cast<double>(count)), 1.0, 1e-13);
}

void a_coordinate_outside_its_mode_is_named() {
  for (const index_t bad : {3, -1, std::numeric_limits<index_t>::max()}) {
    Arrays arrays;
    arrays.coords[4] = bad;  // entry 1, mode 1
    arrays.coords[8] = 9;    // a later one is not the one to name
    const std::string said = complaint<CoordinateError>(arrays);
    CHECK(names(said, {"entry 1:", "mode 1", "0..2", std::to_string(bad).c_str()}));
  }
}

void check_coords_stands_alone() {
  const std::vector<pos_t> shape{4, 3};
  const std::vector<index_t> good{3, 2, 0, 0};
  const std::vector<index_t> bad{3, 2, 4, 0};
  check_coords(good, shape);
  check_coords({}, shape);
  CHECK_THROWS(check_coords(bad, shape), CoordinateError);
}

void a_value_that_is_no_number_is_named() {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {test::kNaN, infinity, -infinity}) {
    Arrays arrays;
    arrays.values[2] = bad;
    const std::string said = complaint<NonFiniteError>(arrays);
    CHECK(names(said, {"entry 2 ", std::isnan(bad) ? "nan" : bad < 0.0 ? "-inf" : "inf"}));
  }
}

void sizes_that_do_not_fit_together_are_refused() {
  using Invalid = std::invalid_argument;
  Arrays arrays;
  arrays.values.push_back(1.0);
  CHECK(names(complaint<Invalid>(arrays), {"4 values", "3 coordinate rows"}));
  arrays = {};
  arrays.coords.pop_back();
  CHECK(!complaint<Invalid>(arrays).empty());
  arrays = {};
  arrays.values.clear();
  arrays.coords.clear();
  CHECK(names(complaint<Invalid>(arrays), {"no entries"}));
}

void shapes_out_of_range_are_refused() {
  using Invalid = std::invalid_argument;
  Arrays arrays;
  arrays.shape = {4, 0, 2};
  CHECK(names(complaint<Invalid>(arrays), {"mode 1", "dimension 0"}));
  arrays.shape = {4, 3, -2};
  CHECK(names(complaint<Invalid>(arrays), {"mode 2", "dimension -2"}));
  arrays.shape = {4, 3, kMaxIndex + 1};
  CHECK(names(complaint<Invalid>(arrays), {"mode 2", "dimension 2147483648"}));
  arrays.shape = {4};
  CHECK(names(complaint<Invalid>(arrays), {"not 1"}));
  arrays.shape.assign(kMaxOrder + 1, 1);
  CHECK(names(complaint<Invalid>(arrays), {"not 65"}));

  arrays.shape = {kMaxIndex, kMaxIndex, kMaxIndex};  // far more cells than 64 bits count: fine
  arrays.coords[0] = static_cast<index_t>(kMaxIndex - 1);
  CHECK(arrays.tensor().coord(0, 0) == kMaxIndex - 1);
}

void sizes_never_wrap() {
  CHECK(checked_product(pos_t{1} << 31, pos_t{1} << 31, "it") == pos_t{1} << 62);
  CHECK_THROWS(checked_product(pos_t{1} << 32, pos_t{1} << 31, "it"), std::length_error);
  try {
    static_cast<void>(checked_product(INT64_MAX, 2, "the core"));
    CHECK(false);
  } catch (const std::length_error& error) {
    CHECK(names(error.what(), {"the core"}));
  }
}

void the_owner_lives_as_long_as_the_tensor() {
  auto owner = std::make_shared<Arrays>();
  const std::weak_ptr<Arrays> watch = owner;
  {
    const SparseTensor x(owner->coords, owner->values, owner->shape, owner);
    const SparseTensor copy = x;
    owner.reset();
    CHECK(!watch.expired());
    CHECK(copy.value(0) == 1.0);
  }
  CHECK(watch.expired());
}

/// Coordinates are shared, values are checked, and both owners live on.
void other_values_at_the_same_coordinates() {
  Arrays arrays;
  auto owner = std::make_shared<Arrays>(arrays);
  const std::weak_ptr<Arrays> watch = owner;
  const auto others = [&] {
    const SparseTensor x(owner->coords, owner->values, owner->shape, owner);
    const auto values = std::make_shared<std::vector<double>>(std::vector{3.0, 0.0, 4.0});
    return x.with_values(*values, values);
  }();
  owner.reset();
  CHECK(!watch.expired());
  CHECK(others.norm2() == 25.0 && others.value(2) == 4.0);
  CHECK(others.coord(2, 0) == 3 && others.shape() == arrays.shape);
  CHECK(others.is_unchanged());
  const SparseTensor x = arrays.tensor();
  CHECK_THROWS(static_cast<void>(x.with_values(std::vector{1.0})), std::invalid_argument);
  const std::vector<double> bad{1.0, std::numeric_limits<double>::infinity(), 2.0};
  CHECK_THROWS(static_cast<void>(x.with_values(bad)), NonFiniteError);
}

/// Any byte of either array, also where other entries make up for it.
void changes_are_noticed() {
  test::Random random(5);
  for (const pos_t entries : {1, 2, 7, 8, 9, 1000}) {
    literal::Entries e = test::make_entries({300, 50, 70}, entries, random);
    const SparseTensor x(e.coords, e.values, e.shape);
    CHECK(x.is_unchanged());
    for (index_t& coord : e.coords) {
      coord ^= 1;
      CHECK(!x.is_unchanged());
      coord ^= 1;
    }
    for (double& value : e.values) {
      value = -value;
      CHECK(!x.is_unchanged());
      value = -value;
    }
    if (entries > 7) {
      std::swap(e.values[2], e.values[5]);
      CHECK(!x.is_unchanged());
      std::swap(e.values[2], e.values[5]);
      std::swap_ranges(e.coords.begin(), e.coords.begin() + 3, e.coords.begin() + 9);
      CHECK(!x.is_unchanged());
    }
  }
}

void distinct_entries_have_no_duplicate() {
  for (const test::Case& c : test::cases())
    for (const int threads : {1, 3})
      CHECK(!test::make_problem(c).tensor().find_duplicate(Team(threads)));
}

void the_lowest_repeat_is_found() {
  const auto found_in = [](const std::vector<index_t>& coords, std::vector<pos_t> shape) {
    const std::vector<double> values(coords.size() / shape.size(), 1.0);
    return SparseTensor(coords, values, std::move(shape)).find_duplicate(Team(2));
  };
  using Pair = std::pair<pos_t, pos_t>;
  // Entries 2 and 3 repeat 1 and 0: entry 2 comes first, though (0, 0) sorts first.
  CHECK(found_in({0, 0, 5, 5, 5, 5, 0, 0}, {6, 6}) == Pair(1, 2));
  // Three of a kind: the second repeats the first.
  CHECK(found_in({4, 4, 1, 2, 3, 3, 1, 2, 1, 2}, {6, 6}) == Pair(1, 3));
  // Equal in all modes but one, wherever it is.
  CHECK(!found_in({1, 2, 3, 0, 2, 3, 1, 0, 3, 1, 2, 0}, {4, 4, 4}));
  // Coordinates that agree in their low digits only.
  CHECK(!found_in({7, 1, 7 + 2048, 1, 7 + (1 << 22), 1, 7, 1 + 2048}, {1 << 23, 4096}));
  CHECK(found_in({1 << 22, 0, 7, 0, 1 << 22, 0}, {1 << 23, 1}) == Pair(0, 2));
}

void a_planted_repeat_among_many_is_found() {
  test::Random random(3);
  literal::Entries x = test::make_entries({300, 50, 70}, 5000, random);
  for (const auto& [from, to] : {std::pair<pos_t, pos_t>{4000, 4321}, {17, 4800}})
    std::copy_n(x.alpha(from), 3, x.coords.begin() + 3 * to);
  const SparseTensor tensor(x.coords, x.values, x.shape);
  CHECK(tensor.find_duplicate(Team(1)) == std::pair<pos_t, pos_t>(4000, 4321));
}

void a_search_can_be_interrupted() {
  const Arrays arrays;
  CHECK_THROWS(arrays.tensor().find_duplicate(Team(1, [] { return true; })), Interrupted);
}

}  // namespace

int main() {
  RUN(a_tensor_is_what_it_was_given);
  RUN(weights_weigh_squares);
  RUN(a_weight_that_is_not_positive_is_named);
  RUN(the_norm_of_many_entries_keeps_its_digits);
  RUN(a_coordinate_outside_its_mode_is_named);
  RUN(check_coords_stands_alone);
  RUN(a_value_that_is_no_number_is_named);
  RUN(sizes_that_do_not_fit_together_are_refused);
  RUN(shapes_out_of_range_are_refused);
  RUN(sizes_never_wrap);
  RUN(the_owner_lives_as_long_as_the_tensor);
  RUN(other_values_at_the_same_coordinates);
  RUN(changes_are_noticed);
  RUN(distinct_entries_have_no_duplicate);
  RUN(the_lowest_repeat_is_found);
  RUN(a_planted_repeat_among_many_is_found);
  RUN(a_search_can_be_interrupted);
  return check::report();
}
