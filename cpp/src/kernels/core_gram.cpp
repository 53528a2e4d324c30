// The core sweep on the Gram matrix K = sum phi phi^T of all core features, phi their values at an
// entry: one pass over the data sums K and sum x phi, then the Gauss-Seidel steps need no data.
//
// phi is an outer product of rows, so an element of K is a product over modes of a_j a_k: only
// J(J+1)/2 different pairs per mode. K is summed in that form and spread out before the sweep.
#include <algorithm>
#include <concepts>

#include "../contract.hpp"
#include "../core_sweep.hpp"
#include "../delta.hpp"
#include "../fiber_sum.hpp"
#include "../row.hpp"

namespace vest::inline VEST_ISA {
namespace {

[[nodiscard]] constexpr std::size_t at(std::integral auto position) {
  return static_cast<std::size_t>(position);
}

constexpr std::size_t kOneBlock = 256;  // a core up to this size is swept as one dense block,
constexpr std::size_t kBlock = 128;     // a larger one in blocks of at most this size

/// The sums over the entries: pairs, then sum x phi, both with the path's axes. J: the rank of the
/// last mode, whose pairs are all that is summed per entry.
template <int J>
void sum_features(const ModePlan& plan, const Path& path, const TuckerModel& model, Workspace& ws) {
  using Pairs = FiberSum<Feature::kPairs>;
  using Values = FiberSum<Feature::kValues>;
  const std::size_t pairs = Pairs::total_size(model, path);
  const std::size_t rank = model.rank(plan.last);
  const index_t* last_index = plan.last_index.data();
  const double* value = plan.value.data();
  const pos_t entries = std::ssize(plan.value);
  const bool skips = ws.worth_skipping(model.order());
  const bool scattered = !plan.tabulated;  // tuples hardly repeat
  sum_over_slots(ws.slots, plan.chunks, pairs + Values::total_size(model, path), ws.team,
                 [&](double* column, std::span<const Chunk> chunks, int thread) {
                   Scratch scratch = ws.scratch(thread);
                   Row<J> row(rank, scratch);
                   Row<J> sum(rank, scratch);
                   Pairs ff(model, path, column, scratch);
                   Values xf(model, path, column + pairs, scratch);
                   walk_tree(
                       plan, chunks,
                       [&](index_t root, pos_t begin, pos_t end) {
                         const auto coords = plan.coords_of(plan.tuple[at(begin)]);
                         if (skips && (ws.empty[plan.mode][at(root)] ||
                                       any_empty(ws.empty, plan.tuple_modes, coords)))
                           return;  // its features are zero: nothing to add
                         double* const pair = ff.leaf();
                         double* const single = xf.leaf();
                         for (pos_t e = begin; e < end; ++e) {
                           if (e + pos_t{kAhead} < entries)
                             prefetch(model.row(plan.last, last_index[e + pos_t{kAhead}]),
                                      rank * sizeof(double));
                           if (scattered) prefetch_tuple_rows(model, plan, e);
                           row.load(model.row(plan.last, last_index[e]));
                           add_pairs(row, pair);
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

/// Steps through the indices of consecutive modes in C order.
class Odometer {
 public:
  Odometer(const std::vector<index_t>& ranks, Mode first, Mode last)
      : ranks_(ranks), first_(first), last_(last) {
    std::fill_n(at, kMaxOrder, std::size_t{0});
  }
  /// To the next index; false after the last.
  bool next() {
    for (Mode n = last_; n-- > first_;) {
      if (++at[n] < static_cast<std::size_t>(ranks_[n])) return true;
      at[n] = 0;
    }
    return false;
  }
  std::size_t at[kMaxOrder];

 private:
  const std::vector<index_t>& ranks_;
  Mode first_, last_;
};

/// Where the pairs of a mode stand in the summed array; the last mode of the path has an order of
/// its own.
struct PairPlaces {
  PairPlaces(const Path& path, const TuckerModel& fitted)
      : strides(fitted, path), model(fitted), leaf(path.modes[path.depth - 1]) {}
  [[nodiscard]] std::size_t of(Mode n, std::size_t j, std::size_t k) const {
    const std::size_t rank = model.rank(n);
    return strides.of[n] * (n == leaf ? PairLayout(rank).index(j, k) : pair_index(j, k, rank));
  }
  AxisStrides<Feature::kPairs> strides;
  const TuckerModel& model;
  Mode leaf;
};

/// For each element of a block x block matrix over the trailing modes: where its pairs stand.
void find_offsets(const PairPlaces& places, const TuckerModel& model, Mode leading,
                  std::span<std::size_t> offsets) {
  const Mode order = model.order();
  std::size_t at = 0;
  Odometer row(model.ranks(), leading, order);
  do {
    Odometer column(model.ranks(), leading, order);
    do {
      std::size_t offset = 0;
      for (Mode n = leading; n < order; ++n) offset += places.of(n, row.at[n], column.at[n]);
      offsets[at++] = offset;
    } while (column.next());
  } while (row.next());
}

/// Number of the leading pair {j, k}, mode by mode in C order.
std::size_t lead_pair(const std::size_t* j, const std::size_t* k, const TuckerModel& model,
                      Mode leading) {
  std::size_t number = 0;
  for (Mode n = 0; n < leading; ++n)
    number = number * pair_count(model.rank(n)) + pair_index(j[n], k[n], model.rank(n));
  return number;
}

/// Spreads the summed pairs out: a full matrix over the trailing modes for each leading pair.
void spread(const GramLayout& layout, const Path& path, const TuckerModel& model, Workspace& ws) {
  const PairPlaces places(path, model);
  if (!ws.offsets_known) find_offsets(places, model, layout.leading, ws.offsets);
  ws.offsets_known = true;
  const std::size_t* offsets = ws.offsets.data();
  const Cut cut{static_cast<pos_t>(layout.lead_pairs), 64};
  ws.team.for_chunks(
      cut.count(),
      [&](pos_t chunk, int) {
        for (pos_t pair = cut.begin(chunk); pair < cut.end(chunk); ++pair) {
          auto left = static_cast<std::size_t>(pair);
          const double* from = ws.slots.total.memptr();
          for (Mode n = layout.leading; n-- > 0;) {
            const std::size_t count = pair_count(model.rank(n));
            const auto [j, k] = pair_of(left % count, model.rank(n));
            from += places.of(n, j, k);
            left /= count;
          }
          double* to = ws.gram.data() + static_cast<std::size_t>(pair) * layout.matrix();
          const std::size_t* offset = offsets;
          for (std::size_t i = 0; i < layout.block; ++i, to += layout.stride) {
            for (std::size_t k = 0; k < layout.block; ++k) to[k] = from[*offset++];
            std::fill(to + layout.block, to + layout.stride, 0.0);
          }
        }
      },
      4);
}

/// The blocks of K, one per pair of leading indices, and products of their rows with a vector.
class Gram {
 public:
  Gram(const GramLayout& layout, const TuckerModel& model, Workspace& ws)
      : layout_(layout), model_(model), ws_(ws) {}

  /// left(block) -= K(block, other) x(other) for the blocks from `begin` to `end`, numbered by
  /// their leading indices in C order; zeros cost nothing.
  void subtract(std::size_t block, std::size_t begin, std::size_t end, const double* x,
                double* left) const {
    std::size_t row[kMaxOrder];
    std::size_t column[kMaxOrder];
    lead_of(block, row);
    const std::size_t stride = layout_.stride;
    for (std::size_t other = begin; other < end; ++other) {
      lead_of(other, column);
      const double* gram = matrix(row, column);
      const double* part = x + other * layout_.block;
      double weight[4];
      const double* rows[4];
      std::size_t count = 0;
      for (std::size_t k = 0; k < layout_.block; ++k) {
        weight[count] = -part[k];
        rows[count] = gram + k * stride;
        count += part[k] != 0.0 ? 1 : 0;
        if (count < 4) continue;
        add_slices<4>(weight, rows, layout_.block, false, left);
        count = 0;
      }
      for (std::size_t k = 0; k < count; ++k)
        add_slices<1>(weight + k, rows + k, layout_.block, false, left);
    }
  }

  /// The block's own matrix.
  [[nodiscard]] const double* diagonal(std::size_t block) const {
    std::size_t row[kMaxOrder];
    lead_of(block, row);
    return matrix(row, row);
  }

  /// What is left to explain at the present core: the products with the values, less K g.
  void explain() const {
    const std::size_t size = layout_.block;
    std::ranges::copy(ws_.target, ws_.gradient.begin());
    ws_.team.for_chunks(
        static_cast<pos_t>(layout_.lead_size),
        [&](pos_t b, int) {
          const auto block = static_cast<std::size_t>(b);
          subtract(block, 0, layout_.lead_size, model_.core().memptr(),
                   ws_.gradient.data() + block * size);
        },
        4);
  }

 private:
  void lead_of(std::size_t block, std::size_t* at) const {
    for (Mode n = layout_.leading; n-- > 0;) {
      at[n] = block % model_.rank(n);
      block /= model_.rank(n);
    }
  }
  [[nodiscard]] const double* matrix(const std::size_t* row, const std::size_t* column) const {
    return ws_.gram.data() + lead_pair(row, column, model_, layout_.leading) * layout_.matrix();
  }

  const GramLayout& layout_;
  const TuckerModel& model_;
  Workspace& ws_;
};

/// Blocks one after the other. What a run of blocks has changed is told to all blocks after the run
/// at once, in parallel; within the run each block asks for itself.
template <class Step>
void sweep(const GramLayout& layout, const Gram& gram, const Step& step, TuckerModel& model,
           Workspace& ws) {
  const std::size_t size = layout.block;
  const std::size_t run = layout.leading == 0 ? 1 : layout.lead_size / model.rank(0);
  double* core = model.core().memptr();
  double* left = ws.gradient.data();
  double* change = ws.change.data();
  gram.explain();
  for (std::size_t begin = 0; begin < layout.lead_size; begin += run) {
    const std::size_t end = begin + run;
    for (std::size_t block = begin; block < end; ++block) {
      ws.team.checkpoint();
      gram.subtract(block, begin, block, change, left + block * size);
      std::copy_n(core + block * size, size, change + block * size);
      sweep_block(step, gram.diagonal(block), size, layout.stride,
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

/// K and the products with the values, for the present factors.
void prepare_gram(const Plan& plan, const GramLayout& layout, const TuckerModel& model,
                  Workspace& ws) {
  if (ws.gram_ready) return;
  const ModePlan& mode = plan.modes[plan.core.mode];
  const Path path(mode);
  with_rank(model.rank(mode.last), [&]<int J>() { sum_features<J>(mode, path, model, ws); });
  spread(layout, path, model, ws);
  const std::size_t pairs = FiberSum<Feature::kPairs>::total_size(model, path);
  const std::size_t values = FiberSum<Feature::kValues>::total_size(model, path);
  to_core_order({ws.slots.total.memptr() + pairs, values}, path, model, ws.target);
  ws.gram_ready = true;
}

}  // namespace

GramLayout::GramLayout(const std::vector<index_t>& ranks) : leading(ranks.size()) {
  std::size_t core = 1;
  for (const index_t rank : ranks) core *= static_cast<std::size_t>(rank);
  const std::size_t limit = core <= kOneBlock ? kOneBlock : kBlock;
  while (leading > 0) {
    const auto rank = static_cast<std::size_t>(ranks[leading - 1]);
    if (leading < ranks.size() && block * rank > limit) break;
    block *= rank;
    --leading;
  }
  for (Mode n = 0; n < leading; ++n) {
    const auto rank = static_cast<std::size_t>(ranks[n]);
    lead_size *= rank;
    lead_pairs *= pair_count(rank);
  }
  stride = leaf_size<Feature::kValues>(block);
}

void sweep_by_gram(const Plan& plan, const Penalty& penalty, TuckerModel& model, Workspace& ws) {
  const GramLayout layout(model.ranks());
  prepare_gram(plan, layout, model, ws);
  ws.prepared = nullptr;  // the core changes now
  const Gram gram(layout, model, ws);
  with_step(penalty, [&](const auto& step) { sweep(layout, gram, step, model, ws); });
}

void core_products(const Plan& plan, const TuckerModel& model, Workspace& ws,
                   std::span<double> squares) {
  const GramLayout layout(model.ranks());
  prepare_gram(plan, layout, model, ws);
  const Gram gram(layout, model, ws);
  gram.explain();
  for (std::size_t block = 0; block < layout.lead_size; ++block) {
    const double* matrix = gram.diagonal(block);
    for (std::size_t i = 0; i < layout.block; ++i)
      squares[block * layout.block + i] = matrix[i * (layout.stride + 1)];
  }
}

}  // namespace vest::inline VEST_ISA
