// The helpers: every chunk once, nobody too many, nobody waited for who does not come.
#include "engine/threads/helpers.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "check.hpp"
#include "sanitizers.hpp"

#if defined(_OPENMP) && defined(__linux__) && !defined(UNDER_ADDRESS_SANITIZER) && \
    !defined(UNDER_THREAD_SANITIZER)
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#define CAN_LIMIT_ADDRESSES
#endif

using namespace vest;

namespace {

template <class Body>
void share(Helpers& helpers, pos_t count, int wanted, Body body) {
  helpers.share(count, wanted, ChunkBody(body));
}

void helpers_without_work_come_and_go() {
  for (const int count : {0, 1, 5}) const Helpers unused(count);
  Helpers helpers(2);
  share(helpers, 0, 2, [](pos_t, int) { CHECK(false); });
}

void call_after_call_runs_every_chunk_once() {
  for (const int count : {0, 1, 2, 7}) {
    Helpers helpers(count);
    std::vector<std::atomic<int>> runs(40);
    for (int call = 1; call <= 2000; ++call) {
      const pos_t chunks = call % 40;
      share(helpers, chunks, count,
            [&](pos_t chunk, int) { ++runs[static_cast<std::size_t>(chunk)]; });
    }
    for (std::size_t chunk = 0; chunk < runs.size(); ++chunk)
      CHECK(runs[chunk] == 50 * (39 - static_cast<int>(chunk)));
  }
}

/// What helpers write without any lock, the caller reads after the call.
void what_helpers_wrote_is_seen() {
  Helpers helpers(3);
  std::vector<int> wrote(64);
  for (int call = 1; call <= 500; ++call) {
    share(helpers, std::ssize(wrote), 3,
          [&](pos_t chunk, int) { wrote[static_cast<std::size_t>(chunk)] += call; });
    CHECK(std::ranges::count(wrote, call * (call + 1) / 2) == std::ssize(wrote));
  }
}

void no_more_help_than_was_wanted() {
  Helpers helpers(7);
  for (int wanted = 0; wanted <= 9; ++wanted) {
    std::vector<std::atomic<int>> at_work(8);
    std::atomic<bool> known = true;
    share(helpers, 400, wanted, [&](pos_t, int thread) {
      if (thread < 0 || thread > 7) known = false;
      if (thread >= 0 && thread <= 7) at_work[static_cast<std::size_t>(thread)] = 1;
      if ((thread > 0) != Helpers::is_helper()) known = false;
    });
    CHECK(known);
    CHECK(std::ranges::count_if(at_work, [](const auto& did) { return did == 1; }) <= 1 + wanted);
  }
}

#ifdef CAN_LIMIT_ADDRESSES
/// Where there is no room for all helpers' stacks, OpenMP's runtime would end the process.
void helpers_that_cannot_start_are_done_without() {
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit before{};
  getrlimit(RLIMIT_AS, &before);
  const rlim_t in_use = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
  for (rlim_t room = 0; room <= 64; room += 2) {  // in MiB; a stack takes 8 as a rule
    const rlimit limit{in_use + (room << 20), before.rlim_max};
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
    Helpers helpers(5);
    std::vector<std::atomic<int>> runs(40);
    share(helpers, 40, 5, [&](pos_t chunk, int) { ++runs[static_cast<std::size_t>(chunk)]; });
    CHECK(std::ranges::count_if(runs, [](const auto& times) { return times == 1; }) == 40);
  }
  CHECK(setrlimit(RLIMIT_AS, &before) == 0);
}
#endif

#ifdef _OPENMP
/// Helpers sleep when nothing has come for a while, and come again.
void sleepers_wake() {
  Helpers helpers(2);
  for (int nap = 0; nap < 3; ++nap) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    std::atomic<int> helped = 0;
    share(helpers, 3, 2, [&](pos_t, int) {  // ends when three threads are in it
      ++helped;
      while (helped < 3 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    });
    CHECK(helped == 3);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}
#endif

}  // namespace

int main() {
#ifdef CAN_LIMIT_ADDRESSES
  RUN(helpers_that_cannot_start_are_done_without);  // first: no stacks of others are kept yet
#endif
  RUN(helpers_without_work_come_and_go);
  RUN(call_after_call_runs_every_chunk_once);
  RUN(what_helpers_wrote_is_seen);
  RUN(no_more_help_than_was_wanted);
#ifdef _OPENMP
  RUN(sleepers_wake);
#endif
  return check::report();
}
