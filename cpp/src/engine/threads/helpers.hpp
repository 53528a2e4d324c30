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
//
// A process that was forked has none of its parent's threads, and OpenMP's runtime may believe that
// it has. There helpers are new threads, without OpenMP; what they do is the same.
#pragma once

#include <memory>

#include "vest/parallel.hpp"

namespace vest {

class Helpers {
 public:
  /// Starts nobody yet: that is done when there is work to share.
  explicit Helpers(int count);
  ~Helpers();
  Helpers(const Helpers&) = delete;
  Helpers& operator=(const Helpers&) = delete;

  /// Calls body(chunk, thread) once for each chunk in 0..count-1: as thread 0 the calling thread,
  /// as threads 1, 2, ... helpers, at most `wanted` of them. The body must not throw.
  void share(pos_t count, int wanted, ChunkBody body);

  /// Whether the thread that asks is a helper.
  [[nodiscard]] static bool is_helper();

 private:
  class Crew;
  void leave_lost_crew();

  int count_;
  std::unique_ptr<Crew> crew_;  // the threads, once there are any
};

}  // namespace vest
