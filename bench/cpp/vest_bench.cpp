// vest_bench: how long the steps of one iteration take, beside what the machine could do.
#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "cases.hpp"
#include "options.hpp"
#include "report.hpp"
#include "series.hpp"

namespace vest::bench {
namespace {

void print_cases() {
  for (const Case& one : cases())
    std::printf("%-14s %s\n               %s\n", one.name, one.meaning, one.arguments);
}

/// One tensor: its steps, and what it is compared with.
Json run_one(const Options& options, const Machine& machine) {
  const Entries entries = options.file.empty() ? draw(options.spec) : read_tns(options.file);
  const Run run = run_solver(entries, options);
  print_problem(entries, options, run);
  print(run, machine);
  Json json;
  json.add("problem", problem_json(entries, options)).add("result", as_json(run));
  if (options.compare == Compare::kLiteral) {
    std::printf("  the paper's loops are running\n");
    json.add("compare", compare_literal(run, run_literal(entries, options)));
  }
  if (options.compare == Compare::kSparsity) {
    Options dense = options;
    dense.sparsity = 0.0;
    json.add("compare", compare_sparsity(run, run_solver(entries, dense)));
  }
  return json;
}

void run(const Options& options) {
  const Machine machine = measure_machine(options.threads);
  print(machine);
  Json json;
  json.add("case", options.name).add("machine", as_json(machine));
  if (options.series == Series::kNone)
    json.add("run", run_one(options, machine));
  else
    json.add("series", run_series(options));
  if (options.json.empty()) return;
  std::ofstream file(options.json);
  file << json.str() << '\n';
  if (!file.flush()) throw std::runtime_error("cannot write " + options.json);
}

}  // namespace
}  // namespace vest::bench

int main(int argc, char** argv) try {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // lines appear as they are known, also in a pipe
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const vest::bench::Options options = vest::bench::parse(arguments);
  if (options.help)
    std::printf("%s", vest::bench::help().c_str());
  else if (options.list)
    vest::bench::print_cases();
  else
    vest::bench::run(options);
} catch (const std::exception& error) {
  std::fprintf(stderr, "vest_bench: %s\n", error.what());
  return 1;
}
