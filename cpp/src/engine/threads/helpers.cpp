// Seats are how caller and helpers agree on who is at work: a call has as many as it wants helpers.
//
// A helper that takes one works until no chunk is left, and gives it up; a seat is taken once. When
// the caller finds no more chunks it removes the seats still free, so that nobody comes any more,
// and waits until no seat is taken.
#include "engine/threads/helpers.hpp"

#include <algorithm>
#include <chrono>
#include <system_error>

#ifdef _OPENMP
#include <omp.h>
#include <pthread.h>
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

std::atomic<bool> in_forked_child{false};
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

}  // namespace

bool Helpers::possible() { return !in_forked_child.load(std::memory_order_relaxed); }

bool Helpers::is_helper() { return helping; }

void Helpers::start() {
#ifdef _OPENMP
  // A child has none of its parent's threads; it is told, and works alone.
  static const int registered =
      pthread_atfork(nullptr, nullptr, [] { in_forked_child.store(true); });
  static_cast<void>(registered);
  try {
    host_ = std::thread([this] {
#pragma omp parallel num_threads(count_ + 1)
      if (omp_get_thread_num() > 0)
        help(omp_get_thread_num());
      else
        see_out(static_cast<unsigned>(omp_get_num_threads() - 1));
    });
  } catch (const std::system_error&) {  // no more threads to be had: the caller works alone
    count_ = 0;
  }
#endif
}

Helpers::~Helpers() {
  if (!host_.joinable()) return;
  if (!possible()) {  // a fork left it behind
    host_.detach();
    return;
  }
  over_.store(1, std::memory_order_release);
  over_.notify_one();
  calls_.fetch_add(1, std::memory_order_release);
  calls_.notify_all();
  host_.join();
}

/// The region ends when all have left it. They are waited for here, so that nobody waits there.
void Helpers::see_out(unsigned helpers) {
  over_.wait(0, std::memory_order_acquire);
  wait_for(gone_, kHelperLooks, [&](unsigned gone) { return gone == helpers; });
}

void Helpers::help(int thread) {
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

void Helpers::work(int thread) {
  for (pos_t chunk; (chunk = next_.fetch_add(1, std::memory_order_relaxed)) < chunks_;)
    body_(chunk, thread);
}

void Helpers::wake(int wanted) {
  calls_.fetch_add(1, std::memory_order_release);
  if (wanted == count_) return calls_.notify_all();
  for (int i = 0; i < wanted; ++i) calls_.notify_one();
}

void Helpers::share(pos_t count, int wanted, ChunkBody body) {
  if (!host_.joinable()) start();
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

}  // namespace vest
