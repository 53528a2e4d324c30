// Sums over all entries of products of row features, gathered bottom-up through shared prefixes.
//
// Every sum the core needs has the form sum_alpha w_alpha f(a1) x f(a2) x ... x f(aN), an outer
// product of one feature vector per mode: the row itself (gradients), its squares (sum phi^2) or
// its pairwise products (the Gram matrix of all core features). Entries sorted by
// (row, tuple, last) form a tree; what entries below a node have in common is multiplied in once,
// when the node ends. The feature of the last mode is all that is done per entry.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "kernels/core/entry_tree.hpp"
#include "kernels/vectors/copy_strided.hpp"
#include "kernels/vectors/pairs.hpp"
#include "vest/plan.hpp"
#include "workspace/workspace.hpp"

namespace vest::inline VEST_ISA {

/// kMoments: squares plus variances.
enum class Feature { kValues, kSquares, kMoments, kPairs };

/// Length of a row's feature vector.
template <Feature F>
[[nodiscard]] constexpr std::size_t feature_count(std::size_t rank) {
  return F == Feature::kPairs ? pair_count(rank) : rank;
}

/// The same for the last mode, whose axis is padded to whole vectors: all sums above it then are
/// long multiples of those.
template <Feature F>
[[nodiscard]] constexpr std::size_t leaf_size(std::size_t rank) {
  if (F == Feature::kPairs) return PairLayout(rank).size();
  return padded(rank);
}

/// Calls body(u, f_u) for each feature of a row.
template <Feature F, class Body>
void for_features(const TuckerModel& model, Mode n, index_t index, Body&& body) {
  const double* const a = model.row(n, index);
  const std::size_t rank = model.rank(n);
  if constexpr (F == Feature::kMoments) {
    const double* const s = model.variance_row(n, index);
    for (std::size_t j = 0; j < rank; ++j) body(j, a[j] * a[j] + s[j]);
  } else if constexpr (F == Feature::kPairs) {
    std::size_t u = 0;
    for (std::size_t j = 0; j < rank; ++j)
      for (std::size_t k = j; k < rank; ++k) body(u++, a[j] * a[k]);
  } else {
    for (std::size_t j = 0; j < rank; ++j) body(j, F == Feature::kSquares ? a[j] * a[j] : a[j]);
  }
}

/// Length of the path's axis at a depth.
template <Feature F>
[[nodiscard]] std::size_t axis_size(std::span<const index_t> ranks, const Path& path,
                                    std::size_t depth) {
  const auto rank = static_cast<std::size_t>(ranks[path.modes[depth]]);
  return depth + 1 == path.depth ? leaf_size<F>(rank) : feature_count<F>(rank);
}

/// Per mode, how far apart neighbours on its axis stand in such a sum.
template <Feature F>
struct AxisStrides {
  AxisStrides(std::span<const index_t> ranks, const Path& path) {
    for (std::size_t d = path.depth; d-- > 0;) {
      of[path.modes[d]] = total;
      total *= axis_size<F>(ranks, path, d);
    }
  }
  std::size_t of[kMaxOrder];
  std::size_t total = 1;
};

/// The lengths of all axes of such a sum.
template <Feature F>
struct AxisSizes {
  AxisSizes(std::span<const index_t> ranks, const Path& path) {
    for (std::size_t d = 0; d < path.depth; ++d) of[d] = axis_size<F>(ranks, path, d);
  }
  std::size_t of[kMaxOrder];
};

/// What gathers in such a sum, whatever the features are: a buffer for each depth of the tree.
class FiberLevels {
 public:
  FiberLevels(const FiberLevels&) = delete;
  FiberLevels& operator=(const FiberLevels&) = delete;

  /// What gathers below the present group: the caller adds each entry's feature of the last mode.
  [[nodiscard]] double* leaf() { return present(depth_ - 1); }

  /// All nodes have ended: the total is complete.
  void finish() { merge(0); }

 protected:
  static constexpr std::size_t kBatch = 4;  // siblings that are merged together

  /// `axes` has the length of the axis of each depth; the sums of the first go into `total`.
  FiberLevels(std::span<const std::size_t> axes, double* total, Scratch& scratch);

  /// Where the features of a node that ends at this depth are to be written.
  [[nodiscard]] double* ending(std::size_t depth) {
    if (depth + 2 < depth_) merge(depth + 1);
    const Level& level = level_[depth];
    return level.features + level.ended * (level.size / level.below);
  }
  /// They have been written. They and what gathered below the node wait until a few of its siblings
  /// have ended too, or their parent has: what they all go into is then read and written once.
  void ended(std::size_t depth) {
    Level& level = level_[depth];
    if (++level.ended == kBatch)
      merge(depth);
    else
      std::fill_n(present(depth + 1), level.below, 0.0);
  }

 private:
  struct Level {
    std::size_t below;  // size of what gathers below one node of this depth
    std::size_t size;   // the same with the node's own feature multiplied in
    std::size_t ended;  // nodes that ended and wait to be merged
    double* features;   // theirs; the last mode's are the caller's business
    double* sums;       // buffers of `size`, for nodes of the depth above
  };

  /// Where nodes of this depth are summed at present: behind the waiting nodes of the depth above.
  [[nodiscard]] double* present(std::size_t depth) {
    return level_[depth].sums + (depth == 0 ? 0 : level_[depth - 1].ended * level_[depth].size);
  }
  /// Multiplies the features of the waiting nodes into what gathered below them.
  void merge(std::size_t depth);
  template <std::size_t K>
  void merge_some(std::size_t depth);

  std::size_t depth_;
  Level level_[kMaxOrder];
};

/// One such sum: axes in the order of the path, into `total`, which starts at zero.
template <Feature F>
class FiberSum : public FiberLevels {
 public:
  [[nodiscard]] static std::size_t total_size(std::span<const index_t> ranks, const Path& path) {
    return AxisStrides<F>(ranks, path).total;
  }
  [[nodiscard]] static std::size_t scratch_size(std::span<const index_t> ranks, const Path& path) {
    std::size_t size = 0;
    std::size_t below = 1;
    for (std::size_t d = path.depth; d-- > 0;) {
      const std::size_t features = axis_size<F>(ranks, path, d);
      below *= features;
      if (d + 1 < path.depth) size += kBatch * features;
      if (d > 0) size += kBatch * below;
    }
    return size;
  }

  FiberSum(const TuckerModel& model, const Path& path, double* total, Scratch& scratch)
      : FiberLevels(std::span(AxisSizes<F>(model.ranks(), path).of, path.depth), total, scratch),
        model_(model),
        path_(path) {}

  /// A node ended.
  void end(std::size_t depth, index_t index) {
    double* const feature = ending(depth);
    for_features<F>(model_, path_.modes[depth], index,
                    [&](std::size_t u, double f) { feature[u] = f; });
    ended(depth);
  }

 private:
  const TuckerModel& model_;
  const Path& path_;
};

/// A sum over core elements, from the path's axes to C order.
void to_core_order(std::span<const double> sum, const Path& path, const TuckerModel& model,
                   std::span<double> out);

/// Adds the first `size` rows of all columns of partial sums up in order.
void add_up(CoreSlots& slots, std::size_t size, const Team& team);

/// Fills one column of partial sums per slot with fill(column, chunks, thread), then adds the
/// columns up; where entries lie elsewhere, asks there for the sums that `which` names.
template <class Fill>
void sum_over_slots(CoreSlots& slots, const CoreSum& which, std::span<const Chunk> chunks,
                    std::size_t size, const Team& team, Fill&& fill) {
  if (slots.elsewhere) return slots.elsewhere(which, {slots.total.data(), size});
  // Where neighbouring entries have little in common, each of them reaches a good part of the sums.
  const auto entries = static_cast<double>(chunks.back().end - chunks.front().begin);
  const double operations = entries * (16.0 + static_cast<double>(size) / 8.0);
  team.for_chunks(
      slots.cut.count(),
      [&](pos_t slot, int thread) {
        const auto begin = static_cast<std::size_t>(slots.cut.begin(slot));
        const auto end = static_cast<std::size_t>(slots.cut.end(slot));
        fill(slots.partial.column(static_cast<std::size_t>(slot)),
             chunks.subspan(begin, end - begin), thread);
      },
      worthwhile_chunks(operations / static_cast<double>(slots.cut.count())));
  add_up(slots, size, team);
}

}  // namespace vest::inline VEST_ISA
