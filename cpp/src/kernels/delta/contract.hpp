// Contracting the core with rows of factors, one mode after the other, sharing equal prefixes.
#pragma once

#include <algorithm>
#include <span>

#include "kernels/vectors/components.hpp"
#include "vest/model.hpp"
#include "vest/types.hpp"
#include "workspace/scratch.hpp"

namespace vest::inline VEST_ISA {

/// out[r] (+)= sum_k weight[k] slice[k][r], K slices in one go.
template <std::size_t K>
inline void add_slices(const double* weight, const double* const* slice, std::size_t rest,
                       bool first, double* out) {
  std::size_t r = 0;
  for (; r + 4 <= rest; r += 4) {
    Lanes<4>::Vector sum{};
    if (!first) sum = vector_at<4>(out + r);
    for (std::size_t k = 0; k < K; ++k) sum += weight[k] * vector_at<4>(slice[k] + r);
    vector_at<4>(out + r) = sum;
  }
  for (; r < rest; ++r) {
    double sum = first ? 0.0 : out[r];
    for (std::size_t k = 0; k < K; ++k) sum += weight[k] * slice[k][r];
    out[r] = sum;
  }
}

/// out[r] (+)= sign sum_j a[j] in[j * stride + r] for r < rest, `rank` slices; zero elements cost
/// nothing. If `first`, what was in `out` is overwritten.
inline void combine(const double* in, std::size_t stride, const double* a, double sign,
                    std::size_t rank, std::size_t rest, bool first, double* out) {
  double weight[4];
  const double* slice[4];
  std::size_t count = 0;
  for (std::size_t j = 0; j < rank; ++j) {
    weight[count] = sign * a[j];
    slice[count] = in + j * stride;
    count += a[j] != 0.0 ? 1 : 0;
    if (count < 4) continue;
    add_slices<4>(weight, slice, rest, first, out);
    first = false;
    count = 0;
  }
  if (count == 3)
    add_slices<3>(weight, slice, rest, first, out);
  else if (count == 2)
    add_slices<2>(weight, slice, rest, first, out);
  else if (count == 1)
    add_slices<1>(weight, slice, rest, first, out);
  else if (first)
    for (std::size_t r = 0; r < rest; ++r) out[r] = 0.0;
}

/// out[r] = sum_j a[j] in[j * rest + r]: the leading axis goes.
inline void contract_leading(const double* in, const double* a, std::size_t rank, std::size_t rest,
                             double* out) {
  combine(in, rest, a, 1.0, rank, rest, true, out);
}

/// The core contracted with one row of each mode of a list, in the list's order. Kept levels let
/// coordinates that share a prefix with the ones before share the work.
class PrefixContraction {
 public:
  /// How many doubles of scratch the levels below a core of `core_size` need.
  [[nodiscard]] static std::size_t scratch_size(std::span<const index_t> ranks,
                                                std::span<const Mode> modes,
                                                std::size_t core_size) {
    std::size_t size = 0;
    for (const Mode n : modes) size += core_size /= static_cast<std::size_t>(ranks[n]);
    return size;
  }

  /// `core` has the axes of `modes` first, in that order.
  PrefixContraction(const TuckerModel& model, std::span<const Mode> modes,
                    std::span<const double> core, Scratch& scratch)
      : model_(&model), modes_(modes), core_(core.data()) {
    std::size_t rest = core.size();
    for (std::size_t depth = 0; depth < modes.size(); ++depth) {
      rest_[depth] = rest /= model.rank(modes[depth]);
      level_[depth] = scratch.take(rest);
    }
  }

  /// What is left of the core after contracting rows `coords` of the modes.
  [[nodiscard]] const double* operator()(std::span<const index_t> coords) {
    const std::size_t depth = coords.size();
    contract_to(coords, depth);
    return depth == 0 ? core_ : level_[depth - 1];
  }

  /// The same, written to `out`: of the last mode's contraction nothing is kept.
  void into(std::span<const index_t> coords, double* out) {
    const std::size_t last = coords.size() - 1;
    contract_to(coords, last);
    contract(coords, last, out);
  }

 private:
  void contract(std::span<const index_t> coords, std::size_t depth, double* out) {
    const Mode n = modes_[depth];
    contract_leading(depth == 0 ? core_ : level_[depth - 1], model_->row(n, coords[depth]),
                     model_->rank(n), rest_[depth], out);
  }

  /// Fills the first levels, from where the coordinates differ from the ones before.
  void contract_to(std::span<const index_t> coords, std::size_t end) {
    std::size_t depth = 0;
    while (depth < std::min(known_, end) && coords[depth] == at_[depth]) ++depth;
    for (; depth < end; ++depth) {
      at_[depth] = coords[depth];
      contract(coords, depth, level_[depth]);
    }
    known_ = end;
  }

  const TuckerModel* model_;
  std::span<const Mode> modes_;
  const double* core_;
  std::size_t known_ = 0;
  // Fixed arrays: one of these is made per chunk of work, and chunks must not allocate.
  std::size_t rest_[kMaxOrder];
  index_t at_[kMaxOrder];
  double* level_[kMaxOrder];
};

}  // namespace vest::inline VEST_ISA
