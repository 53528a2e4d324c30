// The model: sizes that must fit together, where rows and marks stand, and counting.
#include "vest/model.hpp"

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
  model.row(1, 3)[2] = 7.0;
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

void zeros_and_marks_are_counted() {
  TuckerModel model = small_model();
  model.values(0)[1] = 0.0;
  model.values(0)[2] = -0.0;
  model.values(0)[3] = 5e-324;  // not zero
  CHECK(model.count_zeros(0) == 2);
  CHECK(model.count_pruned(1) == 0);
  model.marks(1)[0] = Mark::kPruned;
  model.marks(1)[7] = Mark::kLastBatch;
  CHECK(model.count_pruned(1) == 2);
  CHECK(model.count_pruned(0) == 0 && model.count_pruned(2) == 0);
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
    model.values(0)[5] = 2.0;
    CHECK(core[5] == 2.0);
  }
  CHECK(watch.expired());
}

}  // namespace

int main() {
  RUN(parts_are_numbered_core_first);
  RUN(a_row_is_contiguous);
  RUN(sizes_that_do_not_fit_are_refused);
  RUN(a_core_past_64_bits_is_refused);
  RUN(zeros_and_marks_are_counted);
  RUN(borrowed_memory_is_written_and_kept);
  return check::report();
}
