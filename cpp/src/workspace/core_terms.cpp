// Listing the non-zero elements of a core.
#include "workspace/core_terms.hpp"

namespace vest {

CoreTerms::CoreTerms(std::span<const double> values, std::span<const index_t> ranks,
                     std::size_t most)
    : levels_(ranks.size()) {
  std::size_t before = 0;
  for (std::size_t at = 0; at < values.size(); ++at) {
    if (values[at] == 0.0) continue;
    append(at, before, ranks);
    values_.push_back(values[at]);
    before = at;
    complete_ = nodes_ <= most;
    if (!complete_) return;
  }
  finish(ranks);
}

CoreTerms::CoreTerms(std::span<const double> values, std::span<const double> variances,
                     std::span<const index_t> ranks)
    : levels_(ranks.size()) {
  std::size_t before = 0;
  for (std::size_t at = 0; at < values.size(); ++at) {
    if (values[at] == 0.0 && variances[at] == 0.0) continue;
    append(at, before, ranks);
    values_.push_back(values[at]);
    variances_.push_back(variances[at]);
    before = at;
  }
  finish(ranks);
}

CoreTerms::~CoreTerms() = default;

/// Adds the nodes of an element that it does not share with the one `before`, the last column's at
/// least. Both are places in C order.
void CoreTerms::append(std::size_t at, std::size_t before, std::span<const index_t> ranks) {
  const bool first = values_.empty();
  for (std::size_t n = ranks.size(); n-- > 0;) {
    const auto rank = static_cast<std::size_t>(ranks[n]);
    levels_[n].place.push_back(static_cast<std::uint32_t>(at % rank));
    ++nodes_;
    at /= rank;
    before /= rank;
    if (!first && at == before) return;
    if (n > 0) levels_[n - 1].first.push_back(levels_[n].count() - 1);
  }
}

void CoreTerms::finish(std::span<const index_t> ranks) {
  for (std::size_t n = 0; n + 1 < levels_.size(); ++n)
    levels_[n].first.push_back(levels_[n + 1].count());
  number_columns(ranks);
}

std::size_t CoreTerms::columns() const {
  std::size_t count = 0;
  for (const Level& level : levels_) count += level.columns.size();
  return count;
}

void CoreTerms::number_columns(std::span<const index_t> ranks) {
  for (std::size_t n = 0; n < levels_.size(); ++n) {
    Level& level = levels_[n];
    std::vector<std::uint32_t> place(static_cast<std::size_t>(ranks[n]), 0);
    for (const std::uint32_t column : level.place) place[column] = 1;
    for (std::uint32_t column = 0; column < place.size(); ++column) {
      if (place[column] == 0) continue;
      place[column] = static_cast<std::uint32_t>(level.columns.size());
      level.columns.push_back(column);
    }
    for (std::uint32_t& each : level.place) each = place[each];
  }
}

}  // namespace vest
