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

/// What is done with a run: passes over the entries take one kind after the other.
enum class RunKind : std::uint8_t {
  kConstant,  ///< No factors: the same for all entries.
  kScaled,    ///< One factor, which moves, and so does the target.
  kDot,       ///< One or two factors, which move; the target stays.
  kSingle,    ///< One element.
  kOther
};
inline constexpr std::size_t kRunKinds = 5;

/// `length` elements of the core, their values from `first` on. Factors whose column stays come
/// first, then those whose column goes up with each element.
struct CoreRun {
  std::uint32_t length;
  std::uint32_t first;     ///< Of `CoreRuns::values`.
  std::uint32_t target;    ///< The column j of mode n that it begins at.
  bool target_moves;       ///< Whether that goes up as well.
  std::uint32_t factors;   ///< Where its factors begin in `CoreRuns::factors`.
  std::uint32_t staying;   ///< How many of them stay,
  std::uint32_t moving;    ///< and how many move.
  bool ends_target;        ///< Whether the next of its kind has another target, or there is none.
  bool unit;               ///< Whether all values are one.
  std::uint32_t together;  ///< kScaled: how many of the same target and length stand here.

  [[nodiscard]] RunKind kind() const;
};

/// The runs of one mode.
struct ModeRuns {
  std::vector<CoreRun> runs;                ///< By kind, and those of a kind by target.
  std::uint32_t kinds[kRunKinds + 1] = {};  ///< Where the runs of each kind begin, and the end.
  std::vector<RunFactor> factors;
  std::vector<double> values;         ///< Of the core, in the order of the runs.
  std::vector<std::size_t> elements;  ///< Where in the core they stand.

  /// Always inline: builds of the kernels for different processors must not share it.
  [[nodiscard, gnu::always_inline]] std::span<const CoreRun> of(RunKind kind) const {
    const auto k = static_cast<std::size_t>(kind);
    return {runs.data() + kinds[k], runs.data() + kinds[k + 1]};
  }
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
