// The best items for each of many queries, without the matrix of all scores.
#pragma once

#include <cstddef>
#include <span>

#include "vest/parallel.hpp"
#include "vest/types.hpp"

namespace vest {

/// What is ranked. The score of an item for a query is the item's offset plus their inner product.
struct Ranking {
  std::size_t rank = 0;                  ///< Elements of a query, and of an item.
  std::span<const double> queries = {};  ///< Queries x rank.
  std::span<const double> items = {};    ///< Items x rank.
  std::span<const double> offsets = {};  ///< One per item; empty stands for zeros.
  std::span<const pos_t> first = {};     ///< Where each query's list of excluded items begins, and
                                         ///< the end of the last; empty: none are excluded.
  std::span<const index_t> excluded = {};  ///< The lists, each ascending.
  std::size_t query_count = 0;
  std::size_t item_count = 0;
  std::size_t k = 0;  ///< How many items to find for each query.
};

/// Writes the k items with the highest scores of each query, the highest first, and their scores:
/// queries x k both. Of equal scores the item of the lower number comes first. A score of minus
/// infinity, or that is not a number, is as good as excluded. Where fewer than k are left, the rest
/// is filled with -1, and minus infinity for the score. Throws std::invalid_argument if sizes do
/// not fit, or lists are not as said.
void rank_items(const Ranking& ranking, const Team& team, std::span<index_t> items,
                std::span<double> scores);

}  // namespace vest
