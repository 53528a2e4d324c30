// V and b of chosen rows, written out in full.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "kernels/factor/row_sums.hpp"
#include "vest/types.hpp"

namespace vest::inline VEST_ISA {

/// Which rows are chosen, and where their sums are written: zero where a component is not live.
class ChosenRows {
 public:
  ChosenRows(std::span<const index_t> rows, std::size_t rank, std::span<double> v,
             std::span<double> b)
      : rows_(rows), rank_(rank), v_(v.data()), b_(b.data()) {}

  /// The place of a row among those chosen, or their number if it is not one of them.
  [[nodiscard]] std::size_t place_of(index_t row) const {
    if (rows_.empty() || row < rows_.front() || row > rows_.back()) return rows_.size();
    const auto found = std::ranges::lower_bound(rows_, row);
    return *found == row ? static_cast<std::size_t>(found - rows_.begin()) : rows_.size();
  }
  [[nodiscard]] bool is_place(std::size_t place) const { return place < rows_.size(); }

  void clear(std::size_t place) const {
    std::fill_n(v_row(place, 0), rank_ * rank_, 0.0);
    std::fill_n(b_ + place * rank_, rank_, 0.0);
  }

  template <int J>
  void write(std::size_t place, const RowSums<J>& row, const double* sums) const {
    clear(place);
    const std::span<const std::size_t> live = row.live();
    if constexpr (J == kByRuns) {
      write_live(place, live, OuterLayout<J>(live.size()), sums, [](std::size_t j) { return j; });
    } else if (row.few()) {
      const std::size_t k = live.size();
      for (std::size_t j = 0; j < k; ++j) {
        for (std::size_t t = 0; t < k; ++t) v_row(place, live[j])[live[t]] = sums[j * k + t];
        b_[place * rank_ + live[j]] = sums[k * k + j];
      }
    } else {
      write_live(place, live, row.all().layout(), sums, [&](std::size_t j) { return live[j]; });
    }
  }

 private:
  [[nodiscard]] double* v_row(std::size_t place, std::size_t j) const {
    return v_ + (place * rank_ + j) * rank_;
  }
  /// From the upper part of V, in which live component j stands as component at(j).
  template <class Layout, class At>
  void write_live(std::size_t place, std::span<const std::size_t> live, const Layout& layout,
                  const double* sums, At&& at) const {
    for (std::size_t j = 0; j < live.size(); ++j) {
      for (std::size_t t = j; t < live.size(); ++t)
        v_row(place, live[j])[live[t]] = v_row(place, live[t])[live[j]] =
            sums[layout.row(at(j)) + at(t) - layout.first(at(j))];
      b_[place * rank_ + live[j]] = sums[layout.b() + at(j)];
    }
  }

  std::span<const index_t> rows_;
  std::size_t rank_;
  double* v_;
  double* b_;
};

}  // namespace vest::inline VEST_ISA
