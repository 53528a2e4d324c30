// Tuple tables: the core contracted with each distinct tuple of N-2 rows, once per pass.
#include "../contract.hpp"

#include <algorithm>

#include "../delta.hpp"

namespace vest {
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

DeltaSource prepare_delta(const ModePlan& plan, const TuckerModel& model, Workspace& ws) {
  Mode axes[kMaxOrder];
  std::ranges::copy(plan.tuple_modes, axes);
  const std::size_t k = plan.tuple_modes.size();
  axes[k] = plan.last;
  axes[k + 1] = plan.mode;
  permute_axes(model.values(0), model.ranks(), {axes, k + 2}, ws.core);
  if (!plan.tabulated) return {plan, model, ws.core.data(), nullptr};

  const std::size_t size = model.rank(plan.last) * model.rank(plan.mode);
  const Cut cut{plan.tuple_count, kTuplesPerChunk};
  ws.team.for_chunks(cut.count(), [&](pos_t chunk, int thread) {
    Scratch scratch = ws.scratch(thread);
    PrefixContraction contract(
        model, plan.tuple_modes, ws.core.data(),
        scratch.take(PrefixContraction::scratch_size(model, plan.tuple_modes)));
    for (pos_t t = cut.begin(chunk); t < cut.end(chunk); ++t) {
      const auto tuple = static_cast<index_t>(t);
      const double* table = contract(plan.coords_of(tuple));
      std::copy_n(table, size, ws.tables.data() + static_cast<std::size_t>(t) * size);
    }
  });
  return {plan, model, ws.core.data(), ws.tables.data()};
}

}  // namespace vest
