// The C++ tests' only harness: checks that count their failures, and a main that reports them.
//
//   void adds() { CHECK(1 + 1 == 2); }
//   int main() { RUN(adds); return check::report(); }
//
// A failed check prints its place and goes on; the process's exit code tells ctest.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <exception>
#include <string>

namespace check {

inline std::atomic<int> checks{0};  // atomic: a check may stand inside a parallel loop
inline std::atomic<int> failures{0};

inline void verdict(bool passed, const char* file, int line, const std::string& what) {
  ++checks;
  if (passed) return;
  ++failures;
  std::fprintf(stderr, "%s:%d: %s\n", file, line, what.c_str());
}

/// |got - want| <= tol * max(1, |want|): relative for large numbers, absolute near zero, false for
/// NaN; equal infinities are close.
[[nodiscard]] inline bool close(double got, double want, double tol) {
  return got == want || std::abs(got - want) <= tol * std::max(1.0, std::abs(want));
}

inline void compare(double got, double want, double tol, const char* file, int line,
                    const char* text) {
  char numbers[128];
  std::snprintf(numbers, sizeof numbers, ": got %.17g, want %.17g (tol %g)", got, want, tol);
  verdict(close(got, want, tol), file, line, text + std::string(numbers));
}

/// Runs one test; an exception that leaves it is a failure, and the next test still runs.
template <class F>
void run(const char* name, F&& test) {
  const int before = failures;
  try {
    test();
  } catch (const std::exception& error) {
    verdict(false, name, 0, std::string("left by an exception: ") + error.what());
  } catch (...) {
    verdict(false, name, 0, "left by an exception that is no std::exception");
  }
  std::printf("%s %s\n", failures == before ? "ok  " : "FAIL", name);
}

/// The exit code: zero when at least one check ran and none failed.
[[nodiscard]] inline int report() {
  std::printf("%d checks, %d failed\n", checks.load(), failures.load());
  return failures == 0 && checks > 0 ? 0 : 1;
}

}  // namespace check

#define RUN(test) check::run(#test, test)

#define CHECK(...) \
  check::verdict(static_cast<bool>(__VA_ARGS__), __FILE__, __LINE__, "CHECK(" #__VA_ARGS__ ")")

#define CHECK_CLOSE(got, want, tol) \
  check::compare((got), (want), (tol), __FILE__, __LINE__, "CHECK_CLOSE(" #got ", " #want ")")

/// The expression must throw `type` or something derived from it.
#define CHECK_THROWS(expr, type)                                                                  \
  do {                                                                                            \
    std::string seen = "threw nothing";                                                           \
    bool as_wanted = false;                                                                       \
    try {                                                                                         \
      static_cast<void>(expr);                                                                    \
    } catch (const type&) {                                                                       \
      as_wanted = true;                                                                           \
    } catch (const std::exception& other) {                                                       \
      seen = std::string("threw another kind: ") + other.what();                                  \
    } catch (...) {                                                                               \
      seen = "threw another kind";                                                                \
    }                                                                                             \
    check::verdict(as_wanted, __FILE__, __LINE__, "CHECK_THROWS(" #expr ", " #type "): " + seen); \
  } while (false)
