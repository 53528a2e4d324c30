// The core sweep in blocks of trailing modes, for cores whose full Gram matrix would be too large.
//
// A block is all elements that share the leading indices. With c the product of an entry's leading
// rows and w the outer product of its trailing rows, a feature is c w; entries of one trailing
// tuple share w, so two scalars per tuple, sum c^2 and sum r c, give the block's Gram matrix and
// gradient. What the block's steps change in the residual is applied on the next block's pass.
#include "kernels/core/core_blocks.hpp"

#include <algorithm>

#include "kernels/core/fiber_sum.hpp"
#include "kernels/core/sweep_block.hpp"
#include "kernels/factor/reconstruct.hpp"

namespace vest::inline VEST_ISA {
namespace {

struct Blocks {
  Blocks(const Plan& full, const TuckerModel& fitted, Workspace& workspace)
      : plan(full.modes[full.core.mode]),
        trailing(full.core.trailing),
        leading(fitted.order() - trailing),
        size(block_size(fitted.ranks(), trailing)),
        model(fitted),
        ws(workspace) {}

  /// The index of an entry in a leading mode: mode 0 is the plan's last, the others descend.
  [[nodiscard]] index_t lead_index(std::size_t entry, Mode n) const {
    if (n == 0) return plan.last_index[entry];
    const index_t& tuple = plan.tuple[entry];
    return plan.coords_of(tuple)[plan.tuple_modes.size() - n];
  }

  const ModePlan& plan;
  std::size_t trailing;
  std::size_t leading;
  std::size_t size;
  const TuckerModel& model;
  Workspace& ws;
};

/// Products of the leading rows but the last one's, which changes from block to block, times the
/// root of the entry's weight.
void multiply_lead(const Blocks& b, const std::size_t* j) {
  const Cut cut{std::ssize(b.plan.value), 16384};
  b.ws.team.for_chunks(cut.count(), [&](pos_t chunk, int) {
    for (pos_t e = cut.begin(chunk); e < cut.end(chunk); ++e) {
      const auto at = static_cast<std::size_t>(e);
      double product = b.plan.weighted() ? b.plan.root_weight[at] : 1.0;
      for (Mode n = 0; n + 1 < b.leading; ++n) product *= b.model.row(n, b.lead_index(at, n))[j[n]];
      b.ws.blocks.lead[at] = product;
    }
  });
}

/// w: the outer product of the trailing rows of a tuple, in C order. Path depth d is mode N-1-d.
void trailing_product(const Blocks& b, const index_t* index, double* w) {
  w[0] = 1.0;
  std::size_t filled = 1;
  for (std::size_t d = 0; d < b.trailing; ++d) {  // from the last mode, fastest, to the slowest
    const Mode n = b.model.order() - 1 - d;
    const double* a = b.model.row(n, index[d]);
    for (std::size_t j = b.model.rank(n); j-- > 0;)
      for (std::size_t i = 0; i < filled; ++i) w[j * filled + i] = a[j] * w[i];
    filled *= b.model.rank(n);
  }
}

/// One pass: applies the last block's change to the residual, then sums this block's Gram matrix
/// (size x size) and gradient (size) into `sums`. `index` is that of the last leading mode.
void sum_block(const Blocks& b, std::span<const Chunk> chunks, const double* change,
               std::size_t index, double* sums, Scratch scratch) {
  double* w = scratch.take(b.size);
  std::fill_n(sums, b.size * b.size + b.size, 0.0);
  double cc = 0.0;
  double rc = 0.0;
  double moved = 0.0;
  index_t at_index[kMaxOrder];
  bool open = false;
  const auto close = [&] {
    for (std::size_t i = 0; i < b.size; ++i)
      for (std::size_t k = 0; k < b.size; ++k) sums[i * b.size + k] += cc * w[i] * w[k];
    for (std::size_t i = 0; i < b.size; ++i) sums[b.size * b.size + i] += rc * w[i];
    open = false;
  };
  walk_tree(
      b.plan, chunks,
      [&](index_t row, pos_t begin, pos_t end) {
        if (!open) {
          at_index[0] = row;
          const index_t& tuple = b.plan.tuple[static_cast<std::size_t>(begin)];
          const auto coords = b.plan.coords_of(tuple);
          std::copy_n(coords.begin(), b.trailing - 1, at_index + 1);
          trailing_product(b, at_index, w);
          cc = rc = moved = 0.0;
          for (std::size_t i = 0; i < b.size; ++i) moved += w[i] * change[i];
          open = true;
        }
        const Mode n = b.leading - 1;
        for (auto e = static_cast<std::size_t>(begin); e < static_cast<std::size_t>(end); ++e) {
          const double r = b.ws.blocks.residual[e] -= b.ws.blocks.product[e] * moved;
          const double c = b.ws.blocks.lead[e] * b.model.row(n, b.lead_index(e, n))[index];
          b.ws.blocks.product[e] = c;
          cc += c * c;
          rc += r * c;
        }
      },
      [&](std::size_t depth, index_t) {
        if (depth + 1 == b.trailing) close();
      });
}

template <class Steps>
void sweep(const Blocks& b, const Steps& step, double* core) {
  const auto& ranks = b.model.ranks();
  const std::size_t sums = b.size * b.size + b.size;
  double* change = b.ws.gradient.data();
  std::fill_n(change, b.size, 0.0);
  std::size_t j[kMaxOrder] = {};
  const std::size_t blocks = b.model.values(0).size() / b.size;
  bool lead_changed = true;
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::span<const Mark> marks = b.model.marks(0).subspan(block * b.size, b.size);
    const bool any_live = std::ranges::any_of(marks, is_live);
    if (any_live) {
      if (lead_changed) multiply_lead(b, j);
      lead_changed = false;
      sum_over_slots(b.ws.slots, {CoreSumKind::kBlock}, b.plan.chunks, sums, b.ws.team,
                     [&](double* column, std::span<const Chunk> chunks, int thread) {
                       sum_block(b, chunks, change, j[b.leading - 1], column, b.ws.scratch(thread));
                     });
      double* values = core + block * b.size;
      std::copy_n(values, b.size, change);
      double* gram = b.ws.slots.total.data();
      sweep_block(step.from(block * b.size), gram, b.size, b.size, marks.data(),
                  gram + b.size * b.size, values);
      for (std::size_t i = 0; i < b.size; ++i) change[i] = values[i] - change[i];
    }
    for (Mode n = b.leading; n-- > 0;) {
      if (n + 1 < b.leading) lead_changed = true;
      if (++j[n] < static_cast<std::size_t>(ranks[n])) break;
      j[n] = 0;
    }
  }
}

}  // namespace

std::size_t block_size(std::span<const index_t> ranks, std::size_t trailing) {
  std::size_t size = 1;
  for (std::size_t t = 1; t <= trailing; ++t)
    size *= static_cast<std::size_t>(ranks[ranks.size() - t]);
  return size;
}

void sweep_by_blocks(const Plan& plan, const Penalty& penalty, TuckerModel& model, Workspace& ws) {
  const Blocks blocks(plan, model, ws);
  fill_residuals(plan, model, ws);
  std::fill_n(ws.blocks.product.data(), ws.blocks.product.size(), 0.0);
  double* const core = model.edit(0).data();
  with_steps(penalty, ws, [&](const auto& steps) { sweep(blocks, steps, core); });
}

}  // namespace vest::inline VEST_ISA
