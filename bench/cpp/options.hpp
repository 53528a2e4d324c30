// What vest_bench was asked to do.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tensors.hpp"
#include "vest/penalty.hpp"
#include "vest/plan.hpp"

namespace vest::bench {

enum class Compare { kNothing, kLiteral, kSparsity };
enum class Series { kNone, kOrder, kDimension, kEntries, kThreads, kBusy };

struct Options {
  std::string name = "custom";  ///< Of the case, for the report.
  std::string file;             ///< Read this tensor; empty: draw one by `spec`.
  TensorSpec spec;
  std::vector<index_t> ranks{3};
  PenaltyKind kind =
      PenaltyKind::kFrobenius;  ///< It makes no zeros of its own, which would cost less.
  double lam = 5.0;  ///< Before it is scaled by entries over elements, as a fit does by default.
  double sparsity = 0.0;
  int threads = 0;
  std::string isa;  ///< Which build of the kernels; empty: the best for this processor.
  PlanOverrides plan;
  bool pairs = false;  ///< A sparse core: mean, biases and diagonals that join two modes each.
  int iterations = 0;  ///< How many to time; 0: as many as fit in `seconds`, 3 at least.
  double seconds = 2.0;
  Compare compare = Compare::kNothing;
  int literal_iterations = 1;
  Series series = Series::kNone;
  double max = 1e7;  ///< Where the series over dimension and entries end.
  std::string json;
  bool help = false;
  bool list = false;
};

/// Throws std::invalid_argument naming the argument that it does not understand.
[[nodiscard]] Options parse(std::span<const std::string> arguments);

/// The text of --help.
[[nodiscard]] std::string help();

}  // namespace vest::bench
