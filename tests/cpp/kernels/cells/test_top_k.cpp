// The best items of each query, against sorting all scores.
#include <numeric>

#include "problem.hpp"
#include "vest/ranking.hpp"

using namespace vest;

namespace {

struct Data {
  std::size_t queries, items, rank, k;
  std::vector<double> query, item, offset;
  std::vector<pos_t> first{0};
  std::vector<index_t> excluded;

  [[nodiscard]] Ranking ranking() const {
    return {.rank = rank,
            .queries = query,
            .items = item,
            .offsets = offset,
            .first = first.size() > 1 ? std::span(first) : std::span<const pos_t>(),
            .excluded = excluded,
            .query_count = queries,
            .item_count = items,
            .k = k};
  }
};

/// Small whole numbers: many scores are equal, and none is rounded.
Data make_data(std::size_t queries, std::size_t items, std::size_t rank, std::size_t k,
               bool excludes) {
  test::Random random(3);
  Data data{queries, items, rank, k, {}, {}, {}, {0}, {}};
  const auto draw = [&] { return static_cast<double>(random.below(7)) - 3.0; };
  for (std::size_t i = 0; i < queries * rank; ++i) data.query.push_back(draw());
  for (std::size_t i = 0; i < items * rank; ++i) data.item.push_back(draw());
  for (std::size_t i = 0; i < items; ++i) data.offset.push_back(draw());
  for (std::size_t q = 0; q < queries && excludes; ++q) {
    for (std::size_t i = 0; i < items; ++i)
      if (random.below(3) == 0 || q == 1) data.excluded.push_back(static_cast<index_t>(i));
    data.first.push_back(std::ssize(data.excluded));
  }
  return data;
}

void compare_with_sorting(const Data& data) {
  const Ranking ranking = data.ranking();
  std::vector<index_t> want_items;
  std::vector<double> want_scores;
  for (std::size_t q = 0; q < data.queries; ++q) {
    std::vector<double> score(data.items);
    std::vector<index_t> order;
    for (std::size_t i = 0; i < data.items; ++i) {
      score[i] = std::inner_product(data.query.begin() + q * data.rank,
                                    data.query.begin() + (q + 1) * data.rank,
                                    data.item.begin() + i * data.rank, data.offset[i]);
      const auto item = static_cast<index_t>(i);
      if (data.first.size() == 1 ||
          !std::binary_search(data.excluded.begin() + data.first[q],
                              data.excluded.begin() + data.first[q + 1], item))
        order.push_back(item);
    }
    std::ranges::stable_sort(order, std::greater<>(), [&](index_t i) { return score[i]; });
    for (std::size_t at = 0; at < data.k; ++at) {
      want_items.push_back(at < order.size() ? order[at] : -1);
      want_scores.push_back(at < order.size() ? score[order[at]] : -test::kInfinity);
    }
  }
  for (const KernelTable* kernels : kernel_tables())
    for (const int threads : test::kThreads) {
      std::vector<index_t> items(want_items.size(), -7);
      std::vector<double> scores(want_scores.size(), test::kNaN);
      kernels->top_k(ranking, Team(threads), items, scores);
      CHECK(items == want_items);
      CHECK(scores == want_scores);
    }
}

void as_sorting_all_scores() {
  for (const bool excludes : {false, true}) {
    compare_with_sorting(make_data(200, 1000, 5, 10, excludes));
    compare_with_sorting(make_data(3, 77, 16, 1, excludes));
    compare_with_sorting(make_data(65, 9, 2, 12, excludes));    // more than there are
    compare_with_sorting(make_data(2, 500, 1, 500, excludes));  // all of them
    compare_with_sorting(make_data(2, 30, 300, 4, excludes));   // a panel larger than a block
  }
}

/// The better an item the later it comes: each goes into the list.
void items_in_ascending_order() {
  Data data{5, 400, 1, 7, std::vector<double>(5, 1.0), {}, std::vector<double>(400), {0}, {}};
  for (std::size_t i = 0; i < 400; ++i) data.item.push_back(static_cast<double>(i / 3));
  compare_with_sorting(data);
}

/// Neither minus infinity nor what is not a number is among the best.
void scores_that_are_none() {
  const std::vector<double> query{1.0}, item{1.0, 2.0, 3.0, test::kNaN, 5.0},
      offset{0.0, -test::kInfinity, 0.0, 0.0, test::kNaN};
  const Ranking ranking{.rank = 1,
                        .queries = query,
                        .items = item,
                        .offsets = offset,
                        .query_count = 1,
                        .item_count = 5,
                        .k = 3};
  for (const KernelTable* kernels : kernel_tables()) {
    std::vector<index_t> items(3);
    std::vector<double> scores(3);
    kernels->top_k(ranking, Team(1), items, scores);
    CHECK(items == std::vector<index_t>{2, 0, -1});
    CHECK(scores == std::vector<double>{3.0, 1.0, -test::kInfinity});
  }
}

/// A score is the same bits wherever its query and its item stand.
void places_do_not_matter() {
  test::Random random(5);
  Data data = make_data(70, 41, 6, 41, false);
  for (double& x : data.query) x = random.uniform();
  for (double& x : data.item) x = random.uniform();
  std::vector<index_t> items(70 * 41), alone(41);
  std::vector<double> scores(70 * 41), score(41);
  top_k(data.ranking(), Team(1), items, scores);
  for (std::size_t q = 0; q < 70; ++q) {
    Ranking one = data.ranking();
    one.queries = one.queries.subspan(q * 6, 6);
    one.query_count = 1;
    top_k(one, Team(1), alone, score);
    CHECK(std::ranges::equal(alone, std::span(items).subspan(q * 41, 41)));
    CHECK(std::ranges::equal(score, std::span(scores).subspan(q * 41, 41)));
    const auto item = static_cast<std::size_t>(alone[40]);
    one.items = one.items.subspan(item * 6, 6);
    one.offsets = one.offsets.subspan(item, 1);
    one.item_count = one.k = 1;
    double last = 0.0;
    index_t only = -1;
    top_k(one, Team(1), {&only, 1}, {&last, 1});
    CHECK(only == 0 && last == score[40]);
  }
}

void ranking_can_be_interrupted() {
  const Data data = make_data(5, 40, 3, 2, false);
  std::vector<index_t> items(10);
  std::vector<double> scores(10);
  CHECK_THROWS(top_k(data.ranking(), Team(1, [] { return true; }), items, scores), Interrupted);
}

}  // namespace

int main() {
  RUN(as_sorting_all_scores);
  RUN(items_in_ascending_order);
  RUN(scores_that_are_none);
  RUN(places_do_not_matter);
  RUN(ranking_can_be_interrupted);
  return check::report();
}
