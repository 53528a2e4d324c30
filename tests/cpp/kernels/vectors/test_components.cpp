// Rows of a fixed rank compute what rows of any rank do: one plain loop each.
#include "kernels/vectors/outer_sums.hpp"

#include "problem.hpp"

using namespace vest;

namespace {

/// Numbers for one rank: two rows, and a table of three padded rows.
struct Numbers {
  explicit Numbers(std::size_t rank) : stride(padded_rank(rank)) {
    test::Random random(rank);
    for (std::size_t j = 0; j < rank; ++j) {
      a.push_back(random.element());
      b.push_back(random.element());
    }
    for (std::size_t i = 0; i < 3 * stride; ++i)
      table.push_back(i % stride < rank ? random.element() : 0.0);
  }
  std::size_t stride;
  std::vector<double> a, b, table;
  std::vector<double> memory = std::vector<double>(1000, test::kNaN);
};

template <int J>
std::vector<double> elements(const Row<J>& row) {
  std::vector<double> out(row.size(), test::kNaN);
  for (std::size_t j = 0; j < out.size(); ++j) out[j] = row[j];
  return out;
}

template <int J>
void rows_compute(std::size_t rank) {
  Numbers in(rank);
  Scratch scratch(in.memory);
  Row<J> a(rank, scratch);
  Row<J> b(rank, scratch);
  CHECK(a.size() == rank && a.stride() == in.stride);
  a.load(in.a.data());
  b.load(in.b.data());
  CHECK(elements(a) == in.a && elements(b) == in.b);

  double dot = 0.0;
  std::vector<double> added = in.a;
  std::vector<double> squared = in.a;
  std::vector<double> contracted(rank, 0.0);
  const double weights[] = {0.5, 0.0, -2.0};
  for (std::size_t j = 0; j < rank; ++j) {
    dot += in.a[j] * in.b[j];
    added[j] += 3.0 * in.b[j];
    squared[j] += in.b[j] * in.b[j];
    for (std::size_t p = 0; p < 3; ++p) contracted[j] += weights[p] * in.table[p * in.stride + j];
  }
  CHECK_CLOSE(a.dot(b), dot, 1e-14);
  a.add(3.0, b);
  CHECK_CLOSE(test::apart(elements(a), added), 0.0, 1e-14);
  a.load(in.a.data());
  a.add_squares(b);
  CHECK_CLOSE(test::apart(elements(a), squared), 0.0, 1e-14);
  a.contract(in.table.data(), weights, 3);
  CHECK_CLOSE(test::apart(elements(a), contracted), 0.0, 1e-14);
  a.clear();
  CHECK(elements(a) == std::vector<double>(rank, 0.0));
}

/// V = sum d d^T and b = sum x d over two rows.
template <int J>
void outer_products_add_up(std::size_t rank) {
  Numbers in(rank);
  Scratch scratch(in.memory);
  Row<J> a(rank, scratch);
  Row<J> b(rank, scratch);
  OuterSums<J> sums(rank, scratch);
  a.load(in.a.data());
  b.load(in.b.data());
  for (int round = 0; round < 2; ++round) {  // the second starts from zero again
    sums.clear();
    sums.add(2.0, a);
    sums.add(-3.0, b);
  }
  for (std::size_t j = 0; j < rank; ++j) {
    CHECK_CLOSE(sums.b(j), 2.0 * in.a[j] - 3.0 * in.b[j], 1e-14);
    for (std::size_t t = j; t < rank; ++t)
      CHECK_CLOSE(sums.v(j, t), in.a[j] * in.a[t] + in.b[j] * in.b[t], 1e-14);
  }
  // Stored, they stand where the layout says, wherever that is: any double may be the first.
  for (std::size_t before = 0; before < 4; ++before) {
    std::vector<double> memory(before + outer_size(rank) + 1, test::kNaN);
    double* const stored = memory.data() + before;
    sums.store(stored);
    const auto layout = sums.layout();
    CHECK(sums.size() == rank && layout.size() == outer_size(rank));
    for (std::size_t j = 0; j < rank; ++j) {
      CHECK(stored[layout.b() + j] == sums.b(j));
      for (std::size_t t = j; t < rank; ++t)
        CHECK(stored[layout.row(j) + t - layout.first(j)] == sums.v(j, t));
    }
    CHECK(std::isnan(memory.back()));
  }
}

/// The same in whole vectors, of fewer components than there is room for, batches of them and some
/// left over.
void packed_outer_products_add_up() {
  for (std::size_t rank = 1; rank <= 23; ++rank)
    for (const std::size_t count : {1, 7, 8, 19}) {
      test::Random random(rank);
      std::vector<double> memory(OuterSums<kByRuns>::scratch_size(25), test::kNaN);
      Scratch scratch(memory);
      OuterSums<kByRuns> sums(25, scratch);
      sums.start(rank);
      const OuterLayout<kByRuns> layout = sums.layout();
      std::vector<double> v(rank * rank), b(rank);
      for (std::size_t k = 0; k < count; ++k) {
        double* const d = sums.next();
        std::fill_n(d, layout.padded, 0.0);
        for (std::size_t j = 0; j < rank; ++j) d[j] = random.element();
        const double x = random.element();
        for (std::size_t j = 0; j < rank; ++j) {
          b[j] += x * d[j];
          for (std::size_t t = 0; t < rank; ++t) v[j * rank + t] += d[j] * d[t];
        }
        sums.add(x);
      }
      std::vector<double> stored(layout.size() + 1, test::kNaN);
      sums.store(stored.data());
      CHECK(std::isnan(stored.back()) && sums.size() == rank);
      for (std::size_t j = 0; j < rank; ++j) {
        CHECK_CLOSE(stored[layout.b() + j], b[j], 1e-13);
        for (std::size_t t = j; t < rank; ++t)
          CHECK_CLOSE(stored[layout.row(j) + t - layout.first(j)], v[j * rank + t], 1e-13);
      }
    }
}

/// Every count, downwards, once each.
void backwards_counts_down() {
  for (std::size_t count = 0; count < 20; ++count) {
    std::size_t next = count;
    backwards(count, [&](std::size_t p) { CHECK(p == --next); });
    CHECK(next == 0);
  }
}

void every_rank() {
  for (std::size_t rank = 1; rank <= kFixedRanks + 5; ++rank)
    with_rank(rank, [&]<int J>() {
      rows_compute<J>(rank);
      outer_products_add_up<J>(rank);
    });
}

void padding_fills_whole_vectors() {
  for (std::size_t rank = 1; rank <= kFixedRanks + 5; ++rank) {
    CHECK(padded_rank(rank) >= rank && padded_rank(rank) < rank + 4);
    if (rank <= 2 || rank > kFixedRanks)
      CHECK(padded_rank(rank) == rank);
    else
      CHECK(padded_rank(rank) % 4 == 0);
  }
}

}  // namespace

int main() {
  RUN(every_rank);
  RUN(packed_outer_products_add_up);
  RUN(backwards_counts_down);
  RUN(padding_fills_whole_vectors);
  return check::report();
}
