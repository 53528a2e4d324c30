// Tuple tables: the core contracted with each distinct tuple of N-2 rows, once per pass.
#include "../contract.hpp"

#include <algorithm>

#include "../delta.hpp"

namespace vest::inline VEST_ISA {
namespace {

constexpr pos_t kTuplesPerChunk = 256;  // neighbours share prefixes, so chunks are runs

}  // namespace

void permute_axes(std::span<const double> in, std::span<const index_t> dims,
                  std::span<const Mode> axes, std::span<double> out) {
  const std::size_t order = dims.size();
  std::size_t stride[kMaxOrder];
  std::size_t step = 1;
  for (Mode n = order; n-- > 0;) {
    stride[n] = step;
    step *= static_cast<std::size_t>(dims[n]);
  }
  index_t at[kMaxOrder] = {};
  std::size_t from = 0;
  for (double& element : out) {
    element = in[from];
    for (std::size_t k = order; k-- > 0;) {  // odometer over the axes as they are written
      const Mode n = axes[k];
      from += stride[n];
      if (++at[k] < dims[n]) break;
      from -= stride[n] * static_cast<std::size_t>(dims[n]);
      at[k] = 0;
    }
  }
}

namespace {

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
  const std::size_t size = source.last_rank() * padded_rank(source.rank());
  const Cut cut{plan.tuple_count, kTuplesPerChunk};
  ws.team.for_chunks(
      cut.count(),
      [&](pos_t chunk, int thread) {
        Scratch scratch = ws.scratch(thread);
        PrefixContraction contract(source.model, plan.tuple_modes, source.core, scratch);
        for (pos_t t = cut.begin(chunk); t < cut.end(chunk); ++t) {
          const auto tuple = static_cast<index_t>(t);
          const double* table = contract(plan.coords_of(tuple));
          std::copy_n(table, size, ws.tables.data() + static_cast<std::size_t>(t) * size);
        }
      },
      4);
}

}  // namespace

DeltaSource prepare_delta(const ModePlan& plan, const TuckerModel& model, Workspace& ws) {
  const DeltaSource source{plan,
                           model,
                           {ws.core.data(), padded_core_size(plan, model)},
                           plan.tabulated ? ws.tables.data() : nullptr};
  if (ws.prepared == &plan) return source;
  ws.prepared = nullptr;  // an interrupt may leave the tables half filled
  Mode axes[kMaxOrder];
  std::ranges::copy(plan.tuple_modes, axes);
  const std::size_t order = model.order();
  axes[order - 2] = plan.last;
  axes[order - 1] = plan.mode;
  const std::size_t size = model.core().n_elem;
  permute_axes(model.values(0), model.ranks(), {axes, order}, {ws.core.data(), size});
  pad_rows(source.rank(), padded_rank(source.rank()), size / source.rank(), ws.core.data());
  if (plan.tabulated) fill_tables(source, ws);
  ws.prepared = &plan;
  return source;
}

}  // namespace vest::inline VEST_ISA
