// The non-zero elements of a core as a list of terms, in which those with the same leading indices
// share their products.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vest/types.hpp"

namespace vest {

/// A tree: a node at depth n is a column of mode n below a prefix of leading columns, a node of the
/// last depth is an element. Nodes of a depth are in C order, so that children stand together.
class CoreTerms {
 public:
  struct Level {
    std::vector<std::uint32_t> place;  ///< Of each node's column, among the columns used.
    std::vector<std::uint32_t> first;  ///< Each node's first child, and the end of the last; empty
                                       ///< at the last depth.
    std::vector<std::uint32_t> columns;  ///< Those used, ascending.

    [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(place.size()); }
  };

  /// `values` in C order. A core that needs more nodes than `most` leaves the list incomplete.
  CoreTerms(std::span<const double> values, std::span<const index_t> ranks, std::size_t most);
  /// With a second number beside each element, its variance: lists all of which one is not zero.
  CoreTerms(std::span<const double> values, std::span<const double> variances,
            std::span<const index_t> ranks);
  /// Builds of the kernels for different processors must not share these.
  CoreTerms(const CoreTerms&) = delete;
  CoreTerms& operator=(const CoreTerms&) = delete;
  ~CoreTerms();

  [[nodiscard]] bool complete() const { return complete_; }
  [[nodiscard]] std::size_t order() const { return levels_.size(); }
  [[nodiscard]] const Level& level(Mode n) const { return levels_[n]; }
  /// Of each element.
  [[nodiscard]] const double* values() const { return values_.data(); }
  /// The second numbers, if there are any.
  [[nodiscard]] const double* variances() const { return variances_.data(); }
  /// How many nodes there are in all: the products that one cell takes.
  [[nodiscard]] std::size_t nodes() const { return nodes_; }
  /// How many numbers of the rows one cell needs.
  [[nodiscard]] std::size_t columns() const;

 private:
  void append(std::size_t at, std::size_t before, std::span<const index_t> ranks);
  void finish(std::span<const index_t> ranks);
  void number_columns(std::span<const index_t> ranks);

  std::vector<Level> levels_;
  std::vector<double> values_;
  std::vector<double> variances_;
  std::size_t nodes_ = 0;
  bool complete_ = true;
};

}  // namespace vest
