// How many threads a team has and uses, how errors come out of it and how it hears a stop request.
#include "vest/parallel.hpp"

#include <cstdlib>
#include <exception>
#include <limits>
#include <string>

#include "engine/threads/helpers.hpp"
#include "engine/threads/processors.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

namespace vest {
namespace {

/// The first number of OMP_NUM_THREADS, which may list one for each level of nesting; 0 if there is
/// none.
int threads_said() {
  const char* const said = std::getenv("OMP_NUM_THREADS");
  const long number = said == nullptr ? 0 : std::strtol(said, nullptr, 10);
  return static_cast<int>(std::clamp<long>(number, 0, std::numeric_limits<int>::max()));
}

/// What any number of threads is cut down to.
int most_threads(const ThreadLimits& limits) {
#ifdef _OPENMP
  return std::min(limits.limit, std::max(8, 2 * omp_get_num_procs()));
#else
  return limits.limit;
#endif
}

}  // namespace

ThreadLimits thread_limits() {
  ThreadLimits limits;
  limits.processors = usable_processors();
  limits.said = threads_said();
#ifdef _OPENMP
  limits.openmp = omp_get_max_threads();
  limits.limit = omp_get_thread_limit();
#endif
  return limits;
}

int max_threads() {
  const ThreadLimits limits = thread_limits();
  const int wanted = limits.said > 0 ? limits.said : limits.processors;
  return std::max(1, std::min({wanted, limits.openmp, most_threads(limits)}));
}

Team::Team(int threads, StopCheck stop) : stop_(std::move(stop)) {
  if (threads < 0)
    throw std::invalid_argument("threads is " + std::to_string(threads) +
                                "; give 0 for all, or a positive number");
  threads_ = threads == 0 ? max_threads() : std::min(threads, most_threads(thread_limits()));
  if (threads_ > 1) helpers_ = std::make_shared<Helpers>(threads_ - 1);
}

Team::Team(int threads, std::shared_ptr<Helpers> helpers)
    : threads_(threads), helpers_(std::move(helpers)) {}

Team Team::steady() const { return Team(threads_, helpers_); }

int Team::threads_for(pos_t count, pos_t worthwhile) const {
  if (threads_ == 1) return 1;
  return static_cast<int>(std::clamp<pos_t>(count / worthwhile, 1, threads_));
}

void Team::run(pos_t count, int threads, ChunkBody body) const {
  stopping_.store(false, std::memory_order_relaxed);
  std::exception_ptr error;
  const auto guarded = [&](pos_t chunk, int thread) {
    if (stopping_.load(std::memory_order_relaxed)) return;
    try {
      checkpoint();
      body(chunk, thread);
    } catch (...) {
      if (!stopping_.exchange(true)) error = std::current_exception();
    }
  };
  if (threads > 1)
    helpers_->share(count, threads - 1, ChunkBody(guarded));
  else
    for (pos_t chunk = 0; chunk < count; ++chunk) guarded(chunk, 0);
  stopping_.store(false, std::memory_order_relaxed);
  if (error) std::rethrow_exception(error);
}

void Team::checkpoint() const {
  if (stopping_.load(std::memory_order_relaxed)) throw Interrupted();
  if (stop_ && !Helpers::is_helper() && stop_due() && stop_()) throw Interrupted();
}

/// The check may take a lock (Python's), so it is asked twenty times a second at most.
bool Team::stop_due() const {
  const auto now = std::chrono::steady_clock::now();
  if (now - asked_ < std::chrono::milliseconds(50)) return false;
  asked_ = now;
  return true;
}

}  // namespace vest
