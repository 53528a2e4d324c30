// Items ranked by whatever kernels run here: sizes and lists that do not fit get an error.
#include "vest/ranking.hpp"

#include "problem.hpp"

using namespace vest;

namespace {

const std::vector<double> queries{1.0, 0.0, 0.0, 2.0}, rows{3.0, 1.0, 2.0, 5.0, 4.0, 0.0},
    offsets{0.5, 0.0, -2.0};
const std::vector<pos_t> first{0, 1, 3};
const std::vector<index_t> excluded{2, 0, 1};

Ranking two_queries() {
  return {.rank = 2,
          .queries = queries,
          .items = rows,
          .offsets = offsets,
          .first = first,
          .excluded = excluded,
          .query_count = 2,
          .item_count = 3,
          .k = 2};
}

void rank_two(const Ranking& ranking) {
  std::vector<index_t> items(4);
  std::vector<double> scores(4);
  rank_items(ranking, Team(1), items, scores);
  CHECK(items == std::vector<index_t>{0, 1, 2, -1});
  CHECK(scores == std::vector<double>{3.5, 2.0, -2.0, -test::kInfinity});
}

void the_best_come_first() {
  rank_two(two_queries());
  Ranking none = two_queries();
  none.k = 0;
  rank_items(none, Team(1), {}, {});
}

void sizes_must_fit() {
  const auto rank = [&](auto&& change) {
    Ranking ranking = two_queries();
    change(ranking);
    rank_two(ranking);
  };
  const std::vector<pos_t> backwards{0, 2, 1}, late{1, 1, 3}, beyond{0, 9, 3}, open{0, 1, 2};
  const std::vector<index_t> descending{2, 1, 0}, unknown{2, 0, 3}, negative{-1, 0, 1};
  CHECK_THROWS(rank([](Ranking& r) { r.rank = 3; }), std::invalid_argument);
  CHECK_THROWS(rank([](Ranking& r) { r.query_count = 3; }), std::invalid_argument);
  CHECK_THROWS(rank([](Ranking& r) { r.item_count = 2; }), std::invalid_argument);
  CHECK_THROWS(rank([](Ranking& r) { r.offsets = r.offsets.first(2); }), std::invalid_argument);
  CHECK_THROWS(rank([](Ranking& r) { r.k = 3; }), std::invalid_argument);
  CHECK_THROWS(rank([](Ranking& r) { r.first = r.first.first(2); }), std::invalid_argument);
  CHECK_THROWS(rank([](Ranking& r) { r.first = {}; }), std::invalid_argument);
  CHECK_THROWS(rank([](Ranking& r) { r.excluded = {}; }), std::invalid_argument);
  for (const auto* wrong : {&backwards, &late, &beyond, &open})
    CHECK_THROWS(rank([&](Ranking& r) { r.first = *wrong; }), std::invalid_argument);
  for (const auto* wrong : {&descending, &unknown, &negative})
    CHECK_THROWS(rank([&](Ranking& r) { r.excluded = *wrong; }), std::invalid_argument);
}

}  // namespace

int main() {
  RUN(the_best_come_first);
  RUN(sizes_must_fit);
  return check::report();
}
