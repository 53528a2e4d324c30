// The model: sizes that must fit together, where rows and marks stand, and counting.
#include "vest/model.hpp"

#include <armadillo>
#include <memory>

#include "problem.hpp"

using namespace vest;

namespace {

using Factors = std::vector<arma::mat>;

TuckerModel small_model() {
  return {{2, 3}, arma::vec(6, arma::fill::ones), {arma::mat(2, 4), arma::mat(3, 5)}};
}

template <class Error>
std::string complaint(std::vector<index_t> ranks, arma::uword core, Factors factors) {
  try {
    const TuckerModel model(std::move(ranks), arma::vec(core, arma::fill::zeros),
                            std::move(factors));
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

void parts_are_numbered_core_first() {
  TuckerModel model = small_model();
  CHECK(model.order() == 2 && model.parts() == 3);
  CHECK(model.rank(1) == 3 && model.ranks() == std::vector<index_t>({2, 3}));
  for (const auto& [part, size] : {std::pair<std::size_t, std::size_t>{0, 6}, {1, 8}, {2, 15}}) {
    CHECK(model.values(part).size() == size);
    CHECK(model.marks(part).size() == size);
    CHECK(std::ranges::count(model.marks(part), Mark::kFree) == static_cast<pos_t>(size));
  }
  CHECK(model.values(0).data() == model.core().memptr());
  CHECK(model.values(2).data() == model.factor(1).memptr());
  CHECK(std::as_const(model).values(2).data() == model.factor(1).memptr());
}

/// Row i of A(n) is a column of the matrix, contiguous: the bytes of a C-order I x J array.
void a_row_is_contiguous() {
  TuckerModel model = small_model();
  CHECK(model.row(1, 0) == model.values(2).data());
  CHECK(model.row(1, 4) == model.values(2).data() + 12);
  CHECK(model.row_marks(1, 4) == model.marks(2).data() + 12);
  test::edit_row(model, 1, 3)[2] = 7.0;
  CHECK(model.values(2)[11] == 7.0 && model.factor(1).at(2, 3) == 7.0);
}

void sizes_that_do_not_fit_are_refused() {
  using Invalid = std::invalid_argument;
  const auto factors = [] { return Factors{arma::mat(2, 4), arma::mat(3, 5)}; };
  CHECK(complaint<Invalid>({2, 3}, 6, factors()).empty());
  CHECK(complaint<Invalid>({2, 3, 1}, 6, factors()).find("3 modes") != std::string::npos);
  CHECK(complaint<Invalid>({2, 4}, 8, factors()).find("factor 1") != std::string::npos);
  CHECK(complaint<Invalid>({2, 3}, 7, factors()).find("7 elements") != std::string::npos);
  CHECK(complaint<Invalid>({2, 0}, 0, {arma::mat(2, 4), arma::mat(0, 5)}).find("factor 1") !=
        std::string::npos);
}

void a_core_past_64_bits_is_refused() {
  const auto most = static_cast<arma::uword>(kMaxIndex);
  const auto rank = static_cast<index_t>(kMaxIndex);
  CHECK(
      !complaint<std::length_error>({rank, rank, rank}, 0, Factors(3, arma::mat(most, 0))).empty());
}

/// An edit, and nothing else, gives a part a new version; what was computed before is out of date
/// unless that part does not matter to it.
void every_edit_is_a_new_version() {
  TuckerModel model = small_model();
  ModelStamp stamp;
  CHECK(!stamp.fits(model) && !stamp.fits(model, 0));
  for (std::size_t part = 0; part < model.parts(); ++part) {
    stamp.set(model);
    CHECK(stamp.fits(model) && stamp.fits(model, part));
    static_cast<void>(model.values(part));
    model.marks(part)[0] = Mark::kKept;
    CHECK(stamp.fits(model));
    const std::uint64_t before = model.version(part);
    model.edit(part)[0] = 3.0;
    CHECK(model.version(part) > before);
    CHECK(!stamp.fits(model) && stamp.fits(model, part));
    CHECK(!stamp.fits(model, (part + 1) % model.parts()));
  }
  stamp.set(model);
  stamp.clear();
  for (const std::size_t but : {std::size_t{0}, std::size_t{1}, ModelStamp::kNone})
    CHECK(!stamp.fits(model, but));
}

void borrowed_memory_is_written_and_kept() {
  auto memory = std::make_shared<std::vector<double>>(6, 1.0);
  double* const core = memory->data();
  const std::weak_ptr<std::vector<double>> watch = memory;
  {
    TuckerModel model({2, 3}, arma::vec(core, 6, false, true), {arma::mat(2, 4), arma::mat(3, 5)},
                      memory);
    memory.reset();
    CHECK(!watch.expired());
    model.edit(0)[5] = 2.0;
    CHECK(core[5] == 2.0);
  }
  CHECK(watch.expired());
}

/// What the Python side does: arrays in, one row after the other.
void arrays_are_borrowed() {
  std::vector<double> core(6, 1.0), first(8, 2.0), second(15, 3.0);
  const std::vector<FactorArray> factors{{first.data(), 4, 2}, {second.data(), 5, 3}};
  TuckerModel model = TuckerModel::borrowing({2, 3}, core, factors, {});
  CHECK(model.rows(0) == 4 && model.rows(1) == 5 && model.rank(1) == 3);
  model.edit(2)[14] = 7.0;
  CHECK(second[14] == 7.0 && model.row(1, 4)[2] == 7.0);
  CHECK_THROWS(TuckerModel::borrowing({2, 4}, core, factors, {}), std::invalid_argument);
}

/// A copy has its own numbers, however small the matrices are and whoever owns the first ones.
void a_copy_has_memory_of_its_own() {
  std::vector<double> core(6, 1.0);
  TuckerModel model({2, 3}, arma::vec(core.data(), 6, false, true),
                    {arma::mat(2, 4, arma::fill::zeros), arma::mat(3, 5, arma::fill::zeros)});
  TuckerModel copy = model;
  TuckerModel assigned;
  assigned = copy;
  for (TuckerModel* each : {&copy, &assigned})
    for (std::size_t part = 0; part < 3; ++part) {
      each->edit(part)[1] = 9.0;
      CHECK(model.values(part)[1] == (part == 0 ? 1.0 : 0.0));
      CHECK(each->version(part) == model.version(part) + 1);
    }
  CHECK(copy.values(1).data() != assigned.values(1).data());
  const double* const before = copy.values(1).data();
  const TuckerModel moved = std::move(copy);
  CHECK(moved.values(1).data() == before && moved.factor(0).at(1, 0) == 9.0);
}

}  // namespace

int main() {
  RUN(parts_are_numbered_core_first);
  RUN(a_row_is_contiguous);
  RUN(sizes_that_do_not_fit_are_refused);
  RUN(a_core_past_64_bits_is_refused);
  RUN(every_edit_is_a_new_version);
  RUN(borrowed_memory_is_written_and_kept);
  RUN(arrays_are_borrowed);
  RUN(a_copy_has_memory_of_its_own);
  return check::report();
}
