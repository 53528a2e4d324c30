// Busy processes are forked, then both thread counts take turns beside them, a few rounds long.
#include "busy.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <stdexcept>

#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "measure.hpp"
#include "report.hpp"
#include "timing.hpp"
#include "vest/parallel.hpp"

namespace vest::bench {
namespace {

constexpr int kBusy[] = {0, 1, 2, 4};
constexpr int kRounds = 5;
constexpr int kIterations = 40;
constexpr double kAim = 1.3;  // times the better of one thread and the fair share

/// Processes that compute for as long as this object lives.
class BusyProcesses {
 public:
  explicit BusyProcesses(int count) {
    for (int i = 0; i < count; ++i) {
      const pid_t child = fork();
      if (child < 0) throw std::runtime_error("cannot start a busy process");
      if (child == 0) compute();
      children_.push_back(child);
    }
  }
  ~BusyProcesses() {
    for (const pid_t child : children_) kill(child, SIGKILL);
    for (const pid_t child : children_) waitpid(child, nullptr, 0);
  }
  BusyProcesses(const BusyProcesses&) = delete;
  BusyProcesses& operator=(const BusyProcesses&) = delete;

 private:
  [[noreturn]] static void compute() {
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // whatever becomes of the benchmark
#endif
    for (volatile unsigned number = 0;;) number = number + 1;
  }

  std::vector<pid_t> children_;
};

/// What a fit takes: the plan and all iterations.
double time_fit(const Entries& entries, Options options, int threads, std::uint64_t& fingerprint) {
  options.threads = threads;
  options.iterations = kIterations;
  const Run run = run_solver(entries, options);
  fingerprint = run.fingerprint;
  return std::accumulate(run.iterations.begin(), run.iterations.end(), run.plan,
                         [](double sum, const Iteration& one) { return sum + one.total(); });
}

/// Seconds of one and two threads beside some busy processes.
struct Point {
  int busy;
  std::vector<double> one, two;  // per round
};

/// Two threads beside `busy` processes on so many processors, if each gets as much as any other.
double fair_share(double alone, int busy, int processors) {
  return alone * std::max(1.0, static_cast<double>(2 + busy) / processors);
}

}  // namespace

Json run_busy(Options options) {
  const Entries entries = options.file.empty() ? draw(options.spec) : read_tns(options.file);
  const int processors = max_threads();
  std::vector<Point> points;
  for (const int busy : kBusy) points.push_back({busy, {}, {}});
  bool same = true;
  for (int round = 0; round < kRounds; ++round)
    for (Point& point : points) {
      const BusyProcesses beside(point.busy);
      std::uint64_t one = 0;
      std::uint64_t two = 0;
      point.one.push_back(time_fit(entries, options, 1, one));
      point.two.push_back(time_fit(entries, options, 2, two));
      same = same && one == two;
    }

  std::printf("  %s entries, %d iterations, %d processors, medians of %d\n",
              in_thousands(entries.nnz()).c_str(), kIterations, processors, kRounds);
  std::printf("  %12s %12s %12s %12s %10s\n", "busy", "one thread", "two threads", "fair share",
              "ratio");
  std::vector<Json> series;
  bool met = true;
  const double alone = median(points[0].two);
  for (const Point& point : points) {
    const double one = median(point.one);
    const double two = median(point.two);
    const double fair = fair_share(alone, point.busy, processors);
    const double ratio = two / std::min(one, fair);
    met = met && ratio <= kAim;
    std::printf("  %12d %12s %12s %12s %10.2f\n", point.busy, in_seconds(one).c_str(),
                in_seconds(two).c_str(), in_seconds(fair).c_str(), ratio);
    series.push_back(Json()
                         .add("x", point.busy)
                         .add("one_thread", one)
                         .add("two_threads", two)
                         .add("fair_share", fair)
                         .add("ratio", ratio));
  }
  std::printf("  never above %.1f: %s; models have the same bits: %s\n\n", kAim, met ? "yes" : "NO",
              same ? "yes" : "NO");
  return Json()
      .add("over", "busy")
      .add("entries", entries.nnz())
      .add("iterations", kIterations)
      .add("processors", processors)
      .add("aim", kAim)
      .add("points", series)
      .add("met", met)
      .add("same_bits", same);
}

}  // namespace vest::bench
