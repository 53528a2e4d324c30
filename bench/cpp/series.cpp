// Making the points of a series, and the slope through them on doubly logarithmic axes.
#include "series.hpp"

#include <cmath>
#include <cstdio>

#include "busy.hpp"
#include "measure.hpp"
#include "report.hpp"
#include "vest/parallel.hpp"

namespace vest::bench {
namespace {

constexpr double kFewest = 1e5;  // slopes over sizes start here: below, fixed costs weigh in

struct Point {
  double x;
  double y;  ///< What the slope is taken of.
};

/// Least squares through (log x, log y) of two points or more.
double slope(const std::vector<Point>& points) {
  double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
  for (const Point& point : points) {
    const double x = std::log(point.x);
    const double y = std::log(point.y);
    sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  const auto n = static_cast<double>(points.size());
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

Json point_json(double x, const Entries& entries, const Options& options, const Run& run) {
  return Json()
      .add("x", x)
      .add("problem", problem_json(entries, options))
      .add("result", as_json(run));
}

void print_head(const char* x, const char* last) {
  std::printf("  %12s %12s %12s %12s %10s  %s\n", x, "iteration", "updates", "plan", "memory",
              last);
}

void print_point(double x, const Run& run, const std::string& last) {
  std::printf("  %12s %12s %12s %12s %6.0f MiB  %s\n", in_thousands(static_cast<pos_t>(x)).c_str(),
              in_seconds(run.best().total()).c_str(), in_seconds(run.best().updates()).c_str(),
              in_seconds(run.plan).c_str(), static_cast<double>(run.peak_memory) / (1 << 20),
              last.c_str());
}

/// Sizes 10^3, 10^4, ... up to the limit; `resize` puts each into the spec.
template <class Resize>
Json over_sizes(Options options, const char* name, Resize&& resize) {
  print_head(name, "per entry");
  std::vector<Json> series;
  std::vector<Point> points;
  for (double x = 1e3; x <= options.max * 1.001; x *= 10.0) {
    resize(options.spec, static_cast<pos_t>(x));
    const Entries entries = draw(options.spec);
    const Run run = run_solver(entries, options);
    print_point(x, run, in_seconds(run.best().total() / x));
    series.push_back(point_json(x, entries, options, run));
    if (x >= kFewest * 0.999) points.push_back({x, run.best().total()});
  }
  Json json;
  json.add("over", name).add("points", series);
  if (points.size() < 2) return json;
  std::printf("  slope of the time from %s on: %.3f\n\n",
              in_thousands(static_cast<pos_t>(kFewest)).c_str(), slope(points));
  return json.add("slope", slope(points));
}

/// Time per core element, because the core has 3^order of them.
Json over_order(Options options) {
  print_head("order", "per core element");
  std::vector<Json> series;
  std::vector<Point> points;
  options.spec.entries = 1000;
  for (std::size_t order = 3; order <= 10; ++order) {
    options.spec.shape.assign(order, 1000);
    const Entries entries = draw(options.spec);
    const Run run = run_solver(entries, options);
    const double per_element =
        run.best().total() / std::pow(options.ranks[0], static_cast<double>(order));
    print_point(static_cast<double>(order), run, in_seconds(per_element));
    series.push_back(point_json(static_cast<double>(order), entries, options, run));
    points.push_back({static_cast<double>(order), per_element});
  }
  std::printf("  slope of the time per core element: %.3f\n\n", slope(points));
  return Json().add("over", "order").add("points", series).add("slope", slope(points));
}

/// One tensor, 1, 2, 3, 4 and 8 threads, cores or no cores for them: the models must have the same
/// bits.
Json over_threads(Options options) {
  const Entries entries = options.file.empty() ? draw(options.spec) : read_tns(options.file);
  std::vector<Json> series;
  std::vector<Run> runs;
  for (const int threads : {1, 2, 3, 4, 8}) {
    options.threads = threads;
    runs.push_back(run_solver(entries, options));
    const double gain = runs[0].best().total() / runs.back().best().total();
    if (threads == 1) {
      print_problem(entries, options, runs[0]);
      print_head("threads", "gain");
    }
    char text[16];
    std::snprintf(text, sizeof text, "%.2f", gain);
    print_point(threads, runs.back(), text);
    series.push_back(point_json(threads, entries, options, runs.back()).add("gain", gain));
  }
  bool same = true;
  for (const Run& run : runs) same = same && run.fingerprint == runs[0].fingerprint;
  std::printf("  models have the same bits: %s\n\n", same ? "yes" : "NO");
  return Json().add("over", "threads").add("points", series).add("same_bits", same);
}

}  // namespace

Json run_series(const Options& options) {
  switch (options.series) {
    case Series::kEntries:
      return over_sizes(options, "entries", [](TensorSpec& spec, pos_t size) {
        spec.shape = {1000, 1000, 1000};
        spec.entries = size;
      });
    case Series::kDimension:
      return over_sizes(options, "dimension", [](TensorSpec& spec, pos_t size) {
        spec.shape = {size, size, size};
        spec.entries = size;
      });
    case Series::kOrder:
      return over_order(options);
    case Series::kBusy:
      return run_busy(options);
    default:
      return over_threads(options);
  }
}

}  // namespace vest::bench
