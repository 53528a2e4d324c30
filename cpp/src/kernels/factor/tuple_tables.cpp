// Tuple tables: the core contracted with each distinct tuple of N-2 rows, once per pass.
#include "kernels/factor/tuple_tables.hpp"

#include <algorithm>

#include "kernels/factor/contract.hpp"
#include "kernels/vectors/copy_strided.hpp"

namespace vest::inline VEST_ISA {
namespace {

constexpr pos_t kTuplesPerChunk = 256;  // neighbours share prefixes, so chunks are runs

/// Moves rows of `rank` apart to `stride`, zeros between them, from the last one down.
void pad_rows(std::size_t rank, std::size_t stride, std::size_t rows, double* memory) {
  if (stride == rank) return;
  for (std::size_t row = rows; row-- > 0;) {
    std::copy_backward(memory + row * rank, memory + (row + 1) * rank,
                       memory + row * stride + rank);
    std::fill(memory + row * stride + rank, memory + (row + 1) * stride, 0.0);
  }
}

void fill_tables(const DeltaSource& source, Workspace& ws) {
  const ModePlan& plan = source.plan;
  const std::size_t size = table_size(source.last_rank(), source.rank());
  const Cut cut{plan.tuple_count, kTuplesPerChunk};
  ws.team.for_chunks(
      cut.count(),
      [&](pos_t chunk, int thread) {
        Scratch scratch = ws.scratch(thread);
        PrefixContraction contract(source.model, plan.tuple_modes, source.core, scratch);
        for (pos_t t = cut.begin(chunk); t < cut.end(chunk); ++t) {
          const auto tuple = static_cast<index_t>(t);
          const auto coords = plan.coords_of(tuple);
          const bool zero = source.skips && any_empty(ws.empty, plan.tuple_modes, coords);
          ws.pass.zero[static_cast<std::size_t>(t)] = zero;
          if (zero) continue;
          double* const table = ws.pass.tables.data() + static_cast<std::size_t>(t) * size;
          if (coords.empty())
            std::ranges::copy(source.core, table);
          else
            contract.into(coords, table);
        }
      },
      worthwhile_chunks(static_cast<double>(kTuplesPerChunk) *
                        static_cast<double>(source.core.size())));
}

}  // namespace

DeltaSource prepare_delta(const ModePlan& plan, const TuckerModel& model, Workspace& ws) {
  FactorPass& pass = ws.pass;
  if (plan.by_runs) ws.runs.update(model, plan.ones);
  ws.empty.update(model, ws.team);
  const DeltaSource source{
      .plan = plan,
      .model = model,
      .core = {pass.core.data(), padded_core_size(model.values(0).size(), model.rank(plan.mode))},
      .tables = plan.tabulated ? pass.tables.data() : nullptr,
      .zero = plan.tabulated ? pass.zero.data() : nullptr,
      .empty = ws.empty,
      .skips = ws.empty.worth_skipping(plan.mode),
      .runs = plan.by_runs ? &ws.runs.of(plan.mode) : nullptr};
  if (plan.by_runs) return source;
  // The tables hold no row of the mode itself, so they stay right while its rows change.
  if (pass.prepared == &plan && pass.stamp.fits(model, plan.mode + 1)) return source;
  pass.prepared = nullptr;  // an interrupt may leave the tables half filled
  const std::size_t order = model.order();
  const std::size_t size = model.values(0).size();
  Mode axes[kMaxOrder];
  std::ranges::copy(plan.tuple_modes, axes);
  axes[order - 2] = plan.last;
  axes[order - 1] = plan.mode;
  index_t dims[kMaxOrder];
  std::size_t strides[kMaxOrder];
  for (std::size_t k = 0; k < order; ++k) {
    dims[k] = model.ranks()[axes[k]];
    strides[k] = model.core_stride(axes[k]);
  }
  copy_strided(model.values(0), {dims, order}, {strides, order}, {pass.core.data(), size});
  pad_rows(source.rank(), padded_rank(source.rank()), size / source.rank(), pass.core.data());
  if (plan.tabulated) fill_tables(source, ws);
  pass.prepared = &plan;
  pass.stamp.set(model);
  return source;
}

}  // namespace vest::inline VEST_ISA
