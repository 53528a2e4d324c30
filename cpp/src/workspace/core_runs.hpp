// A sparse core as runs: what each mode's delta is a sum of, if only the core's non-zero elements
// count.
//
// For mode n, delta(j) is a sum over the non-zero elements (.., j, ..) of the core, each times one
// element of the rows of the other modes. Neighbouring elements, such as the diagonal that joins
// component j of one mode to component j of another, are taken together as a run: one element
// after the other, each mode's index either stays or goes up by one. Where the first column of
// every factor is constant one ("ones"), a mode at its first column is left out of the product.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vest/model.hpp"
#include "vest/types.hpp"

namespace vest {

/// One factor of a run's products: a mode, and the column that the run begins at.
struct RunFactor {
  std::uint32_t mode;
  std::uint32_t column;
};

/// `length` elements of the core, their values from `first` on. Factors whose column stays come
/// first, then those whose column goes up with each element.
struct CoreRun {
  std::uint32_t length;
  std::uint32_t first;    ///< Of `CoreRuns::values`.
  std::uint32_t target;   ///< The column j of mode n that it begins at.
  bool target_moves;      ///< Whether that goes up as well.
  std::uint32_t factors;  ///< Where its factors begin in `CoreRuns::factors`.
  std::uint32_t staying;  ///< How many of them stay,
  std::uint32_t moving;   ///< and how many move.
};

/// The runs of one mode.
struct ModeRuns {
  std::vector<CoreRun> runs;
  std::vector<RunFactor> factors;
  std::vector<double> values;         ///< Of the core, in the order of the runs.
  std::vector<std::size_t> elements;  ///< Where in the core they stand.
};

/// The runs of all modes, made anew when the pattern of non-zeros changes.
class CoreRuns {
 public:
  /// Brings the runs up to date. `ones` says that the first column of every factor is one.
  void update(const TuckerModel& model, bool ones);
  [[nodiscard]] const ModeRuns& of(Mode n) const { return modes_[n]; }
  /// How many elements of the core are not zero.
  [[nodiscard]] std::size_t size() const { return pattern_.size(); }

 private:
  std::vector<ModeRuns> modes_;
  std::vector<std::size_t> pattern_;  // the non-zero elements
  std::uint64_t version_ = 0;         // of the core
  bool ones_ = false;
};

}  // namespace vest
