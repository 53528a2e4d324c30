// The observed entries of a tensor: coordinates, values and weights, checked once, constant
// afterwards.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "vest/parallel.hpp"
#include "vest/types.hpp"

namespace vest {

class SparseTensor {
 public:
  /// Borrows `coords` (entries x order, row by row, 0-based), `values` and `weights`, which are
  /// empty where every entry counts once; `owner` keeps them alive. Throws std::invalid_argument on
  /// sizes that do not fit together, CoordinateError, NonFiniteError and WeightError on the first
  /// bad entry.
  SparseTensor(std::span<const index_t> coords, std::span<const double> values,
               std::vector<pos_t> shape, std::shared_ptr<const void> owner = {},
               std::span<const double> weights = {});

  /// The same coordinates and weights, which are not checked again, with other values, which are.
  [[nodiscard]] SparseTensor with_values(std::span<const double> values,
                                         std::shared_ptr<const void> owner = {}) const;

  [[nodiscard]] std::size_t order() const { return shape_.size(); }
  [[nodiscard]] pos_t nnz() const { return static_cast<pos_t>(values_.size()); }
  [[nodiscard]] pos_t dim(Mode n) const { return shape_[n]; }
  [[nodiscard]] const std::vector<pos_t>& shape() const { return shape_; }
  [[nodiscard]] index_t coord(pos_t entry, Mode n) const {
    return coords_[static_cast<std::size_t>(entry) * shape_.size() + n];
  }
  [[nodiscard]] double value(pos_t entry) const { return values_[static_cast<std::size_t>(entry)]; }
  /// How many entries an entry counts as.
  [[nodiscard]] bool weighted() const { return !weights_.empty(); }
  [[nodiscard]] double weight(pos_t entry) const {
    return weights_[static_cast<std::size_t>(entry)];
  }
  /// Asks for an entry that will be read soon.
  void prefetch_coords(pos_t entry) const {
    const std::size_t order = shape_.size();
    prefetch(&coords_[static_cast<std::size_t>(entry) * order], order * sizeof(index_t));
  }
  void prefetch_value(pos_t entry) const {
    prefetch(&values_[static_cast<std::size_t>(entry)], sizeof(double));
    if (weighted()) prefetch(&weights_[static_cast<std::size_t>(entry)], sizeof(double));
  }
  /// ||X||_F^2 over the observed entries: sum w x^2.
  [[nodiscard]] double norm2() const { return norm2_; }

  /// Whether the borrowed arrays still are what was checked: their checksums are compared, which
  /// takes no longer than reading them.
  [[nodiscard]] bool is_unchanged() const;

  /// (earlier, later): the lowest entry that repeats an earlier one's coordinates, if any does.
  [[nodiscard]] std::optional<std::pair<pos_t, pos_t>> find_duplicate(const Team& team) const;

 private:
  void take_values(std::span<const double> values);
  void check_weights() const;

  std::span<const index_t> coords_;
  std::span<const double> values_;
  std::span<const double> weights_;
  std::vector<pos_t> shape_;
  std::shared_ptr<const void> owner_;
  double norm2_ = 0.0;
  std::uint64_t coords_sum_ = 0;
  std::uint64_t values_sum_ = 0;
  std::uint64_t weights_sum_ = 0;
};

/// Throws CoordinateError unless row-by-row `coords` lie inside `shape`.
void check_coords(std::span<const index_t> coords, std::span<const pos_t> shape);

}  // namespace vest
