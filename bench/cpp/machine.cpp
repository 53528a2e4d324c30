// Bandwidth by STREAM's triad, multiply-adds by chains of them in registers, memory from /proc.
#include "machine.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <armadillo>
#include <fstream>
#include <vector>

#include "timing.hpp"
#include "vest/parallel.hpp"

namespace vest::bench {
namespace {

/// a = b + s c over arrays that no cache holds.
double triad_gbytes(const Team& team) {
  constexpr std::size_t kSize = std::size_t{1} << 24;  // 128 MiB each
  const Cut cut{static_cast<pos_t>(kSize), static_cast<pos_t>(kSize) / team.threads() + 1};
  arma::vec a(kSize, arma::fill::none), b(kSize, arma::fill::none), c(kSize, arma::fill::none);
  const auto over_all = [&](auto&& body) {
    team.for_chunks(cut.count(), [&](pos_t chunk, int) {
      const auto end = static_cast<std::size_t>(cut.end(chunk));
      for (auto i = static_cast<std::size_t>(cut.begin(chunk)); i < end; ++i) body(i);
    });
  };
  double* const to = a.memptr();
  double* const x = b.memptr();
  double* const y = c.memptr();
  over_all([=](std::size_t i) {  // the thread that reads a page later touches it first
    to[i] = 0.0;
    x[i] = 1.0;
    y[i] = 2.0;
  });
  const double best =
      best_time_of(8, [&] { over_all([=](std::size_t i) { to[i] = x[i] + 3.0 * y[i]; }); });
  return 24.0 * static_cast<double>(kSize) / best * 1e-9;
}

// Twelve chains hide the latency of a multiply-add and fit in sixteen registers; they start apart,
// or the compiler would see that they are one. A macro, because a vector type is lowered for the
// instructions of the function it is written in.
#define VEST_CHAINS(name, bytes, attributes)                      \
  attributes double name(pos_t rounds) {                          \
    typedef double Vector __attribute__((vector_size(bytes)));    \
    Vector sum[12];                                               \
    double start = 0.0;                                           \
    for (Vector& chain : sum) chain = Vector{} + (start += 0.01); \
    const Vector factor = Vector{} + 0.999;                       \
    const Vector term = Vector{} + 0.001;                         \
    for (pos_t i = 0; i < rounds; ++i)                            \
      for (Vector& chain : sum) chain = chain * factor + term;    \
    double total = 0.0;                                           \
    for (const Vector& chain : sum) total += chain[0];            \
    return total;                                                 \
  }

VEST_CHAINS(baseline_chains, 16, )
#ifdef __x86_64__
VEST_CHAINS(avx2_chains, 32, __attribute__((target("avx2,fma"))))
VEST_CHAINS(avx512_chains, 64, __attribute__((target("avx512f"))))
#endif
#undef VEST_CHAINS

struct Chains {
  const char* instructions;
  int lanes;
  double (*run)(pos_t rounds);
};

Chains best_chains() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f")) return {"AVX-512", 8, avx512_chains};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return {"AVX2 and FMA", 4, avx2_chains};
#endif
  return {"baseline", 2, baseline_chains};
}

double peak_gflops(const Team& team, const Chains& chains) {
  constexpr pos_t kRounds = 5'000'000;
  std::vector<double> kept(static_cast<std::size_t>(team.threads()));
  const double best = best_time_of(5, [&] {
    team.for_chunks(team.threads(), [&](pos_t chunk, int) {
      kept[static_cast<std::size_t>(chunk)] = chains.run(kRounds);
    });
  });
  // The results are looked at, so that they are computed.
  const bool sane = std::ranges::all_of(kept, [](double sum) { return sum > 0.0; });
  const double operations = 2.0 * 12 * chains.lanes * static_cast<double>(kRounds);
  return sane ? operations * team.threads() / best * 1e-9 : 0.0;
}

std::string field_of(const char* file, const std::string& name) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);)
    if (line.starts_with(name)) {
      const std::size_t colon = line.find(':');
      const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
      return begin == std::string::npos ? "" : line.substr(begin);
    }
  return "";
}

}  // namespace

Machine measure_machine(int threads) {
  const Team team(threads);
  const Chains chains = best_chains();
  Machine machine;
  machine.cpu = field_of("/proc/cpuinfo", "model name");
  if (machine.cpu.empty()) machine.cpu = "unknown";
  machine.threads = team.threads();
  machine.instructions = chains.instructions;
  machine.gflops = peak_gflops(team, chains);
  machine.gbytes = triad_gbytes(team);
  return machine;
}

std::string compiler() { return VEST_COMPILER; }
std::string flags() { return VEST_FLAGS; }
std::string version() { return VEST_VERSION; }

pos_t peak_memory() {
  if (const std::string kilobytes = field_of("/proc/self/status", "VmHWM"); !kilobytes.empty())
    return std::stoll(kilobytes) * 1024;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
#ifdef __APPLE__
  return usage.ru_maxrss;
#else
  return static_cast<pos_t>(usage.ru_maxrss) * 1024;
#endif
}

void reset_peak_memory() { std::ofstream("/proc/self/clear_refs") << "5"; }

}  // namespace vest::bench
