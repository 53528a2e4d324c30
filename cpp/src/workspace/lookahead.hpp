// Asking for rows that entries further on will read at random places, a few entries at a time.
//
// Where a row is so far that even its page is not known, the processor waits with the request
// itself. Requests made in a row wait together; one beside each entry's arithmetic waits alone,
// every time. Too many in a row wait for each other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "vest/model.hpp"
#include "vest/plan.hpp"
#include "workspace/workspace.hpp"

namespace vest {

class Lookahead {
 public:
  static constexpr pos_t kRun = 4;  // measured: 1 takes half as long again at 10^8 rows, 16 at 10^7
  static constexpr std::size_t kNear = 128 * 1024;  // an array of so many bytes stays in the cache

  /// Rows of the mode contracted last; of the tuple's modes too, if tables are made on the fly.
  /// Rows known to be empty are left out where `skips`.
  Lookahead(const ModePlan& plan, const TuckerModel& model, const EmptyRows& empty, bool skips,
            bool on_the_fly);

  /// To be called at each entry in turn; a run whose first entry is passed over is not asked for.
  [[gnu::always_inline]] void at(pos_t entry) const {
    if (any_ && entry % kRun == 0) ask(entry + pos_t{kAhead});
  }

  /// Calls request(address, bytes) for what the run of entries from `begin` on will read, and for
  /// the coordinates of the run that is asked for kAhead entries later. Ends where entries end.
  template <class Request>
  [[gnu::always_inline]] void requests(pos_t begin, Request&& request) const {
    const pos_t entries = std::ssize(plan_.value);
    const pos_t end = std::min(begin + kRun, entries);
    const index_t* const tuples = plan_.tuple.data();
    const auto row = [&](const Rows& rows, index_t index) __attribute__((always_inline)) {
      const auto i = static_cast<std::size_t>(index);
      if (rows.empty == nullptr || !rows.empty[i])
        request(rows.memory + i * rows.width, rows.width * sizeof(double));
    };
    if (last_.memory != nullptr)
      for (pos_t e = begin; e < end; ++e) row(last_, plan_.last_index[static_cast<std::size_t>(e)]);
    if (tuples_)
      for (std::size_t k = 0; k < plan_.tuple_modes.size(); ++k) {
        if (tuple_[k].memory == nullptr) continue;
        for (pos_t e = begin; e < end; ++e) row(tuple_[k], plan_.coords_of(tuples[e])[k]);
      }
    if (!coords_) return;
    const pos_t later = begin + pos_t{kAhead};
    for (pos_t e = later; e < std::min(later + kRun, entries); ++e)
      request(plan_.coords_of(tuples[e]).data(), plan_.tuple_modes.size() * sizeof(index_t));
  }

 private:
  /// Where the rows of one mode lie.
  struct Rows {
    const double* memory = nullptr;  ///< Null: near enough to need no asking.
    std::size_t width = 0;           ///< From one row to the next.
    const std::uint8_t* empty = nullptr;
  };

  [[nodiscard]] static Rows rows_of(Mode n, const TuckerModel& model, const EmptyRows& empty,
                                    bool skips);
  /// In a file of its own, compiled by itself: GCC drops calls to a function in which it sees
  /// nothing but prefetches.
  void ask(pos_t begin) const;

  const ModePlan& plan_;
  Rows last_;
  Rows tuple_[kMaxOrder];
  bool tuples_ = false;  // whether any of them is far,
  bool coords_ = false;  // and whether the tuples' coordinates are
  bool any_ = false;
};

}  // namespace vest
