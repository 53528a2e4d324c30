// The items with the highest scores for each query: inner products in blocks that stay in the
// cache, each compared with the worst of the best so far as soon as it is made.
//
// Items stand side by side in lanes, so a score is the same sum in the same order wherever its item
// and its query stand. Few scores are better than what was found before, so all but those cost a
// comparison in registers; the others go into a list, which now and then is cut down to the best.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>

#include "kernels/kernels.hpp"
#include "kernels/vectors/lanes.hpp"

namespace vest::inline VEST_ISA {
namespace {

using Vector = Lanes<4>::Vector;

constexpr std::size_t kPanel = 8;                       // items side by side
constexpr std::size_t kVectors = kPanel / 4;            // the vectors they are in
constexpr std::size_t kGroup = kWideRegisters ? 4 : 2;  // queries that share what is read of them
constexpr std::size_t kLook = 2;                        // panels between two looks at the best
constexpr std::size_t kBlockDoubles = 2048;             // of items that stay in the first cache
constexpr pos_t kQueriesPerChunk = 64;
constexpr pos_t kPanelsPerChunk = 512;
constexpr double kNothing = -std::numeric_limits<double>::infinity();

struct Found {
  double score;
  index_t item;
};

/// Whether a stands before b.
[[nodiscard]] bool is_better(const Found& a, const Found& b) {
  return a.score > b.score || (a.score == b.score && a.item < b.item);
}

/// Items in panels: their offsets, then their first elements, then their second ones. Lanes without
/// an item have a score that no threshold is below.
class Panels {
 public:
  Panels(const Ranking& ranking, const Team& team)
      : rank_(ranking.rank),
        count_((ranking.item_count + kPanel - 1) / kPanel),
        memory_(size(), count_) {
    const Cut cut{static_cast<pos_t>(count_), kPanelsPerChunk};
    team.for_chunks(
        cut.count(),
        [&](pos_t chunk, int) {
          for (pos_t panel = cut.begin(chunk); panel < cut.end(chunk); ++panel)
            fill(ranking, static_cast<std::size_t>(panel));
        },
        worthwhile_chunks(static_cast<double>(kPanelsPerChunk) * static_cast<double>(size())));
  }

  [[nodiscard]] std::size_t count() const { return count_; }
  /// How many of them stay in the first cache.
  [[nodiscard]] std::size_t per_block() const {
    return std::max<std::size_t>(1, kBlockDoubles / size() / kLook) * kLook;
  }
  [[nodiscard]] const double* operator[](std::size_t panel) const { return memory_.column(panel); }

 private:
  [[nodiscard]] std::size_t size() const { return (rank_ + 1) * kPanel; }
  void fill(const Ranking& ranking, std::size_t panel) {
    double* const to = memory_.column(panel);
    for (std::size_t lane = 0; lane < kPanel; ++lane) {
      const std::size_t item = panel * kPanel + lane;
      const bool there = item < ranking.item_count;
      const double offset = ranking.offsets.empty() ? 0.0 : there ? ranking.offsets[item] : 0.0;
      to[lane] = there ? offset : kNothing;
      for (std::size_t j = 0; j < rank_; ++j)
        to[(j + 1) * kPanel + lane] = there ? ranking.items[item * rank_ + j] : 0.0;
    }
  }

  std::size_t rank_;
  std::size_t count_;
  Unfilled memory_;
};

/// The best items of the queries of one chunk.
class Best {
 public:
  /// How long a query's list may grow.
  [[nodiscard]] static std::size_t room(std::size_t k) { return k + std::max<std::size_t>(k, 16); }

  Best(const Ranking& ranking, const Panels& panels, std::size_t begin, std::size_t end,
       Found* memory)
      : ranking_(ranking),
        panels_(panels),
        begin_(begin),
        end_(end),
        room_(room(ranking.k)),
        lists_(memory) {
    std::fill_n(threshold_, kQueriesPerChunk, kNothing);
    for (std::size_t query = begin; query < end && !ranking.first.empty(); ++query)
      excluded_[query - begin] = ranking.first[query];
  }

  /// Looks at the items of some panels.
  void look_at(std::size_t from, std::size_t to) {
    for (std::size_t query = begin_; query < end_; query += kGroup) {
      // A group that is not full repeats its last query, and takes what that finds only once.
      const double* rows[kGroup];
      for (std::size_t g = 0; g < kGroup; ++g)
        rows[g] = ranking_.queries.data() + std::min(query + g, end_ - 1) * ranking_.rank;
      for (std::size_t panel = from; panel < to; panel += kLook)
        look(query, rows, panel, std::min(panel + kLook, to));
    }
  }

  /// Writes what was found, the best first.
  void write(index_t* items, double* scores) {
    for (std::size_t query = begin_; query < end_; ++query) {
      const std::size_t local = query - begin_;
      if (count_[local] > ranking_.k) keep_best(local);
      Found* const list = lists_ + local * room_;
      const std::size_t count = count_[local];
      std::sort(list, list + count, is_better);
      for (std::size_t at = 0; at < ranking_.k; ++at) {
        items[query * ranking_.k + at] = at < count ? list[at].item : -1;
        scores[query * ranking_.k + at] = at < count ? list[at].score : kNothing;
      }
    }
  }

 private:
  [[gnu::always_inline]] void look(std::size_t query, const double* const (&rows)[kGroup],
                                   std::size_t from, std::size_t to) {
    double scores[kGroup][kLook * kPanel];
    Vector best[kGroup];
    for (std::size_t g = 0; g < kGroup; ++g)
      best[g] = Vector{kNothing, kNothing, kNothing, kNothing};
    for (std::size_t panel = from; panel < to; ++panel) {
      Vector sum[kGroup][kVectors];
      const double* column = panels_[panel];
      for (std::size_t c = 0; c < kVectors; ++c)
        for (std::size_t g = 0; g < kGroup; ++g) sum[g][c] = vector_at<4>(column + 4 * c);
      for (std::size_t j = 0; j < ranking_.rank; ++j) {
        column += kPanel;
        for (std::size_t c = 0; c < kVectors; ++c) {
          const Vector items = vector_at<4>(column + 4 * c);
          for (std::size_t g = 0; g < kGroup; ++g) sum[g][c] += rows[g][j] * items;
        }
      }
      for (std::size_t g = 0; g < kGroup; ++g)
        for (std::size_t c = 0; c < kVectors; ++c) {
          vector_at<4>(scores[g] + (panel - from) * kPanel + 4 * c) = sum[g][c];
          best[g] = larger(sum[g][c], best[g]);
        }
    }
    for (std::size_t g = 0; g < kGroup && query + g < end_; ++g) {
      const double threshold = threshold_[query + g - begin_];
      if (best[g][0] > threshold || best[g][1] > threshold || best[g][2] > threshold ||
          best[g][3] > threshold)
        for (std::size_t i = 0; i < (to - from) * kPanel; ++i)
          if (scores[g][i] > threshold)
            take(query + g - begin_, {scores[g][i], static_cast<index_t>(from * kPanel + i)});
    }
  }

  /// Puts an item into a query's list, if it may still be among the best. Items come in the order
  /// of their numbers, so of equal scores those that are there stay.
  [[gnu::noinline]] void take(std::size_t local, const Found& found) {
    if (!(found.score > threshold_[local]) || is_excluded(local, found.item)) return;
    lists_[local * room_ + count_[local]++] = found;
    if (count_[local] == room_) threshold_[local] = keep_best(local)->score;
  }

  /// Drops all but the best k of a full list; returns the worst of them.
  const Found* keep_best(std::size_t local) {
    Found* const list = lists_ + local * room_;
    Found* const worst = list + ranking_.k - 1;
    std::nth_element(list, worst, list + count_[local], is_better);
    count_[local] = ranking_.k;
    return worst;
  }

  /// Asked with items in ascending order.
  [[nodiscard]] bool is_excluded(std::size_t local, index_t item) {
    if (ranking_.first.empty()) return false;
    const pos_t end = ranking_.first[begin_ + local + 1];
    pos_t& at = excluded_[local];
    while (at < end && ranking_.excluded[static_cast<std::size_t>(at)] < item) ++at;
    return at < end && ranking_.excluded[static_cast<std::size_t>(at)] == item;
  }

  const Ranking& ranking_;
  const Panels& panels_;
  std::size_t begin_;
  std::size_t end_;
  std::size_t room_;
  Found* lists_;  // room for so many of each query
  std::size_t count_[kQueriesPerChunk] = {};
  double threshold_[kQueriesPerChunk];     // what a score must exceed
  pos_t excluded_[kQueriesPerChunk] = {};  // how far the list of excluded items was read
};

}  // namespace

void top_k(const Ranking& ranking, const Team& team, std::span<index_t> items,
           std::span<double> scores) {
  const Panels panels(ranking, team);
  const Cut cut{static_cast<pos_t>(ranking.query_count), kQueriesPerChunk};
  const auto threads = static_cast<std::size_t>(team.threads());
  const std::size_t room = static_cast<std::size_t>(kQueriesPerChunk) * Best::room(ranking.k);
  const std::unique_ptr<Found[]> memory(new Found[threads * room]);
  const double operations = static_cast<double>(kQueriesPerChunk) *
                            static_cast<double>(ranking.item_count * (ranking.rank + 1)) / 4.0;
  team.for_chunks(
      cut.count(),
      [&](pos_t chunk, int thread) {
        Best best(ranking, panels, static_cast<std::size_t>(cut.begin(chunk)),
                  static_cast<std::size_t>(cut.end(chunk)),
                  memory.get() + static_cast<std::size_t>(thread) * room);
        for (std::size_t from = 0; from < panels.count(); from += panels.per_block()) {
          team.checkpoint();
          best.look_at(from, std::min(from + panels.per_block(), panels.count()));
        }
        best.write(items.data(), scores.data());
      },
      worthwhile_chunks(operations));
}

}  // namespace vest::inline VEST_ISA
