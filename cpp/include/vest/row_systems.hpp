// Rows to be solved for from their sums alone: what is left of a row update without the entries.
#pragma once

#include <cstddef>
#include <span>

#include "vest/parallel.hpp"
#include "vest/penalty.hpp"
#include "vest/types.hpp"

namespace vest {

/// For each row a, to be minimised: a^T V a - 2 b . a plus the penalty of its elements. That is
/// convex, so the steps lead to the same row wherever they start.
struct RowSystems {
  std::size_t rank = 0;
  std::span<const double> v = {};       ///< Rows x rank x rank, each symmetric.
  std::span<const double> b = {};       ///< Rows x rank.
  std::span<const bool> free = {};      ///< Rows x rank: the elements that may move.
  std::span<const double> lambda = {};  ///< What the elements of each column pay.
  /// What lambda is multiplied with, row by row; empty stands for ones.
  std::span<const double> row_weight = {};
  PenaltyKind kind = PenaltyKind::kL1;
  bool nonnegative = false;  ///< Whether elements below zero are forbidden.
  int most_sweeps = 200;     ///< After how many sweeps to give up; 1 is the paper's row update.

  [[nodiscard]] pos_t rows() const { return std::ssize(b) / static_cast<pos_t>(rank); }
};

/// Moves `rows` (rows x rank, the start) to the minima, by the best kernels for this processor. An
/// element that is not free, or of which the entries say nothing (v = 0), stays where it starts.
/// Throws std::invalid_argument if sizes do not fit.
void solve_row_systems(const RowSystems& systems, const Team& team, std::span<double> rows);

}  // namespace vest
