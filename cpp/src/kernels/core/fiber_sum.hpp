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

/// sum[u] += f[u][0] in[0] + ... + f[u][K - 1] in[K - 1] for U sums, `size` long as all rows are.
template <std::size_t U, std::size_t K>
inline void add_multiples(const double (*f)[K], const double* __restrict in, std::size_t size,
                          double* __restrict sum) {
  std::size_t i = 0;
  for (; i + 4 <= size; i += 4) {
    Lanes<4>::Vector s[U];
    for (std::size_t u = 0; u < U; ++u) s[u] = vector_at<4>(sum + u * size + i);
    for (std::size_t k = 0; k < K; ++k) {
      const Lanes<4>::Vector gathered = vector_at<4>(in + k * size + i);
      for (std::size_t u = 0; u < U; ++u) s[u] += f[u][k] * gathered;
    }
    for (std::size_t u = 0; u < U; ++u) vector_at<4>(sum + u * size + i) = s[u];
  }
  for (; i < size; ++i)
    for (std::size_t u = 0; u < U; ++u)
      for (std::size_t k = 0; k < K; ++k) sum[u * size + i] += f[u][k] * in[k * size + i];
}

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

/// One such sum: axes in the order of the path, into `total`, which starts at zero.
template <Feature F>
class FiberSum {
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
      : model_(model), path_(path) {
    std::size_t below = 1;
    for (std::size_t d = path.depth; d-- > 0;) {
      const std::size_t features = axis_size<F>(model.ranks(), path, d);
      Level& level = level_[d];
      level.below = below;
      level.size = below *= features;
      level.features = d + 1 < path.depth ? scratch.take(kBatch * features) : nullptr;
      level.sums = d == 0 ? total : scratch.take(kBatch * below);
      level.ended = 0;
      std::fill_n(level.sums, below, 0.0);
    }
  }

  FiberSum(const FiberSum&) = delete;
  FiberSum& operator=(const FiberSum&) = delete;

  /// What gathers below the present group: the caller adds each entry's feature of the last mode.
  [[nodiscard]] double* leaf() { return present(path_.depth - 1); }

  /// A node ended. Its feature and what gathered below it wait until a few of its siblings have
  /// ended too, or their parent has: what they all go into is then read and written once.
  void end(std::size_t depth, index_t index) {
    if (depth + 2 < path_.depth) merge(depth + 1);
    Level& level = level_[depth];
    const Mode n = path_.modes[depth];
    const std::size_t features = level.size / level.below;
    double* feature = level.features + level.ended * features;
    for_features<F>(model_, n, index, [&](std::size_t u, double f) { feature[u] = f; });
    if (++level.ended == kBatch)
      merge(depth);
    else
      std::fill_n(present(depth + 1), level.below, 0.0);
  }

  /// All nodes have ended: the total is complete.
  void finish() { merge(0); }

 private:
  static constexpr std::size_t kBatch = 4;
  // Sums that are added to together: what was gathered is then read once for all of them. Their
  // factors, kBatch each, are to stay in registers.
#ifdef __AVX512VL__
  static constexpr std::size_t kTogether = 4;
#else
  static constexpr std::size_t kTogether = 2;
#endif

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
  void merge(std::size_t depth) {
    switch (level_[depth].ended) {
      case 1:
        return merge_some<1>(depth);
      case 2:
        return merge_some<2>(depth);
      case 3:
        return merge_some<3>(depth);
      case kBatch:
        return merge_some<kBatch>(depth);
      default:
        return;
    }
  }

  template <std::size_t K>
  void merge_some(std::size_t depth) {
    Level& level = level_[depth];
    const std::size_t size = level.below;
    const std::size_t features = level.size / size;
    const double* gathered = level_[depth + 1].sums;
    double* sum = present(depth);
    double f[kTogether][K];
    const auto load = [&](std::size_t u, double* to) {
      bool any = false;
      for (std::size_t k = 0; k < K; ++k) {
        to[k] = level.features[k * features + u];
        any |= to[k] != 0.0;
      }
      return any;
    };
    std::size_t u = 0;
    for (; u + kTogether <= features; u += kTogether, sum += kTogether * size) {
      bool any = false;
      for (std::size_t t = 0; t < kTogether; ++t) any |= load(u + t, f[t]);
      if (any) add_multiples<kTogether, K>(f, gathered, size, sum);
    }
    for (; u < features; ++u, sum += size)
      if (load(u, f[0])) add_multiples<1, K>(f, gathered, size, sum);
    level.ended = 0;
    std::fill_n(present(depth + 1), size, 0.0);
  }

  const TuckerModel& model_;
  const Path& path_;
  Level level_[kMaxOrder];
};

/// A sum over core elements, from the path's axes to C order.
inline void to_core_order(std::span<const double> sum, const Path& path, const TuckerModel& model,
                          std::span<double> out) {
  const AxisStrides<Feature::kValues> strides(model.ranks(), path);
  copy_strided(sum, model.ranks(), {strides.of, path.depth}, out);
}

/// Fills one column of partial sums per slot with fill(column, chunks, thread), then adds the
/// first `size` rows of the columns up in order.
template <class Fill>
void sum_over_slots(CoreSlots& slots, std::span<const Chunk> chunks, std::size_t size,
                    const Team& team, Fill&& fill) {
  // Where neighbouring entries have little in common, each of them reaches a good part of the sums.
  const auto entries = static_cast<double>(chunks.back().end - chunks.front().begin);
  const double operations = entries * (16.0 + static_cast<double>(size) / 8.0);
  team.for_chunks(
      slots.cut.count(),
      [&](pos_t slot, int thread) {
        const auto begin = static_cast<std::size_t>(slots.cut.begin(slot));
        const auto end = static_cast<std::size_t>(slots.cut.end(slot));
        fill(slots.partial.colptr(static_cast<arma::uword>(slot)),
             chunks.subspan(begin, end - begin), thread);
      },
      worthwhile_chunks(operations / static_cast<double>(slots.cut.count())));
  const Cut rows{static_cast<pos_t>(size), 4096};
  team.for_chunks(
      rows.count(),
      [&](pos_t chunk, int) {
        const auto begin = static_cast<std::size_t>(rows.begin(chunk));
        const auto end = static_cast<std::size_t>(rows.end(chunk));
        std::copy(slots.partial.colptr(0) + begin, slots.partial.colptr(0) + end,
                  slots.total.memptr() + begin);
        for (arma::uword slot = 1; slot < static_cast<arma::uword>(slots.cut.count()); ++slot)
          for (std::size_t i = begin; i < end; ++i) slots.total[i] += slots.partial.at(i, slot);
      },
      4);
}

}  // namespace vest::inline VEST_ISA
