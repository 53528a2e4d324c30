// What people and programs read: tables on standard output, JSON in a file.
#pragma once

#include <string>

#include "json.hpp"
#include "machine.hpp"
#include "measure.hpp"

namespace vest::bench {

/// Any number of seconds with a fitting unit.
[[nodiscard]] std::string in_seconds(double seconds);
/// 18000000 as 18,000,000.
[[nodiscard]] std::string in_thousands(pos_t number);

void print(const Machine& machine);
/// The tensor and how it is factored, in one line; the same in JSON.
void print_problem(const Entries& entries, const Options& options, const Run& run);
/// The table of steps.
void print(const Run& run, const Machine& machine);

[[nodiscard]] Json as_json(const Machine& machine);
[[nodiscard]] Json problem_json(const Entries& entries, const Options& options);
[[nodiscard]] Json as_json(const Run& run);

/// Prints and returns the ratio of two runs' times; `other` is the slower or denser one.
[[nodiscard]] Json compare_literal(const Run& run, const Run& literal);
[[nodiscard]] Json compare_sparsity(const Run& sparse, const Run& dense);

}  // namespace vest::bench
