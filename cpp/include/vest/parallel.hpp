// Threads: a team that works through fixed chunks, carries errors out and hears a stop request.
//
// Work is always cut into chunks whose bounds depend on the data alone. Threads take chunks in any
// order, and what is summed is summed per chunk and then in chunk order, so that results have the
// same bits for any number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <utility>

#include "vest/types.hpp"

namespace vest {

/// Asked now and then, by the calling thread only; true means: stop as soon as you can.
using StopCheck = std::function<bool()>;

/// All that decides what `threads = 0` means for the thread that asks.
struct ThreadLimits {
  int processors = 1;  // that this process may use: see usable_processors
  int said = 0;        // by OMP_NUM_THREADS, which takes the place of the processors; 0: nothing
  int openmp = 1;      // what its runtime would use, as threadpoolctl or another library set it
  int limit = 1;       // OMP_THREAD_LIMIT, which holds for explicit numbers of threads, too
};
[[nodiscard]] ThreadLimits thread_limits();

/// What `threads = 0` means: as many as there are processors this process may use, or as many as
/// OMP_NUM_THREADS says, and no more than OpenMP's runtime would use; one without OpenMP.
[[nodiscard]] int max_threads();

/// How many entries a loop may pass between two calls of checkpoint(): a few milliseconds.
inline constexpr std::size_t kEntriesPerLook = std::size_t{1} << 20;

/// How many elements of a model a chunk has where an element takes a few instructions.
inline constexpr pos_t kElementsPerChunk = pos_t{1} << 17;

/// How many chunks a thread must get to be worth waking, if a chunk takes so many operations: about
/// one for each product, sum or number read.
[[nodiscard]] constexpr pos_t worthwhile_chunks(double operations) {
  constexpr double kWorthwhile = 16384.0;  // some ten microseconds, as waking a thread takes
  return operations >= kWorthwhile ? 1
                                   : static_cast<pos_t>(kWorthwhile / std::max(operations, 1.0));
}

/// Refers to what is called with (chunk, thread); whoever makes it keeps that alive.
class ChunkBody {
 public:
  ChunkBody() = default;
  template <class Body>
  explicit ChunkBody(Body& body)
      : body_(const_cast<void*>(static_cast<const void*>(std::addressof(body)))),
        call_([](void* it, pos_t chunk, int thread) { (*static_cast<Body*>(it))(chunk, thread); }) {
  }
  void operator()(pos_t chunk, int thread) const { call_(body_, chunk, thread); }

 private:
  void* body_ = nullptr;
  void (*call_)(void*, pos_t, int) = nullptr;
};

class Helpers;

class Team {
 public:
  /// Throws std::invalid_argument if `threads` is negative. More threads than OMP_THREAD_LIMIT and
  /// far more than processors are cut down: they help nobody, and a system that refuses to start
  /// them ends the process.
  explicit Team(int threads, StopCheck stop = {});
  /// The same threads, but stop requests are not heard: for work that must not end half-way.
  [[nodiscard]] Team steady() const;

  [[nodiscard]] int threads() const { return threads_; }
  /// How many threads for_chunks(count, ..., worthwhile) would use.
  [[nodiscard]] int threads_for(pos_t count, pos_t worthwhile) const;

  /// Throws Interrupted if the caller wants to stop, or another chunk has failed. Long work calls
  /// it now and then; only the calling thread asks the caller.
  void checkpoint() const;

  /// Calls body(chunk, thread) once for each chunk in 0..count-1. The first exception comes out.
  /// A thread that would get fewer than `worthwhile` chunks is not woken.
  template <class Body>
  void for_chunks(pos_t count, Body&& body, pos_t worthwhile = 1) const {
    run(count, threads_for(count, worthwhile), ChunkBody(body));
  }

 private:
  Team(int threads, std::shared_ptr<Helpers> helpers);
  void run(pos_t count, int threads, ChunkBody body) const;
  [[nodiscard]] bool stop_due() const;

  int threads_ = 1;
  StopCheck stop_;
  std::shared_ptr<Helpers> helpers_;                       // none for one thread
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
