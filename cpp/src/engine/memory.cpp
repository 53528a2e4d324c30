// Adding up what a fit will allocate: mirrors plan.cpp and workspace.cpp.
#include "vest/memory.hpp"

#include <algorithm>
#include <limits>

#include "engine/planning/plan_choice.hpp"
#include "engine/workspace.hpp"
#include "kernels/vectors/outer_sums.hpp"
#include "vest/plan.hpp"

namespace vest {
namespace {

constexpr double kDouble = sizeof(double);
constexpr double kIndex = sizeof(index_t);
constexpr double kBatch = 5.0;          // nodes that wait for their siblings, and their features
constexpr double kPadding = 4.0 / 3.0;  // at most: three pairs in a vector of four

/// The fewest tuples that a choice of the mode contracted last can promise, and the largest table
/// that goes with it.
struct Tuples {
  double count = std::numeric_limits<double>::infinity();
  double table = 0.0;
};

Tuples fewest_tuples(std::span<const pos_t> shape, double entries, std::span<const index_t> ranks,
                     Mode n) {
  Tuples best;
  for (Mode p = 0; p < shape.size(); ++p) {
    if (p == n) continue;
    double cells = 1.0;
    for (Mode q = 0; q < shape.size(); ++q)
      if (q != n && q != p) cells *= static_cast<double>(shape[q]);
    const double count = shape.size() > 3 ? std::min(cells, entries) : cells;
    if (count >= best.count) continue;
    best.count = count;
    best.table = count * ranks[p] * static_cast<double>(padded_rank(ranks[n])) * kDouble;
  }
  return best;
}

}  // namespace

double MemoryEstimate::peak() const { return tensor + model + plan + std::max(sorting, workspace); }

MemoryEstimate estimate_memory(std::span<const pos_t> shape, pos_t nnz,
                               std::span<const index_t> ranks, int threads, Allocation allocation) {
  const auto entries = static_cast<double>(nnz);
  const auto order = static_cast<double>(shape.size());
  const double tuple_modes = order - 2.0;
  const double position = nnz <= pos_t{UINT32_MAX} ? 4.0 : 8.0;
  double core = 1.0;
  double pairs = 1.0;
  double widest = 0.0;
  double elements = 0.0;
  double table = 0.0;
  double all_rows = 0.0;
  pos_t longest = 0;
  const double lowest = *std::ranges::min_element(ranks);
  const auto highest = static_cast<std::size_t>(*std::ranges::max_element(ranks));
  MemoryEstimate bytes;
  bytes.tensor = entries * (order * kIndex + kDouble);
  for (Mode n = 0; n < shape.size(); ++n) {
    const auto rows = static_cast<double>(shape[n]);
    const double rank = ranks[n];
    const Tuples tuples = fewest_tuples(shape, entries, ranks, n);
    core *= rank;
    pairs *= rank * (rank + 1.0) / 2.0;
    widest = std::max(widest, rows * rank);
    elements += rows * rank;
    all_rows += rows;
    longest = std::max(longest, shape[n]);
    table = std::max(table, std::min(tuples.table, table_limit(entries)));
    bytes.model += rows * rank * (kDouble + 1.0);
    bytes.plan += entries * (2.0 * kIndex + kDouble) + rows * kIndex;
    if (tuple_modes > 1.0) bytes.plan += tuples.count * tuple_modes * kIndex;
  }
  bytes.model += core * (kDouble + 1.0);
  const double sorts = std::min<double>(threads, order);
  bytes.sorting =
      sorts * entries * (2.0 * (position + kIndex) + (tuple_modes > 1.0 ? kIndex : 0.0));
  // Responsibilities of those that compete, the core a few times over, tables, a flag per row.
  const double judged =
      allocation == Allocation::kGlobal ? elements + core : std::max(widest, core);
  bytes.workspace = (judged + 6.0 * core) * kDouble + table + all_rows;
  // The last mode's pairs are padded to whole vectors, as is each row of the Gram matrix.
  const double slot = gram_fits(ranks) ? kPadding * pairs + core : 2.0 * core;
  const auto chunks = static_cast<double>(plan_chunks(nnz + longest / 4) + 1);
  const double slots = std::min(static_cast<double>(wanted_slots(slot, nnz)), chunks);
  bytes.workspace += (slots + 1.0) * slot * kDouble;
  // Partial sums of long rows, and each thread's scratch: a batch of sums on the way up the tree.
  bytes.workspace += chunks * static_cast<double>(outer_size(highest)) * kDouble;
  bytes.workspace += threads * kBatch * (slot / lowest + 4.0 * core) * kDouble;
  // Which way the core is swept is decided by counting; until then both may be possible.
  const double by_gram = gram_fits(ranks) ? 2.0 * kPadding * core * core * kDouble : 0.0;
  const double by_blocks = blocks_thinkable(ranks) ? 3.0 * entries * kDouble : 0.0;
  bytes.workspace += std::max(by_gram, by_blocks);
  return bytes;
}

}  // namespace vest
