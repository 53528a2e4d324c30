// The team: every chunk once, the first error out and the rest stopped, stop requests heard.
#include "vest/parallel.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"
#include "engine/threads/processors.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

using namespace vest;

namespace {

using Clock = std::chrono::steady_clock;
constexpr int kThreads[] = {1, 2, 3, 4, 8};
constexpr auto kPatience = std::chrono::seconds(20);  // only a failing test waits that long

void threads_are_resolved_once() {
  CHECK(max_threads() >= 1);
  CHECK(Team(1).threads() == 1);
#ifdef _OPENMP
  CHECK(max_threads() <= omp_get_max_threads());
  CHECK(Team(5).threads() == 5);
  const int most = Team(1'000'000).threads();  // cut down, but never below all processors
  CHECK(most >= omp_get_num_procs() && most < 1'000'000);
  CHECK(Team(0).threads() == std::min(max_threads(), most));
#else
  CHECK(max_threads() == 1);
  CHECK(Team(0).threads() == 1 && Team(5).threads() == 1);
#endif
  try {
    Team team(-3);
    CHECK(false);
  } catch (const std::invalid_argument& error) {
    CHECK(std::string(error.what()).find("-3") != std::string::npos);
  }
}

void chunks_run_once_each() {
  for (const int threads : kThreads)
    for (const std::size_t count : {0, 1, 2, 7, 1000}) {
      const Team team(threads);
      std::vector<std::atomic<int>> runs(count);
      std::atomic<bool> thread_in_range = true;
      team.for_chunks(static_cast<pos_t>(count), [&](pos_t chunk, int thread) {
        ++runs[static_cast<std::size_t>(chunk)];
        if (thread < 0 || thread >= threads) thread_in_range = false;
      });
      CHECK(std::ranges::all_of(runs, [](const std::atomic<int>& run) { return run == 1; }));
      CHECK(thread_in_range);
    }
}

#ifdef _OPENMP
/// OMP_NUM_THREADS is an order, even for more threads than processors; without it, nobody asks for
/// more than there are. What OpenMP's runtime was told for this thread is never exceeded.
void what_the_environment_says_is_done() {
  const char* const said = std::getenv("OMP_NUM_THREADS");
  const std::string before = said == nullptr ? "" : said;
  const auto at_most = [](int threads) { return std::min(threads, omp_get_thread_limit()); };
  const int more = usable_processors() + 3;
  omp_set_num_threads(more);
  setenv("OMP_NUM_THREADS", std::to_string(more).c_str(), 1);
  CHECK(max_threads() == at_most(more));
  setenv("OMP_NUM_THREADS", "2,1", 1);
  CHECK(max_threads() == at_most(2));
  for (const char* const nonsense : {"", "many", "-3", "0"}) {
    setenv("OMP_NUM_THREADS", nonsense, 1);
    CHECK(thread_limits().said == 0 && max_threads() == at_most(usable_processors()));
  }
  unsetenv("OMP_NUM_THREADS");
  CHECK(max_threads() == at_most(usable_processors()));
  omp_set_num_threads(1);
  CHECK(max_threads() == 1);
  CHECK(Team(3).threads() == at_most(3));  // an explicit number is not affected
  if (said != nullptr) setenv("OMP_NUM_THREADS", before.c_str(), 1);
}

/// From the amount of work alone: who would get too little of it is not asked to help.
void little_work_is_not_shared() {
  const Team team(4);
  CHECK(worthwhile_chunks(1e9) == 1);
  CHECK(worthwhile_chunks(1.0) > 1000 && worthwhile_chunks(0.0) == worthwhile_chunks(1.0));
  CHECK(team.threads_for(0, 1) == 1 && team.threads_for(1, 1) == 1);
  CHECK(team.threads_for(2, 1) == 2 && team.threads_for(1000, 1) == 4);
  CHECK(team.threads_for(7, 4) == 1 && team.threads_for(8, 4) == 2);
  CHECK(team.threads_for(2, worthwhile_chunks(1e5)) == 2);
  CHECK(team.threads_for(2, worthwhile_chunks(1e3)) == 1);
  CHECK(Team(1).threads_for(1000, 1) == 1);
}

/// For what must not end half-way: the same threads, whatever the caller wants.
void a_steady_team_hears_no_stop_request() {
  const Team team(3, [] { return true; });
  const Team steady = team.steady();
  CHECK(steady.threads() == 3);
  std::atomic<int> ran = 0;
  steady.for_chunks(100, [&](pos_t, int) { ++ran; });
  CHECK(ran == 100);
  CHECK_THROWS(team.for_chunks(100, [](pos_t, int) {}), Interrupted);
}
#endif

/// Threads that would have little to do are not woken, and all work is still done. How many come is
/// limited, not who: any of the team may be the first to look.
void few_chunks_wake_few_threads() {
  const Team team(8);
  for (const pos_t worthwhile : {1, 4, 100}) {
    std::atomic<int> ran = 0;
    std::vector<std::atomic<int>> at_work(static_cast<std::size_t>(team.threads()));
    team.for_chunks(
        12,
        [&](pos_t, int thread) {
          ++ran;
          at_work[static_cast<std::size_t>(thread)] = 1;
          // Who has been woken comes before all is done.
          std::this_thread::sleep_for(std::chrono::milliseconds(2));
        },
        worthwhile);
    const auto came =
        std::ranges::count_if(at_work, [](const std::atomic<int>& did) { return did == 1; });
    CHECK(ran == 12);
    CHECK(came <= team.threads_for(12, worthwhile));
    CHECK(came <= std::max<pos_t>(1, 12 / worthwhile));
  }
}

#ifdef _OPENMP
/// Threads do not survive a fork: a child that waited for them would hang. It has its own.
void a_forked_child_has_threads_of_its_own() {
  // Each chunk ends when there are as many threads as chunks.
  const auto meet = [](const Team& team) {
    const auto deadline = Clock::now() + kPatience;
    std::atomic<int> met = 0;
    std::atomic<bool> all = true;
    team.for_chunks(team.threads(), [&](pos_t, int) {
      ++met;
      while (met < team.threads() && Clock::now() < deadline) std::this_thread::yield();
      if (met < team.threads()) all = false;
    });
    return all.load();
  };
  auto team = std::make_unique<Team>(3);
  auto unused = std::make_unique<Team>(3);
  CHECK(meet(*team) && meet(*unused));  // the parent's threads are up
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);  // only a child that hangs lives to hear it
    bool well = meet(Team(2));
    unused.reset();
    for (int time = 0; time < 3; ++time) well = meet(Team(3)) && meet(*team) && well;
    team.reset();  // those that are gone are not waited for, nor taken for new ones
    well = meet(Team(3)) && well;
    _exit(well ? 0 : 1);
  }
  int status = -1;
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  CHECK(meet(*team));  // and the parent goes on as before
}
#endif

void the_first_exception_comes_out() {
  for (const int threads : kThreads) {
    const Team team(threads);
    std::string seen;
    try {
      team.for_chunks(100, [](pos_t chunk, int) {
        if (chunk == 40) throw std::length_error("chunk 40");
      });
    } catch (const std::length_error& error) {  // its type comes along
      seen = error.what();
    }
    CHECK(seen == "chunk 40");

    std::atomic<int> ran = 0;  // and the team can go on
    team.for_chunks(10, [&](pos_t, int) { ++ran; });
    CHECK(ran == 10);
  }
}

void chunks_after_a_failure_do_not_run() {
  const Team team(1);
  int ran = 0;
  CHECK_THROWS(team.for_chunks(100,
                               [&](pos_t, int) {
                                 if (++ran == 4) throw std::runtime_error("the fourth");
                               }),
               std::runtime_error);
  CHECK(ran == 4);
}

#ifdef _OPENMP  // without threads nothing is under way beside a failing chunk
/// A chunk that would work on for long hears at its next checkpoint that another has failed.
void chunks_under_way_stop_at_their_checkpoint() {
  const Team team(2);
  const auto deadline = Clock::now() + kPatience;
  std::atomic<bool> other_runs = false;
  std::atomic<bool> other_stopped = false;
  std::string seen;
  try {
    team.for_chunks(2, [&](pos_t chunk, int) {
      if (chunk == 0) {
        while (!other_runs && Clock::now() < deadline) std::this_thread::yield();
        throw std::runtime_error("chunk 0");
      }
      other_runs = true;
      try {
        while (Clock::now() < deadline) team.checkpoint();
      } catch (const Interrupted&) {
        other_stopped = true;
        throw;
      }
    });
  } catch (const std::runtime_error& error) {
    seen = error.what();
  }
  CHECK(other_stopped);
  CHECK(seen == "chunk 0");  // not the Interrupted that followed from it
}
#endif

void a_stop_request_interrupts() {
  for (const int threads : kThreads) {
    int asked = 0;
    const Team team(threads, [&] { return ++asked > 0; });
    const auto deadline = Clock::now() + kPatience;
    CHECK_THROWS(team.for_chunks(1000,
                                 [&](pos_t, int) {  // other threads work until they hear of it
                                   while (Clock::now() < deadline) team.checkpoint();
                                 }),
                 Interrupted);
    CHECK(asked == 1);
  }
}

void only_the_calling_thread_is_asked_and_not_often() {
  for (const int threads : kThreads) {
    std::atomic<int> asked = 0;
    bool by_caller = true;
    const auto caller = std::this_thread::get_id();
    const auto start = Clock::now();
    const Team team(threads, [&] {
      ++asked;
      by_caller = by_caller && std::this_thread::get_id() == caller;
      return false;
    });
    team.for_chunks(20000, [&](pos_t, int) {  // no chunk ends before the caller has had one
      while (asked == 0 && Clock::now() < start + kPatience) std::this_thread::yield();
    });
    const std::chrono::duration<double> took = Clock::now() - start;
    CHECK(by_caller);
    CHECK(asked >= 1);
    CHECK(asked <= 1 + took.count() / 0.05);
  }
}

void an_error_of_the_check_itself_comes_out() {
  const Team team(2, []() -> bool { throw std::domain_error("from the check"); });
  CHECK_THROWS(team.for_chunks(1, [](pos_t, int) {}), std::domain_error);
}

void a_cut_covers_its_range_once() {
  for (const pos_t size : {0, 1, 9, 10, 11, 100})
    for (const pos_t step : {1, 3, 10, 1000}) {
      const Cut cut{size, step};
      pos_t at = 0;
      for (pos_t chunk = 0; chunk < cut.count(); ++chunk) {
        CHECK(cut.begin(chunk) == at);
        CHECK(cut.end(chunk) > at && cut.end(chunk) - at <= step);
        at = cut.end(chunk);
      }
      CHECK(at == size);
    }
}

}  // namespace

int main() {
  RUN(threads_are_resolved_once);
  RUN(chunks_run_once_each);
  RUN(few_chunks_wake_few_threads);
#ifdef _OPENMP
  RUN(what_the_environment_says_is_done);
  RUN(little_work_is_not_shared);
  RUN(a_steady_team_hears_no_stop_request);
#endif
#ifdef _OPENMP
  RUN(a_forked_child_has_threads_of_its_own);
#endif
  RUN(the_first_exception_comes_out);
  RUN(chunks_after_a_failure_do_not_run);
#ifdef _OPENMP
  RUN(chunks_under_way_stop_at_their_checkpoint);
#endif
  RUN(a_stop_request_interrupts);
  RUN(only_the_calling_thread_is_asked_and_not_often);
  RUN(an_error_of_the_check_itself_comes_out);
  RUN(a_cut_covers_its_range_once);
  return check::report();
}
