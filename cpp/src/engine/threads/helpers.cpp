// Seats are how caller and helpers agree on who is at work: a call has as many as it wants helpers.
//
// A helper that takes one works until no chunk is left, and gives it up; a seat is taken once. When
// the caller finds no more chunks it removes the seats still free, so that nobody comes any more,
// and waits until no seat is taken.
#include "engine/threads/helpers.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace vest {
namespace {

constexpr unsigned kFreeSeat = 1U << 16;
constexpr unsigned kTaken = kFreeSeat - 1;

// Short beside the milliseconds for which a system lets a thread run: who looks in vain has lost
// little, and has not kept others from work. Helpers look for about as long as a fit does other
// things between two calls. The caller looks longer: it waits for chunks that are under way.
using Time = std::chrono::microseconds;
constexpr Time kHelperLooks{50};
constexpr Time kCallerLooks{100};

/// How many forks lie between this process and the one that loaded the library.
std::atomic<unsigned> forks{0};
/// Asked for when the library is loaded, so that no fork is missed.
[[maybe_unused]] const int asked_for_forks =
    pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); });

thread_local bool helping = false;

/// Tells the processor that this is a loop of somebody who waits.
void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Waits until done(word): looks for some time, then sleeps. The word as it was then.
template <class Done>
unsigned wait_for(const std::atomic<unsigned>& word, Time looks, Done&& done) {
  unsigned value = word.load(std::memory_order_acquire);
  const auto look = [&] {
    for (int i = 0; i < 32 && !done(value); ++i) {
      relax();
      value = word.load(std::memory_order_acquire);
    }
    return done(value);
  };
  if (look()) return value;
  const auto until = std::chrono::steady_clock::now() + looks;
  while (!look() && std::chrono::steady_clock::now() < until) continue;
  while (!done(value)) {
    word.wait(value, std::memory_order_acquire);
    value = word.load(std::memory_order_acquire);
  }
  return value;
}

/// Whether somebody has said how large the stacks of OpenMP's threads are. Ours have the system's
/// size, so they could not tell whether there is room for those.
bool stacks_are_chosen() {
  constexpr const char* kNames[] = {"OMP_STACKSIZE", "GOMP_STACKSIZE", "KMP_STACKSIZE"};
  return std::ranges::any_of(kNames, [](const char* name) { return std::getenv(name) != nullptr; });
}

/// Whether the system lets so many threads begin beside those there are. OpenMP's runtime ends the
/// process where it does not, so it is asked only for what has just been tried; the C library keeps
/// the stacks that the tried threads leave, for the next ones.
bool can_start(int count) {
  std::atomic<unsigned> over{0};
  std::vector<std::thread> tried;
  bool all = true;
  try {
    tried.reserve(static_cast<std::size_t>(count));
    for (int thread = 0; thread < count; ++thread)
      tried.emplace_back([&over] { over.wait(0, std::memory_order_acquire); });
  } catch (const std::exception&) {  // no more threads, or no memory for them
    all = false;
  }
  over.store(1, std::memory_order_release);
  over.notify_all();
  for (std::thread& thread : tried) thread.join();
  return all;
}

}  // namespace

/// Helpers that have been started, and what they and the caller share.
class Helpers::Crew {
 public:
  explicit Crew(int count);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  void share(pos_t count, int wanted, ChunkBody body);
  /// Whether a fork has left the threads behind, in the process that they were started in.
  [[nodiscard]] bool lost() const { return forks.load(std::memory_order_relaxed) != forks_; }

 private:
  void start_region();
  void start_threads();
  void see_out(unsigned helpers);
  void help(int thread);
  void work(int thread);
  void wake(int wanted);

  int count_;
  unsigned forks_;
  std::vector<std::thread> threads_;  // the helpers, or the one that opens their region
  ChunkBody body_;  // of the present call, like the number of its chunks: read by who has a seat
  pos_t chunks_ = 0;
  // Apart from each other, because different threads write them often.
  alignas(64) std::atomic<pos_t> next_{0};      // the chunk to be taken next
  alignas(64) std::atomic<unsigned> seats_{0};  // free ones << 16 | taken ones: see above
  alignas(64) std::atomic<unsigned> calls_{0};  // grows when there is work, or when all is over
  std::atomic<unsigned> over_{0};               // 1: the helpers are to leave
  std::atomic<unsigned> gone_{0};               // how many have
};

Helpers::Crew::Crew(int count) : count_(count), forks_(forks.load(std::memory_order_relaxed)) {
  try {
#ifdef _OPENMP
    if (forks_ == 0 && !stacks_are_chosen())
      start_region();
    else
      start_threads();
#endif
  } catch (const std::system_error&) {  // no more threads to be had: those there are do the work
  }
}

/// The helpers as a team of OpenMP's, if there can be one; nobody waits for those that never come.
void Helpers::Crew::start_region() {
#ifdef _OPENMP
  threads_.emplace_back([this] {
    if (!can_start(count_)) return;
#pragma omp parallel num_threads(count_ + 1)
    if (omp_get_thread_num() > 0)
      help(omp_get_thread_num());
    else
      see_out(static_cast<unsigned>(omp_get_num_threads() - 1));
  });
#endif
}

/// The helpers as threads of their own.
void Helpers::Crew::start_threads() {
  threads_.reserve(static_cast<std::size_t>(count_));
  for (int thread = 1; thread <= count_; ++thread)
    threads_.emplace_back([this, thread] { help(thread); });
}

Helpers::Crew::~Crew() {
  over_.store(1, std::memory_order_release);
  over_.notify_one();
  calls_.fetch_add(1, std::memory_order_release);
  calls_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

/// The region ends when all have left it. They are waited for here, so that nobody waits there.
void Helpers::Crew::see_out(unsigned helpers) {
  over_.wait(0, std::memory_order_acquire);
  wait_for(gone_, kHelperLooks, [&](unsigned gone) { return gone == helpers; });
}

void Helpers::Crew::help(int thread) {
  helping = true;
  unsigned seen = 0;
  while (true) {
    seen = wait_for(calls_, kHelperLooks, [&](unsigned calls) { return calls != seen; });
    if (over_.load(std::memory_order_acquire) != 0) break;
    unsigned seats = seats_.load(std::memory_order_relaxed);
    bool seated = false;
    while (seats >= kFreeSeat && !seated)
      seated = seats_.compare_exchange_weak(seats, seats - kFreeSeat + 1, std::memory_order_acquire,
                                            std::memory_order_relaxed);
    if (!seated) continue;
    work(thread);
    if (seats_.fetch_sub(1, std::memory_order_release) == 1) seats_.notify_one();
  }
  gone_.fetch_add(1, std::memory_order_release);
  gone_.notify_one();
}

void Helpers::Crew::work(int thread) {
  for (pos_t chunk; (chunk = next_.fetch_add(1, std::memory_order_relaxed)) < chunks_;)
    body_(chunk, thread);
}

void Helpers::Crew::wake(int wanted) {
  calls_.fetch_add(1, std::memory_order_release);
  if (wanted == count_) return calls_.notify_all();
  for (int i = 0; i < wanted; ++i) calls_.notify_one();
}

void Helpers::Crew::share(pos_t count, int wanted, ChunkBody body) {
  wanted = std::min(wanted, count_);
  body_ = body;
  chunks_ = count;
  next_.store(0, std::memory_order_relaxed);
  seats_.store(static_cast<unsigned>(wanted) * kFreeSeat, std::memory_order_release);
  wake(wanted);
  work(0);
  seats_.fetch_and(kTaken, std::memory_order_relaxed);
  wait_for(seats_, kCallerLooks, [](unsigned seats) { return seats == 0; });
}

Helpers::Helpers(int count) : count_(count) {}

Helpers::~Helpers() { leave_lost_crew(); }

/// Threads that a fork left behind can be neither waited for nor let go: a new thread of this
/// process may have got the name of one of them. So what belongs to them stays where it is.
void Helpers::leave_lost_crew() {
  if (crew_ && crew_->lost()) static_cast<void>(crew_.release());
}

bool Helpers::is_helper() { return helping; }

void Helpers::share(pos_t count, int wanted, ChunkBody body) {
  leave_lost_crew();
  if (!crew_) crew_ = std::make_unique<Crew>(count_);
  crew_->share(count, wanted, body);
}

}  // namespace vest
