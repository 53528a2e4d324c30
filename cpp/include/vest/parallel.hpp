// Threads: a team that works through fixed chunks, carries errors out and hears a stop request.
//
// Work is always cut into chunks whose bounds depend on the data alone. Threads take chunks in any
// order, and what is summed is summed per chunk and then in chunk order, so that results have the
// same bits for any number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <utility>

#include "vest/types.hpp"

namespace vest {

/// Asked now and then, by the calling thread only; true means: stop as soon as you can.
using StopCheck = std::function<bool()>;

/// What `threads = 0` means: as many as OpenMP would use, or one without OpenMP.
[[nodiscard]] int max_threads();

/// How many entries a loop may pass between two calls of checkpoint(): a few milliseconds.
inline constexpr std::size_t kEntriesPerLook = std::size_t{1} << 20;

/// How many elements of a model a chunk has where an element takes a few instructions.
inline constexpr pos_t kElementsPerChunk = pos_t{1} << 17;

class Team {
 public:
  /// Throws std::invalid_argument if `threads` is negative. Far more threads than processors are
  /// cut down: they help nobody, and a system that refuses to start them ends the process.
  explicit Team(int threads, StopCheck stop = {});

  [[nodiscard]] int threads() const { return threads_; }

  /// Throws Interrupted if the caller wants to stop, or another chunk has failed. Long work calls
  /// it now and then; only the calling thread asks the caller.
  void checkpoint() const;

  /// Calls body(chunk, thread) once for each chunk in 0..count-1. The first exception comes out.
  /// A thread that would get fewer than `worthwhile` chunks is not woken.
  template <class Body>
  void for_chunks(pos_t count, Body&& body, pos_t worthwhile = 1) const {
    stopping_ = false;
    std::exception_ptr error;
    const int threads = threads_for(count / worthwhile);
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) if (threads > 1)
#else
    static_cast<void>(threads);
#endif
    for (pos_t chunk = 0; chunk < count; ++chunk) {
      if (stopping_.load(std::memory_order_relaxed)) continue;
      try {
        checkpoint();
        body(chunk, this_thread());
      } catch (...) {
        if (!stopping_.exchange(true)) error = std::current_exception();
      }
    }
    stopping_ = false;
    if (error) std::rethrow_exception(error);
  }

 private:
  [[nodiscard]] static int this_thread();
  [[nodiscard]] int threads_for(pos_t shares) const;
  [[nodiscard]] bool stop_due() const;

  int threads_ = 1;
  StopCheck stop_;
  mutable std::atomic<bool> stopping_{false};              // a chunk has failed: the others give up
  mutable std::chrono::steady_clock::time_point asked_{};  // touched by the calling thread only
};

/// How a range of `size` things is cut into chunks: by size alone, never by the number of threads.
struct Cut {
  pos_t size;
  pos_t step;

  [[nodiscard]] pos_t count() const { return (size + step - 1) / step; }
  [[nodiscard]] pos_t begin(pos_t chunk) const { return chunk * step; }
  [[nodiscard]] pos_t end(pos_t chunk) const { return std::min(size, (chunk + 1) * step); }
};

}  // namespace vest
