// The core sweep on the Gram matrix K = sum phi phi^T of all core features, phi their values at an
// entry: one pass over the data sums K and sum x phi, then the Gauss-Seidel steps need no data.
//
// phi is an outer product of rows, so an element of K is a product over modes of a_j a_k: only
// J(J+1)/2 different pairs per mode. K is summed in that form and spread out before the sweep
// (gram_layout.cpp).
#include "kernels/core/gram/core_gram.hpp"

#include <algorithm>
#include <concepts>

#include "kernels/core/fiber_sum.hpp"
#include "kernels/core/gram/gram.hpp"
#include "kernels/core/gram/gram_layout.hpp"
#include "kernels/core/sweep_block.hpp"
#include "kernels/vectors/components.hpp"
#include "workspace/lookahead.hpp"

namespace vest::inline VEST_ISA {
namespace {

[[nodiscard]] constexpr std::size_t at(std::integral auto position) {
  return static_cast<std::size_t>(position);
}

/// The sums over the entries: pairs, then sum x phi, both with the path's axes. J: the rank of the
/// last mode, whose pairs are all that is summed per entry.
template <int J>
void sum_features(const ModePlan& plan, const Path& path, const TuckerModel& model, Workspace& ws) {
  using Pairs = FiberSum<Feature::kPairs>;
  using Values = FiberSum<Feature::kValues>;
  const std::size_t pairs = Pairs::total_size(model.ranks(), path);
  const std::size_t rank = model.rank(plan.last);
  const index_t* last_index = plan.last_index.data();
  const double* value = plan.value.data();
  const double* roots = plan.roots();
  const bool skips = ws.empty.worth_skipping(model.order());
  // Where tuples hardly repeat, their rows are to be asked for too; empty rows are read as well.
  const Lookahead lookahead(plan, model, ws.empty, false, !plan.tabulated);
  sum_over_slots(
      ws.slots, {CoreSumKind::kGram}, plan.chunks, pairs + Values::total_size(model.ranks(), path),
      ws.team, [&](double* column, std::span<const Chunk> chunks, int thread) {
        Scratch scratch = ws.scratch(thread);
        const Row<J> any(rank, scratch);
        const Row<J> gathered(rank, scratch);
        Pairs ff(model, path, column, scratch);
        Values xf(model, path, column + pairs, scratch);
        walk_tree(
            plan, chunks,
            [&](index_t root, pos_t begin, pos_t end) {
              const auto coords = plan.coords_of(plan.tuple[at(begin)]);
              if (skips &&
                  (ws.empty[plan.mode][at(root)] || any_empty(ws.empty, plan.tuple_modes, coords)))
                return;  // its features are zero: nothing to add
              double* const pair = ff.leaf();
              double* const single = xf.leaf();
              for (pos_t e = begin; e < end; ++e) {
                lookahead.at(e);
                Row<J> row = any;
                row.load(model.row(plan.last, last_index[e]));
                if (roots != nullptr) row.scale(roots[e]);
                add_pairs(row, pair);
                Row<J> sum = gathered;
                sum.load_padded(single);
                sum.add(value[e], row);
                sum.store_padded(single);
              }
            },
            [&](std::size_t depth, index_t index) {
              ff.end(depth, index);
              xf.end(depth, index);
            });
        ff.finish();
        xf.finish();
      });
}

/// Blocks one after the other. What a run of blocks has changed is told to all blocks after the run
/// at once, in parallel; within the run each block asks for itself.
template <class Steps>
void sweep(const GramLayout& layout, const Gram& gram, const Steps& step, const TuckerModel& model,
           Workspace& ws, double* core) {
  const std::size_t size = layout.block;
  const std::size_t run = layout.leading == 0 ? 1 : layout.lead_size / model.rank(0);
  double* left = ws.gradient.data();
  double* change = ws.gram.change.data();
  gram.explain();
  for (std::size_t begin = 0; begin < layout.lead_size; begin += run) {
    const std::size_t end = begin + run;
    for (std::size_t block = begin; block < end; ++block) {
      ws.team.checkpoint();
      gram.subtract(block, begin, block, change, left + block * size);
      std::copy_n(core + block * size, size, change + block * size);
      sweep_block(step.from(block * size), gram.diagonal(block), size, layout.stride,
                  model.marks(0).data() + block * size, left + block * size, core + block * size);
      for (std::size_t i = block * size; i < (block + 1) * size; ++i)
        change[i] = core[i] - change[i];
    }
    ws.team.for_chunks(
        static_cast<pos_t>(layout.lead_size - end),
        [&](pos_t b, int) {
          const std::size_t block = end + static_cast<std::size_t>(b);
          gram.subtract(block, begin, end, change, left + block * size);
        },
        16);
  }
}

}  // namespace

void sum_pairs(const Plan& plan, const TuckerModel& model, Workspace& ws) {
  ws.empty.update(model, ws.team);
  const ModePlan& mode = plan.modes[plan.core.mode];
  with_rank(model.rank(mode.last), [&]<int J>() { sum_features<J>(mode, Path(mode), model, ws); });
}

void sum_gram(const Plan& plan, const TuckerModel& model, Workspace& ws) {
  if (ws.gram.stamp.fits(model, 0)) return;  // the core is no part of it
  const Path path(plan.modes[plan.core.mode]);
  sum_pairs(plan, model, ws);
  spread_pairs(GramLayout(model.ranks()), path, model, ws);
  const std::size_t pairs = FiberSum<Feature::kPairs>::total_size(model.ranks(), path);
  const std::size_t values = FiberSum<Feature::kValues>::total_size(model.ranks(), path);
  to_core_order({ws.slots.total.data() + pairs, values}, path, model, ws.gram.target);
  ws.gram.stamp.set(model);
}

void sweep_gram(const Penalty& penalty, TuckerModel& model, Workspace& ws) {
  const GramLayout layout(model.ranks());
  const Gram gram(layout, model, ws);
  double* const core = model.edit(0).data();
  with_steps(penalty, ws, [&](const auto& steps) { sweep(layout, gram, steps, model, ws, core); });
}

void sweep_by_gram(const Plan& plan, const Penalty& penalty, TuckerModel& model, Workspace& ws) {
  sum_gram(plan, model, ws);
  sweep_gram(penalty, model, ws);
}

void core_products(const Plan& plan, const TuckerModel& model, Workspace& ws,
                   std::span<double> squares) {
  const GramLayout layout(model.ranks());
  sum_gram(plan, model, ws);
  const Gram gram(layout, model, ws);
  gram.explain();
  for (std::size_t block = 0; block < layout.lead_size; ++block) {
    const double* matrix = gram.diagonal(block);
    for (std::size_t i = 0; i < layout.block; ++i)
      squares[block * layout.block + i] = matrix[i * (layout.stride + 1)];
  }
}

}  // namespace vest::inline VEST_ISA
