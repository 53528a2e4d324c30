// Adding up what a fit will allocate. How much that is, plan and workspace are asked.
#include "vest/memory.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "engine/dispatch.hpp"
#include "engine/planning/mode_plan.hpp"
#include "engine/planning/plan_choice.hpp"
#include "vest/model.hpp"
#include "vest/plan.hpp"
#include "workspace/sizes.hpp"
#include "workspace/workspace.hpp"

namespace vest {
namespace {

constexpr double kDouble = sizeof(double);
constexpr double kFarMore = 2.0;          // times as much, for a choice to be ruled out
constexpr double kMostElements = 0x1p53;  // no memory holds such a core, and sizes would overflow

struct Request {
  std::span<const pos_t> shape;
  std::span<const index_t> ranks;
  pos_t entries;
  bool by_runs;

  [[nodiscard]] std::size_t rank(Mode n) const { return static_cast<std::size_t>(ranks[n]); }
  [[nodiscard]] double dim(Mode n) const { return static_cast<double>(shape[n]); }
};

/// The fewest tuples that a choice of the mode contracted last can promise for mode n, and the
/// doubles of the tables that go with it.
struct Tuples {
  double count = std::numeric_limits<double>::infinity();
  double tables = 0.0;
};

Tuples fewest_tuples(const Request& request, Mode n) {
  const std::size_t order = request.shape.size();
  Tuples best;
  for (Mode p = 0; p < order; ++p) {
    if (p == n) continue;
    double cells = 1.0;
    for (Mode q = 0; q < order; ++q)
      if (q != n && q != p) cells *= request.dim(q);
    const double count = order > 3 ? std::min(cells, static_cast<double>(request.entries)) : cells;
    if (count >= best.count) continue;
    best.count = count;
    best.tables = count * static_cast<double>(table_size(request.rank(p), request.rank(n)));
  }
  return best;
}

/// The choices for mode n if mode p is contracted last, without entries. The other modes by rank:
/// in that order the partial products that are kept are largest.
ModePlan sketch_mode(const Request& request, Mode n, Mode p) {
  ModePlan mode;
  mode.mode = n;
  mode.by_runs = request.by_runs;
  mode.tabulated = !request.by_runs;
  mode.last = p;
  for (Mode q = 0; q < request.ranks.size(); ++q)
    if (q != n && q != p) mode.tuple_modes.push_back(q);
  std::ranges::stable_sort(mode.tuple_modes, {}, [&](Mode q) { return request.ranks[q]; });
  const double limit = table_limit(static_cast<double>(request.entries)) / kDouble;
  const double tables = std::min(fewest_tuples(request, n).tables, limit);
  mode.tuple_count = static_cast<pos_t>(tables / static_cast<double>(table_size(request.rank(p),
                                                                                request.rank(n)))) +
                     1;
  return mode;
}

/// A plan in which every mode that can be is contracted with mode `last` last.
Plan sketch_plan(const Request& request, Mode last, CoreStrategy strategy) {
  const std::size_t order = request.ranks.size();
  Plan plan;
  plan.ranks.assign(request.ranks.begin(), request.ranks.end());
  plan.core = {strategy, last == 0 ? Mode{1} : Mode{0}, most_trailing(request.ranks)};
  for (Mode n = 0; n < order; ++n) {
    const Mode other = last == 0 ? order - 1 : Mode{0};
    plan.modes.push_back(sketch_mode(request, n, n == last ? other : last));
    const bool root = n != last && request.ranks[n] < request.ranks[plan.core.mode];
    if (root) plan.core.mode = n;  // the lowest rank: what is kept below it is largest
  }
  return plan;
}

/// The largest workspace that any plan of a strategy can ask for.
double most_workspace(const Request& request, CoreStrategy strategy, WorkspaceCounts counts) {
  double most = 0.0;
  for (Mode last = 0; last < request.ranks.size(); ++last) {
    const Plan plan = sketch_plan(request, last, strategy);
    for (const ModePlan& mode : plan.modes)
      if (mode.tabulated) counts.tuples = std::max(counts.tuples, mode.tuple_count);
    const WorkspaceSizes sizes = kernels_for().workspace_sizes(plan);
    most = std::max(most, workspace_bytes(sizes, counts, strategy));
  }
  return most;
}

}  // namespace

double MemoryEstimate::peak() const { return tensor + model + plan + std::max(sorting, workspace); }

MemoryEstimate estimate_memory(std::span<const pos_t> shape, pos_t nnz,
                               std::span<const index_t> ranks, int threads, Allocation allocation,
                               MemoryNeeds needs) {
  if (shape.size() < 2) throw std::invalid_argument("a tensor has two modes or more");
  check_ranks(ranks, shape.size());
  const Request request{shape, ranks, nnz, needs.sparse_core};
  const auto entries = static_cast<double>(nnz);
  const auto order = static_cast<double>(shape.size());
  const std::size_t tuple_modes = shape.size() - 2;
  double core = 1.0;
  double largest = 0.0;
  double elements = 0.0;
  MemoryEstimate bytes;
  WorkspaceCounts counts{.entries = nnz, .threads = threads};
  bytes.tensor = entries * (order * sizeof(index_t) + (needs.weighted ? 2.0 : 1.0) * kDouble);
  for (Mode n = 0; n < shape.size(); ++n) {
    const double size = request.dim(n) * ranks[n];
    core *= ranks[n];
    largest = std::max(largest, size);
    elements += size;
    counts.rows += shape[n];
    bytes.plan += plan_bytes(entries, request.dim(n), fewest_tuples(request, n).count, tuple_modes,
                             needs.weighted);
  }
  largest = std::max(largest, core);
  elements += core;
  bytes.model = elements * ((needs.noise ? 2.0 : 1.0) * kDouble + sizeof(Mark));
  bytes.sorting = std::min<double>(threads, order) * sort_bytes(nnz, tuple_modes);
  // Responsibilities of the elements that compete with each other.
  bytes.workspace = (allocation == Allocation::kGlobal ? elements : largest) * kDouble;
  if (core > kMostElements) return bytes;
  counts.elements = static_cast<pos_t>(core);
  counts.chunks = plan_chunks(nnz + *std::ranges::max_element(shape) / 4) + 1;
  counts.core_chunks = counts.pieces = counts.chunks;
  // Which way the core is swept is decided by counting; until then both may be possible, unless one
  // of them costs far less.
  counts.denominators = needs.noise && !needs.sparse_core;
  if (needs.sparse_core) {
    bytes.workspace += most_workspace(request, CoreStrategy::kRuns, counts);
    return bytes;
  }
  double sweep = 0.0;
  const RoughCosts costs = rough_costs(shape, nnz, ranks);
  const bool by_gram = gram_fits(ranks) && costs.gram < kFarMore * costs.blocks;
  if (by_gram) sweep = most_workspace(request, CoreStrategy::kGram, counts);
  if (!by_gram || (blocks_thinkable(ranks) && costs.blocks < kFarMore * costs.gram))
    sweep = std::max(sweep, most_workspace(request, CoreStrategy::kBlocks, counts));
  bytes.workspace += sweep;
  return bytes;
}

}  // namespace vest
