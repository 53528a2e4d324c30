// The tensors to run on: drawn at random with the features that matter for speed, or read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "literal.hpp"
#include "vest/model.hpp"
#include "vest/sparse_tensor.hpp"

namespace vest::bench {

using literal::Entries;

struct TensorSpec {
  std::vector<pos_t> shape{1000, 1000, 1000};
  pos_t entries = 1'000'000;
  /// Per mode: 0 draws rows uniformly; s > 0 draws the r-th most popular row, r = 0, 1, ..., with
  /// a weight of (r + 1 + dimension / 500)^-s. The offset keeps the top rows at the few tenths of
  /// a percent that they have in rating data. Missing exponents are 0.
  std::vector<double> skew;
  /// The share of the entries that fall in one row of mode 0.
  double heavy = 0.0;
  /// Each row of mode 0 meets few combinations of the third and later modes, one per 40 entries
  /// or so, as a user's ratings come in sessions.
  bool bursts = false;
  std::uint64_t seed = 1;
};

/// Distinct cells drawn by the spec, in random order; values are half steps from 0.5 to 5.
[[nodiscard]] Entries draw(const TensorSpec& spec);

/// A text file with one entry per line: coordinates from 1, then the value.
[[nodiscard]] Entries read_tns(const std::string& path);

/// The tensor as the solver takes it. It borrows: keep `entries` alive.
[[nodiscard]] SparseTensor as_tensor(const Entries& entries);

/// One rank stands for the same in every mode.
[[nodiscard]] std::vector<index_t> full_ranks(const std::vector<index_t>& ranks, std::size_t order);

/// The paper's random start: uniform on [0, 1). The same seed gives the same start.
[[nodiscard]] TuckerModel make_start(const std::vector<pos_t>& shape,
                                     const std::vector<index_t>& ranks, std::uint64_t seed);

/// Thins a start out to a mean, a bias for each mode and a diagonal of ones for each two of them;
/// the first column of every factor becomes one.
void keep_pairs(TuckerModel& model);

}  // namespace vest::bench
