// The parts of a team that run once per chunk or less, out of line.
#include "vest/parallel.hpp"

#include <string>

#ifdef _OPENMP
#include <omp.h>
#include <pthread.h>
#endif

namespace vest {
namespace {

// OpenMP's threads do not survive a fork: a child that waits for them waits forever. Its parent's
// pool cannot be seen from there, so the child is told, once, and works alone.
std::atomic<bool> in_forked_child{false};

void notice_forks() {
#ifdef _OPENMP
  static const int registered =
      pthread_atfork(nullptr, nullptr, [] { in_forked_child.store(true); });
  static_cast<void>(registered);
#endif
}

int most_threads() {
#ifdef _OPENMP
  return std::max(8, 2 * omp_get_num_procs());
#else
  return 1;
#endif
}

}  // namespace

int max_threads() {
#ifdef _OPENMP
  return omp_get_max_threads();
#else
  return 1;
#endif
}

int Team::this_thread() {
#ifdef _OPENMP
  return omp_get_thread_num();
#else
  return 0;
#endif
}

Team::Team(int threads, StopCheck stop) : stop_(std::move(stop)) {
  if (threads < 0)
    throw std::invalid_argument("threads is " + std::to_string(threads) +
                                "; give 0 for all, or a positive number");
  threads_ = std::min(threads == 0 ? max_threads() : threads, most_threads());
}

int Team::threads_for(pos_t shares) const {
  const int threads = static_cast<int>(std::clamp<pos_t>(shares, 1, threads_));
  if (threads == 1 || in_forked_child.load(std::memory_order_relaxed)) return 1;
  notice_forks();
  return threads;
}

void Team::checkpoint() const {
  if (stopping_.load(std::memory_order_relaxed)) throw Interrupted();
  if (this_thread() == 0 && stop_due() && stop_()) throw Interrupted();
}

/// The check may take a lock (Python's), so it is asked twenty times a second at most.
bool Team::stop_due() const {
  if (!stop_) return false;
  const auto now = std::chrono::steady_clock::now();
  if (now - asked_ < std::chrono::milliseconds(50)) return false;
  asked_ = now;
  return true;
}

}  // namespace vest
