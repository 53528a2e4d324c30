// Looking at the rows of factors that have changed.
#include "workspace/empty_rows.hpp"

#include <algorithm>

namespace vest {
namespace {

constexpr pos_t kRowsPerChunk = 65536;
constexpr pos_t kWorthSkipping = 8;  // asking pays where more than one row in this many is empty

}  // namespace

EmptyRows::EmptyRows(const Plan& plan, const TuckerModel& model)
    : plan_(plan), versions_(model.order(), 0) {
  for (Mode n = 0; n < model.order(); ++n) empty_.emplace_back(model.rows(n));
}

void EmptyRows::update(const TuckerModel& model, const Team& team) {
  for (Mode n = 0; n < empty_.size(); ++n) {
    if (versions_[n] == model.version(n + 1)) continue;
    const Cut cut{std::ssize(empty_[n]), kRowsPerChunk};
    team.for_chunks(cut.count(), [&](pos_t chunk, int) {
      for (pos_t i = cut.begin(chunk); i < cut.end(chunk); ++i)
        look_at(model, n, static_cast<index_t>(i));
    });
    looked_at(model, n);
  }
}

bool EmptyRows::worth_skipping(Mode n) const {
  for (Mode m = 0; m < empty_.size(); ++m)
    if (m != n && kWorthSkipping * std::ranges::count(empty_[m], 1) > std::ssize(empty_[m]))
      return true;
  return false;
}

}  // namespace vest
