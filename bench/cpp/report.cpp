// Laying out figures; nothing is computed here but rates and ratios.
#include "report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace vest::bench {
namespace {

constexpr double kGiga = 1e9;
constexpr double kMebi = 1024.0 * 1024.0;

template <class T>
std::string join(const std::vector<T>& numbers, const char* between) {
  std::string text;
  for (const T number : numbers) {
    if (!text.empty()) text += between;
    text += in_thousands(static_cast<pos_t>(number));
  }
  return text;
}

const char* name_of(PenaltyKind kind) {
  if (kind == PenaltyKind::kNoise) return "noise";
  return kind == PenaltyKind::kL1 ? "l1" : "lf";
}

double gflops(const Work& work, double seconds) {
  return 2.0 * work.multiply_adds / seconds / kGiga;
}

double gbytes(const Work& work, double seconds) { return work.bytes / seconds / kGiga; }

void print_step(const char* name, double seconds, const Work& work, const Machine& machine) {
  const double rate = gflops(work, seconds);
  const double stream = gbytes(work, seconds);
  std::printf("  %-12s %12s %9.2f GFLOP/s %3.0f %% %9.2f GB/s %3.0f %%\n", name,
              in_seconds(seconds).c_str(), rate, 100.0 * rate / machine.gflops, stream,
              100.0 * stream / machine.gbytes);
}

Json step_json(double seconds, const Work& work) {
  return Json()
      .add("seconds", seconds)
      .add("multiply_adds", work.multiply_adds)
      .add("bytes", work.bytes)
      .add("gflops", gflops(work, seconds))
      .add("gbytes_per_second", gbytes(work, seconds));
}

}  // namespace

std::string in_seconds(double seconds) {
  char text[32];
  if (seconds < 1e-3)
    std::snprintf(text, sizeof text, "%.3g us", 1e6 * seconds);
  else if (seconds < 1.0)
    std::snprintf(text, sizeof text, "%.3g ms", 1e3 * seconds);
  else
    std::snprintf(text, sizeof text, "%.3f s", seconds);
  return text;
}

std::string in_thousands(pos_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

void print(const Machine& machine) {
  std::printf("vest-tucker %s, %s, flags %s\n", version().c_str(), compiler().c_str(),
              flags().c_str());
  std::printf("%s, %d thread%s: %.1f GFLOP/s (%s), %.1f GB/s (triad)\n\n", machine.cpu.c_str(),
              machine.threads, machine.threads == 1 ? "" : "s", machine.gflops,
              machine.instructions.c_str(), machine.gbytes);
}

void print_problem(const Entries& entries, const Options& options, const Run& run) {
  std::printf("%s: %s, %s entries, ranks %s, loss %s, lam %g (%.4g scaled), sparsity %g\n",
              options.name.c_str(), join(entries.shape, " x ").c_str(),
              in_thousands(entries.nnz()).c_str(),
              join(full_ranks(options.ranks, entries.order()), " x ").c_str(),
              name_of(options.kind), options.lam, run.lam, options.sparsity);
}

void print(const Run& run, const Machine& machine) {
  const Iteration& best = run.best();
  std::printf("  %d thread%s, kernels for %s; %s\n", run.threads, run.threads == 1 ? "" : "s",
              run.isa.c_str(), run.choices.c_str());
  std::printf("  %-12s %12s %29s %19s\n", "plan", in_seconds(run.plan).c_str(), "of the peak",
              "of the triad");
  print_step("factors", best.factors, run.work.factors, machine);
  print_step("core", best.core, run.work.core, machine);
  print_step("error", best.error, run.work.error, machine);
  print_step("prune", best.prune, run.work.prune, machine);
  if (run.responsibilities > 0.0)
    std::printf("  responsibilities %s\n", in_seconds(run.responsibilities).c_str());
  print_step("iteration", best.total(), run.work.total(), machine);
  std::printf("  best of %zd, median %s; peak memory %.0f MiB, RE %.6f, zeros %.1f %%\n\n",
              run.iterations.size(), in_seconds(run.median_total()).c_str(),
              static_cast<double>(run.peak_memory) / kMebi, run.errors.back(), 100.0 * run.zeros);
}

Json as_json(const Machine& machine) {
  return Json()
      .add("cpu", machine.cpu)
      .add("threads", machine.threads)
      .add("instructions", machine.instructions)
      .add("peak_gflops", machine.gflops)
      .add("triad_gbytes_per_second", machine.gbytes)
      .add("compiler", compiler())
      .add("flags", flags())
      .add("version", version());
}

Json problem_json(const Entries& entries, const Options& options) {
  return Json()
      .add("shape", entries.shape)
      .add("entries", entries.nnz())
      .add("ranks", full_ranks(options.ranks, entries.order()))
      .add("loss", name_of(options.kind))
      .add("lam", options.lam)
      .add("sparsity", options.sparsity)
      .add("seed", options.spec.seed);
}

Json as_json(const Run& run) {
  const Iteration& best = run.best();
  std::vector<double> totals;
  for (const Iteration& one : run.iterations) totals.push_back(one.total());
  Json json;
  json.add("threads", run.threads).add("lam_scaled", run.lam);
  if (run.work.total().bytes > 0.0)  // the solver's: the paper's loops have no plan
    json.add("isa", run.isa)
        .add("choices", run.choices)
        .add("plan", run.plan)
        .add("factors", step_json(best.factors, run.work.factors))
        .add("core", step_json(best.core, run.work.core))
        .add("error", step_json(best.error, run.work.error))
        .add("prune", step_json(best.prune, run.work.prune))
        .add("responsibilities", run.responsibilities)
        .add("iteration", step_json(best.total(), run.work.total()))
        .add("peak_memory", run.peak_memory)
        .add("fingerprint", std::to_string(run.fingerprint));
  return json.add("best", best.total())
      .add("median", run.median_total())
      .add("totals", totals)
      .add("errors", run.errors)
      .add("zeros", run.zeros);
}

Json compare_literal(const Run& run, const Run& literal) {
  const double ratio = literal.best().total() / run.best().total();
  double apart = 0.0;
  const std::size_t common = std::min(run.errors.size(), literal.errors.size());
  for (std::size_t t = 0; t < common; ++t)
    apart = std::max(apart, std::abs(run.errors[t] - literal.errors[t]) / literal.errors[t]);
  const bool agree = apart < 1e-9;
  std::printf("  the paper's loops: %s per iteration (factors %s, core %s, error %s, prune %s)\n",
              in_seconds(literal.best().total()).c_str(),
              in_seconds(literal.best().factors).c_str(), in_seconds(literal.best().core).c_str(),
              in_seconds(literal.best().error).c_str(), in_seconds(literal.best().prune).c_str());
  std::printf("  ratio %.0f; RE of %zu iterations %s, %.1e apart at most\n\n", ratio, common,
              agree ? "agrees" : "DOES NOT AGREE", apart);
  return Json()
      .add("with", "literal")
      .add("other", as_json(literal))
      .add("ratio", ratio)
      .add("errors_agree", agree)
      .add("errors_apart", apart);
}

Json compare_sparsity(const Run& sparse, const Run& dense) {
  const double total = sparse.best().total() / dense.best().total();
  const double updates = sparse.best().updates() / dense.best().updates();
  std::printf("  at sparsity 0: %s per iteration, %s without pruning\n",
              in_seconds(dense.best().total()).c_str(), in_seconds(dense.best().updates()).c_str());
  std::printf("  the sparse one takes %.2f of that, %.2f without pruning\n\n", total, updates);
  return Json()
      .add("with", "sparsity 0")
      .add("other", as_json(dense))
      .add("share_of_time", total)
      .add("share_of_time_without_pruning", updates);
}

}  // namespace vest::bench
