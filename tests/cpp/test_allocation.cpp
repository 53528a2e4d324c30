// An iteration allocates nothing: every call for memory in this executable is counted.
#include <armadillo>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>

#include "problem.hpp"
#include "sanitizers.hpp"
#include "vest/solver.hpp"

namespace {

std::atomic<long> allocations{0};

}  // namespace

// Armadillo asks posix_memalign, the standard library operator new and through it malloc. With
// glibc we stand in for them all. A sanitizer does so already, and two of them cannot: it tells us
// of each call, the thread sanitizer of those of malloc alone. Elsewhere operator new is counted.
// (memalign is not: OpenMP's runtime asks it for its own needs.)
#if defined(UNDER_ADDRESS_SANITIZER) || defined(__GLIBC__) && !defined(UNDER_THREAD_SANITIZER)
#define COUNTS_MEMALIGN
#endif
#if defined(UNDER_ADDRESS_SANITIZER) || defined(UNDER_THREAD_SANITIZER)
// Of <sanitizer/allocator_interface.h>, which not every compiler comes with.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*malloc_hook)(const volatile void*,
                                                                             std::size_t),
                                                         void (*free_hook)(const volatile void*));
namespace {
[[maybe_unused]] const int hooked = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, std::size_t) { ++allocations; }, [](const volatile void*) {});
}  // namespace
#elif defined(__GLIBC__)
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) noexcept {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) noexcept {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) noexcept {
  ++allocations;
  return __libc_realloc(old, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  ++allocations;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** out, std::size_t alignment, std::size_t size) noexcept {
  ++allocations;
  *out = __libc_memalign(alignment, size);
  return *out == nullptr ? ENOMEM : 0;
}
}
#else
void* operator new(std::size_t size) {
  ++allocations;
  if (void* got = std::malloc(size)) return got;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif

using namespace vest;

namespace {

double iterate(Solver& solver, const std::vector<pos_t>& counts) {
  for (Mode n = 0; n < solver.model().order(); ++n) solver.update_factor(n);
  solver.update_core();
  const double error = solver.error(true);  // the first one allocates the responsibilities
  solver.prune(counts);
  return error;
}

template <class Body>
long count_allocations(Body&& body) {
  const long before = allocations;
  body();
  return allocations - before;
}

/// The counter counts: what the test below relies on.
void allocations_are_counted() {
  std::vector<double> by_new;
  CHECK(count_allocations([&] { by_new.resize(100); }) == 1);
#ifdef COUNTS_MEMALIGN
  arma::vec by_memalign;
  CHECK(count_allocations([&] { by_memalign.set_size(1000); }) == 1);
#endif
}

void the_second_iteration_allocates_nothing(const test::Problem& problem) {
  using Force = PlanOverrides::Force;
  using Core = PlanOverrides::Core;
  const std::vector<pos_t> none(problem.model.parts(), 0);
  std::vector<pos_t> some = none;
  for (std::size_t part = 0; part < some.size(); ++part)
    some[part] =
        (std::ssize(problem.model.marks(part)) - test::count_pruned(problem.model, part)) / 4;
  for (const PenaltyKind kind : test::kKinds)
    for (const Force tables : {Force::kTables, Force::kOnTheFly})
      for (const Core core : {Core::kGram, Core::kBlocks}) {
        SolverOptions options;
        options.kind = kind;
        options.lambda = test::kLambda;
        options.threads = 1;
        options.stop = [] { return false; };
        options.plan = {tables, core};
        Solver solver(problem.tensor(), problem.model, options);
        iterate(solver, none);
        double error = 0.0;
        CHECK(count_allocations([&] { error = iterate(solver, some); }) == 0);
        CHECK(error > 0.0);
      }
}

}  // namespace

int main() {
  RUN(allocations_are_counted);
  test::for_cases("second iteration", the_second_iteration_allocates_nothing);
  return check::report();
}
