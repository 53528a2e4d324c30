// Which rows of the factors are all zero, so that what multiplies them can be skipped.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vest/model.hpp"
#include "vest/parallel.hpp"
#include "vest/plan.hpp"

namespace vest {

/// Rows without entries are never read, so they are not marked.
class EmptyRows {
 public:
  EmptyRows(const Plan& plan, const TuckerModel& model);

  /// Looks again at all rows of the modes that were edited since. To be called before any reading.
  void update(const TuckerModel& model, const Team& team);

  /// Who edits the rows of a mode may look at each changed row on the way and say so at the end:
  /// then update() has nothing to do. If the end is not reached, it looks at all of them. Always
  /// inline: builds of the kernels for different processors must not share it.
  [[gnu::always_inline]] void look_at(const TuckerModel& model, Mode n, index_t row) {
    const auto i = static_cast<std::size_t>(row);
    const std::vector<std::uint32_t>& size = plan_.modes[n].row_size;
    empty_[n][i] = (size.empty() || size[i] > 0) && model.is_empty_row(n, row);
  }
  void looked_at(const TuckerModel& model, Mode n) { versions_[n] = model.version(n + 1); }

  /// Per row of a mode, whether it is empty.
  [[nodiscard]] const std::vector<std::uint8_t>& operator[](Mode n) const { return empty_[n]; }

  /// Whether so many rows of some mode but `n` are empty that it pays to ask for each: the answer
  /// is one more place to read, at random.
  [[nodiscard]] bool worth_skipping(Mode n) const;

 private:
  const Plan& plan_;
  std::vector<std::vector<std::uint8_t>> empty_;
  std::vector<std::uint64_t> versions_;  // of the factors that were looked at
};

/// Whether any of the rows `coords` of `modes` is all zero.
[[nodiscard, gnu::always_inline]] inline bool any_empty(const EmptyRows& empty,
                                                        std::span<const Mode> modes,
                                                        std::span<const index_t> coords) {
  for (std::size_t k = 0; k < modes.size(); ++k)
    if (empty[modes[k]][static_cast<std::size_t>(coords[k])]) return true;
  return false;
}

}  // namespace vest
