// Clocks and what is made of several measurements.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace vest::bench {

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

/// How long body() takes.
template <class Body>
[[nodiscard]] double time_of(Body&& body) {
  const Stopwatch watch;
  body();
  return watch.seconds();
}

/// The shortest of `times` runs: what the machine can do when nothing else disturbs it.
template <class Body>
[[nodiscard]] double best_time_of(int times, Body&& body) {
  double best = time_of(body);
  for (int i = 1; i < times; ++i) best = std::min(best, time_of(body));
  return best;
}

[[nodiscard]] inline double median(std::vector<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace vest::bench
