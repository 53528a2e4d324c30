// Contracting the core with rows of factors, one mode after the other, sharing equal prefixes.
#pragma once

#include <span>

#include "vest/model.hpp"
#include "vest/types.hpp"
#include "vest/workspace.hpp"

namespace vest::inline VEST_ISA {

/// out[r] = sum_j a[j] in[j * rest + r]: the leading axis goes. Zero elements cost nothing.
inline void contract_leading(const double* in, const double* a, std::size_t rank, std::size_t rest,
                             double* out) {
  for (std::size_t r = 0; r < rest; ++r) out[r] = 0.0;
  for (std::size_t j = 0; j < rank; ++j) {
    const double weight = a[j];
    if (weight == 0.0) continue;
    const double* slice = in + j * rest;
    for (std::size_t r = 0; r < rest; ++r) out[r] += weight * slice[r];
  }
}

/// The core contracted with one row of each mode of a list, in the list's order. Kept levels let
/// coordinates that share a prefix with the ones before share the work.
class PrefixContraction {
 public:
  /// How many doubles of scratch the levels below a core of `core_size` need.
  [[nodiscard]] static std::size_t scratch_size(const TuckerModel& model,
                                                std::span<const Mode> modes,
                                                std::size_t core_size) {
    std::size_t size = 0;
    for (const Mode n : modes) size += core_size /= model.rank(n);
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
    std::size_t depth = 0;
    while (depth < known_ && coords[depth] == at_[depth]) ++depth;
    for (; depth < coords.size(); ++depth) {
      at_[depth] = coords[depth];
      const Mode n = modes_[depth];
      contract_leading(depth == 0 ? core_ : level_[depth - 1], model_->row(n, coords[depth]),
                       model_->rank(n), rest_[depth], level_[depth]);
    }
    known_ = coords.size();
    return known_ == 0 ? core_ : level_[known_ - 1];
  }

 private:
  const TuckerModel* model_;
  std::span<const Mode> modes_;
  const double* core_;
  std::size_t known_ = 0;
  // Fixed arrays: one of these is made per chunk of work, and chunks must not allocate.
  std::size_t rest_[kMaxOrder];
  index_t at_[kMaxOrder];
  double* level_[kMaxOrder];
};

/// A dense array with axes `dims` in C order, written with its axes in the order `axes`.
void permute_axes(std::span<const double> in, std::span<const index_t> dims,
                  std::span<const Mode> axes, std::span<double> out);

}  // namespace vest::inline VEST_ISA
