// Choosing the layout of the Gram matrix, and filling it from summed pairs.
#include "kernels/core/gram_layout.hpp"

#include <algorithm>

#include "kernels/core/fiber_sum.hpp"

namespace vest::inline VEST_ISA {
namespace {

constexpr std::size_t kOneBlock = 256;  // a core up to this size is swept as one dense block,
constexpr std::size_t kBlock = 128;     // a larger one in blocks of at most this size

/// Steps through the indices of consecutive modes in C order.
class Odometer {
 public:
  Odometer(const std::vector<index_t>& ranks, Mode first, Mode last)
      : ranks_(ranks), first_(first), last_(last) {
    std::fill_n(at, kMaxOrder, std::size_t{0});
  }
  /// To the next index; false after the last.
  bool next() {
    for (Mode n = last_; n-- > first_;) {
      if (++at[n] < static_cast<std::size_t>(ranks_[n])) return true;
      at[n] = 0;
    }
    return false;
  }
  std::size_t at[kMaxOrder];

 private:
  const std::vector<index_t>& ranks_;
  Mode first_, last_;
};

/// Where the pairs of a mode stand in the summed array; the last mode of the path has an order of
/// its own.
struct PairPlaces {
  PairPlaces(const Path& path, const TuckerModel& fitted)
      : strides(fitted.ranks(), path), model(fitted), leaf(path.modes[path.depth - 1]) {}
  [[nodiscard]] std::size_t of(Mode n, std::size_t j, std::size_t k) const {
    const std::size_t rank = model.rank(n);
    return strides.of[n] * (n == leaf ? PairLayout(rank).index(j, k) : pair_index(j, k, rank));
  }
  AxisStrides<Feature::kPairs> strides;
  const TuckerModel& model;
  Mode leaf;
};

/// For each element of a block x block matrix over the trailing modes: where its pairs stand.
void find_offsets(const PairPlaces& places, const TuckerModel& model, Mode leading,
                  std::span<std::size_t> offsets) {
  const Mode order = model.order();
  std::size_t at = 0;
  Odometer row(model.ranks(), leading, order);
  do {
    Odometer column(model.ranks(), leading, order);
    do {
      std::size_t offset = 0;
      for (Mode n = leading; n < order; ++n) offset += places.of(n, row.at[n], column.at[n]);
      offsets[at++] = offset;
    } while (column.next());
  } while (row.next());
}

}  // namespace

GramLayout::GramLayout(std::span<const index_t> ranks) : leading(ranks.size()) {
  std::size_t core = 1;
  for (const index_t rank : ranks) core *= static_cast<std::size_t>(rank);
  const std::size_t limit = core <= kOneBlock ? kOneBlock : kBlock;
  while (leading > 0) {
    const auto rank = static_cast<std::size_t>(ranks[leading - 1]);
    if (leading < ranks.size() && block * rank > limit) break;
    block *= rank;
    --leading;
  }
  for (Mode n = 0; n < leading; ++n) {
    const auto rank = static_cast<std::size_t>(ranks[n]);
    lead_size *= rank;
    lead_pairs *= pair_count(rank);
  }
  stride = padded(block);
}

void spread_pairs(const GramLayout& layout, const Path& path, const TuckerModel& model,
                  Workspace& ws) {
  const PairPlaces places(path, model);
  if (!ws.gram.offsets_known) find_offsets(places, model, layout.leading, ws.gram.offsets);
  ws.gram.offsets_known = true;
  const std::size_t* offsets = ws.gram.offsets.data();
  const Cut cut{static_cast<pos_t>(layout.lead_pairs), 64};
  ws.team.for_chunks(
      cut.count(),
      [&](pos_t chunk, int) {
        for (pos_t pair = cut.begin(chunk); pair < cut.end(chunk); ++pair) {
          auto left = static_cast<std::size_t>(pair);
          const double* from = ws.slots.total.data();
          for (Mode n = layout.leading; n-- > 0;) {
            const std::size_t count = pair_count(model.rank(n));
            const auto [j, k] = pair_of(left % count, model.rank(n));
            from += places.of(n, j, k);
            left /= count;
          }
          double* to = ws.gram.matrix.data() + static_cast<std::size_t>(pair) * layout.matrix();
          const std::size_t* offset = offsets;
          for (std::size_t i = 0; i < layout.block; ++i, to += layout.stride) {
            for (std::size_t k = 0; k < layout.block; ++k) to[k] = from[*offset++];
            std::fill(to + layout.block, to + layout.stride, 0.0);
          }
        }
      },
      4);
}

}  // namespace vest::inline VEST_ISA
