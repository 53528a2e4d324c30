// Checking queries, items and lists before items are ranked.
#include "vest/ranking.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "engine/dispatch.hpp"

namespace vest {
namespace {

void check_excluded(const Ranking& ranking) {
  const std::span<const pos_t> first = ranking.first;
  if (first.empty() && ranking.excluded.empty()) return;
  if (first.size() != ranking.query_count + 1 || first.front() != 0 ||
      first.back() != std::ssize(ranking.excluded))
    throw std::invalid_argument(
        "the excluded items need a first position for each query, from 0 on, and their number");
  for (std::size_t query = 0; query < ranking.query_count; ++query) {
    const pos_t begin = first[query];
    const pos_t end = first[query + 1];
    if (begin > end || end > std::ssize(ranking.excluded))
      throw std::invalid_argument("the list of items excluded from query " + std::to_string(query) +
                                  " ends before it begins");
    for (pos_t at = begin; at < end; ++at) {
      const index_t item = ranking.excluded[static_cast<std::size_t>(at)];
      if (item < 0 || static_cast<std::size_t>(item) >= ranking.item_count)
        throw std::invalid_argument("query " + std::to_string(query) + " excludes item " +
                                    std::to_string(item) + "; there are " +
                                    std::to_string(ranking.item_count));
      if (at > begin && item < ranking.excluded[static_cast<std::size_t>(at - 1)])
        throw std::invalid_argument("the items excluded from query " + std::to_string(query) +
                                    " must ascend");
    }
  }
}

}  // namespace

void rank_items(const Ranking& ranking, const Team& team, std::span<index_t> items,
                std::span<double> scores) {
  if (ranking.queries.size() != ranking.query_count * ranking.rank ||
      ranking.items.size() != ranking.item_count * ranking.rank)
    throw std::invalid_argument("queries and items must have rows of the same length");
  if (!ranking.offsets.empty() && ranking.offsets.size() != ranking.item_count)
    throw std::invalid_argument("offsets must have one number for each item, or none");
  if (items.size() != ranking.query_count * ranking.k || scores.size() != items.size())
    throw std::invalid_argument("there must be room for k items and scores of each query");
  if (ranking.item_count > static_cast<std::size_t>(kMaxIndex))
    throw std::invalid_argument("more items than can be numbered");
  check_excluded(ranking);
  if (!items.empty()) kernels_for().top_k(ranking, team, items, scores);
}

}  // namespace vest
