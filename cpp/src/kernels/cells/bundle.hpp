// Several cells at a time, each in a lane of its own: all lanes walk through the same list of
// terms.
//
// What a lane computes depends on its cell alone, so a cell gets the same bits in any company.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "kernels/vectors/lanes.hpp"
#include "vest/model.hpp"
#include "vest/types.hpp"
#include "workspace/core_terms.hpp"

namespace vest::inline VEST_ISA {

inline constexpr std::size_t kBundle = 8;  ///< Cells in a bundle: enough to hide a sum's latency.
inline constexpr pos_t kCellsPerChunk = 2048;
inline constexpr pos_t kStartWeighs = 4;  ///< Threads that help with one call have to be started.

/// One number for each cell of a bundle, in registers.
class BundleOf {
 public:
  using Vector = Lanes<4>::Vector;
  static constexpr std::size_t kVectors = kBundle / 4;

  BundleOf() = default;
  [[gnu::always_inline]] explicit BundleOf(const double* memory) {
    for (std::size_t k = 0; k < kVectors; ++k) part_[k] = vector_at<4>(memory + 4 * k);
  }
  [[gnu::always_inline]] void store(double* memory) const {
    for (std::size_t k = 0; k < kVectors; ++k) vector_at<4>(memory + 4 * k) = part_[k];
  }
  /// this += a b
  [[gnu::always_inline]] void add(const BundleOf& a, const BundleOf& b) {
    for (std::size_t k = 0; k < kVectors; ++k) part_[k] += a.part_[k] * b.part_[k];
  }
  [[gnu::always_inline]] void add(double a, const BundleOf& b) {
    for (std::size_t k = 0; k < kVectors; ++k) part_[k] += a * b.part_[k];
  }
  /// this = a b
  [[gnu::always_inline]] void set(const BundleOf& a, const BundleOf& b) {
    for (std::size_t k = 0; k < kVectors; ++k) part_[k] = a.part_[k] * b.part_[k];
  }

 private:
  Vector part_[kVectors]{};
};

/// The numbers of a bundle's rows that a list of terms uses: mode by mode, column by column, the
/// cells side by side.
class BundleRows {
 public:
  [[nodiscard]] static std::size_t scratch_size(const CoreTerms& terms) {
    return terms.columns() * kBundle;
  }

  BundleRows(const CoreTerms& terms, double* memory) : terms_(&terms) {
    for (Mode n = 0; n < terms.order(); ++n) {
      mode_[n] = memory;
      memory += terms.level(n).columns.size() * kBundle;
    }
  }

  [[nodiscard]] double* mode(Mode n) const { return mode_[n]; }

  /// Reads rows of a part like the factors, those of `cells`: at most a bundle, coordinates one
  /// after the other. Lanes without a cell repeat the last.
  void load(const TuckerModel& model, std::span<const index_t> cells) const {
    const std::size_t order = terms_->order();
    const std::size_t last = cells.size() / order - 1;
    for (Mode n = 0; n < order; ++n) {
      const std::span columns(terms_->level(n).columns);
      for (std::size_t lane = 0; lane < kBundle; ++lane) {
        const double* row = model.row(n, cells[std::min(lane, last) * order + n]);
        double* out = mode_[n] + lane;
        for (const std::uint32_t column : columns) {
          *out = row[column];
          out += kBundle;
        }
      }
    }
  }

 private:
  const CoreTerms* terms_;
  double* mode_[kMaxOrder];
};

/// The sum over terms of value and rows, from a depth on: of the nodes from `begin` to `end`.
/// Written through a reference: returning vectors by value has another ABI without AVX.
inline void add_terms(const CoreTerms& terms, const BundleRows& rows, Mode depth,
                      std::uint32_t begin, std::uint32_t end, BundleOf& sum) {
  const CoreTerms::Level& level = terms.level(depth);
  const double* const row = rows.mode(depth);
  if (depth + 1 == terms.order()) {
    for (std::uint32_t k = begin; k < end; ++k)
      sum.add(terms.values()[k], BundleOf(row + level.place[k] * kBundle));
    return;
  }
  for (std::uint32_t k = begin; k < end; ++k) {
    BundleOf below;
    add_terms(terms, rows, depth + 1, level.first[k], level.first[k + 1], below);
    sum.add(below, BundleOf(row + level.place[k] * kBundle));
  }
}

/// Asks for the rows of the cells behind a bundle.
inline void prefetch_bundle(const TuckerModel& model, std::span<const index_t> cells) {
  const std::size_t order = model.order();
  for (std::size_t at = 0; at < cells.size(); ++at) {
    const Mode n = at % order;
    prefetch(model.row(n, cells[at]), model.rank(n) * sizeof(double));
  }
}

/// Calls body(cells, first) for each bundle of the cells from `begin` to `end`: their coordinates,
/// and the number of the first. `ahead` is called with the coordinates of the next one.
template <class Ahead, class Body>
void for_bundles(std::span<const index_t> coords, std::size_t order, pos_t begin, pos_t end,
                 Ahead&& ahead, Body&& body) {
  const auto from = [&](pos_t first) {
    const pos_t count = std::clamp<pos_t>(end - first, 0, kBundle);
    return coords.subspan(static_cast<std::size_t>(std::min(first, end)) * order,
                          static_cast<std::size_t>(count) * order);
  };
  for (pos_t first = begin; first < end; first += static_cast<pos_t>(kBundle)) {
    ahead(from(first + static_cast<pos_t>(kBundle)));
    body(from(first), static_cast<std::size_t>(first));
  }
}

}  // namespace vest::inline VEST_ISA
