// Threads that help the calling thread through chunks of work, and how all of them wait.
//
// They are a team of OpenMP's, but they do not wait as OpenMP's runtime would have them: it may
// spin for many milliseconds at each end of a parallel region, which is a disaster where cores are
// shared, and the way it waits can only be set for the whole process. So there is one region for
// the helpers' whole life, in which they wait on their own terms: they look for work for a moment,
// then sleep. A region keeps the thread that opens it, so a thread that does nothing else opens it.
//
// Nobody waits for a helper that has not come: the caller takes chunks too, and when none are left
// it waits only for the chunks that helpers are at work on. A helper that the system lets run late,
// or not at all, costs nothing.
#pragma once

#include <atomic>
#include <thread>

#include "vest/parallel.hpp"

namespace vest {

class Helpers {
 public:
  /// Starts nobody yet: that is done when there is work to share.
  explicit Helpers(int count) : count_(count) {}
  ~Helpers();
  Helpers(const Helpers&) = delete;
  Helpers& operator=(const Helpers&) = delete;

  /// Calls body(chunk, thread) once for each chunk in 0..count-1: as thread 0 the calling thread,
  /// as threads 1, 2, ... helpers, at most `wanted` of them. The body must not throw.
  void share(pos_t count, int wanted, ChunkBody body);

  /// Whether there can be helpers at all: threads do not survive a fork.
  [[nodiscard]] static bool possible();
  /// Whether the thread that asks is a helper.
  [[nodiscard]] static bool is_helper();

 private:
  void start();
  void see_out(unsigned helpers);
  void help(int thread);
  void work(int thread);
  void wake(int wanted);

  int count_;
  std::thread host_;  // opens the helpers' region and waits for its end
  ChunkBody body_;    // of the present call, like the number of its chunks: read by who has a seat
  pos_t chunks_ = 0;
  // Apart from each other, because different threads write them often.
  alignas(64) std::atomic<pos_t> next_{0};      // the chunk to be taken next
  alignas(64) std::atomic<unsigned> seats_{0};  // free ones << 16 | taken ones: see helpers.cpp
  alignas(64) std::atomic<unsigned> calls_{0};  // grows when there is work, or when all is over
  std::atomic<unsigned> over_{0};               // 1: the helpers are to leave
  std::atomic<unsigned> gone_{0};               // how many have
};

}  // namespace vest
