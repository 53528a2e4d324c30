// What is done when nodes of the entry tree end: the same for all features, and compiled once.
#include "kernels/core/fiber_sum.hpp"

namespace vest::inline VEST_ISA {
namespace {

// Sums that are added to together: what was gathered is then read once for all of them. Their
// factors, one for each node, are to stay in registers.
#ifdef __AVX512VL__
constexpr std::size_t kTogether = 4;
#else
constexpr std::size_t kTogether = 2;
#endif

/// sum[u] += f[u][0] in[0] + ... + f[u][K - 1] in[K - 1] for U sums, `size` long as all rows are.
template <std::size_t U, std::size_t K>
void add_multiples(const double (*f)[K], const double* __restrict in, std::size_t size,
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

}  // namespace

FiberLevels::FiberLevels(std::span<const std::size_t> axes, double* total, Scratch& scratch)
    : depth_(axes.size()) {
  std::size_t below = 1;
  for (std::size_t d = depth_; d-- > 0;) {
    Level& level = level_[d];
    level.below = below;
    level.size = below *= axes[d];
    level.features = d + 1 < depth_ ? scratch.take(kBatch * axes[d]) : nullptr;
    level.sums = d == 0 ? total : scratch.take(kBatch * below);
    level.ended = 0;
    std::fill_n(level.sums, below, 0.0);
  }
}

void FiberLevels::merge(std::size_t depth) {
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
void FiberLevels::merge_some(std::size_t depth) {
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

void to_core_order(std::span<const double> sum, const Path& path, const TuckerModel& model,
                   std::span<double> out) {
  const AxisStrides<Feature::kValues> strides(model.ranks(), path);
  copy_strided(sum, model.ranks(), {strides.of, path.depth}, out);
}

void add_up(CoreSlots& slots, std::size_t size, const Team& team) {
  const Cut rows{static_cast<pos_t>(size), 4096};
  team.for_chunks(
      rows.count(),
      [&](pos_t chunk, int) {
        const auto begin = static_cast<std::size_t>(rows.begin(chunk));
        const auto end = static_cast<std::size_t>(rows.end(chunk));
        std::copy(slots.partial.column(0) + begin, slots.partial.column(0) + end,
                  slots.total.data() + begin);
        for (std::size_t slot = 1; slot < slots.partial.columns(); ++slot)
          for (std::size_t i = begin; i < end; ++i) slots.total[i] += slots.partial.column(slot)[i];
      },
      4);
}

}  // namespace vest::inline VEST_ISA
