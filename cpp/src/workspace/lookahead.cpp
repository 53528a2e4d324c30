// Which rows are far enough to be asked for, and the requests as the processor takes them.
#include "workspace/lookahead.hpp"

namespace vest {

Lookahead::Lookahead(const ModePlan& plan, const TuckerModel& model, const EmptyRows& empty,
                     bool skips, bool on_the_fly)
    : plan_(plan), last_(rows_of(plan.last, model, empty, skips)) {
  if (on_the_fly)
    for (std::size_t k = 0; k < plan.tuple_modes.size(); ++k) {
      tuple_[k] = rows_of(plan.tuple_modes[k], model, empty, skips);
      tuples_ = tuples_ || tuple_[k].memory != nullptr;
    }
  coords_ = on_the_fly && plan.tuple_coords.size() * sizeof(index_t) > kNear;
  any_ = tuples_ || coords_ || last_.memory != nullptr;
}

Lookahead::Rows Lookahead::rows_of(Mode n, const TuckerModel& model, const EmptyRows& empty,
                                   bool skips) {
  const std::span<const double> factor = model.values(n + 1);
  if (factor.size_bytes() <= kNear) return {};
  return {factor.data(), model.rank(n), skips ? empty[n].data() : nullptr};
}

void Lookahead::ask(pos_t begin) const {
  requests(begin, [](const void* address, std::size_t bytes)
                      __attribute__((always_inline)) { prefetch(address, bytes); });
}

}  // namespace vest
