// The core sweep on the Gram matrix K = sum phi phi^T of all core features, phi their values at an
// entry: one pass over the data sums K and sum x phi, then the Gauss-Seidel steps need no data.
//
// phi is an outer product of rows, so an element of K is a product over modes of a_j a_k: only
// J(J+1)/2 different pairs per mode. K is summed in that form and spread out before the sweep.
#include <algorithm>

#include "../contract.hpp"
#include "../core_sweep.hpp"
#include "../fiber_sum.hpp"
#include "../row.hpp"

namespace vest::inline VEST_ISA {
namespace {

constexpr std::size_t kOneBlock = 1024;  // a core up to this size is swept as one dense block,
constexpr std::size_t kBlock = 64;       // a larger one in blocks of about this size

/// The sums over the entries: pairs, then sum x phi, both with the path's axes. J: the rank of the
/// last mode, whose rows' outer products are all that is summed per entry.
template <int J>
void sum_features(const ModePlan& plan, const Path& path, const TuckerModel& model, Workspace& ws) {
  using Pairs = FiberSum<Feature::kPairs>;
  using Values = FiberSum<Feature::kValues>;
  const std::size_t pairs = Pairs::total_size(model);
  const std::size_t rank = model.rank(plan.last);
  const index_t* last_index = plan.last_index.data();
  const double* value = plan.value.data();
  const pos_t entries = std::ssize(plan.value);
  sum_over_slots(ws.slots, plan.chunks, pairs + model.core().n_elem, ws.team,
                 [&](double* column, std::span<const Chunk> chunks, int thread) {
                   Scratch scratch = ws.scratch(thread);
                   Row<J> row(rank, scratch);
                   OuterSums<J> sums(rank, scratch);
                   Pairs ff(model, path, column, scratch);
                   Values xf(model, path, column + pairs, scratch);
                   walk_tree(
                       plan, chunks,
                       [&](index_t, pos_t begin, pos_t end) {
                         sums.clear();
                         for (pos_t e = begin; e < end; ++e) {
                           if (e + pos_t{kAhead} < entries)
                             prefetch(model.row(plan.last, last_index[e + pos_t{kAhead}]),
                                      rank * sizeof(double));
                           row.load(model.row(plan.last, last_index[e]));
                           sums.add(value[e], row);
                         }
                         double* pair = ff.leaf();  // added: a group may go on in the next chunk
                         for (std::size_t j = 0; j < row.size(); ++j) {
                           for (std::size_t k = j; k < row.size(); ++k) *pair++ += sums.v(j, k);
                           xf.leaf()[j] += sums.b(j);
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

/// Steps through indices of consecutive modes in C order, keeping one number in step with them.
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

/// Where the pairs of each mode stand in the summed array.
struct PairStrides {
  PairStrides(const Path& path, const TuckerModel& model) {
    std::size_t step = 1;
    for (std::size_t d = path.depth; d-- > 0;) {
      stride[path.modes[d]] = step;
      step *= feature_count<Feature::kPairs>(model.rank(path.modes[d]));
    }
  }
  std::size_t stride[kMaxOrder];
};

/// For each element of a block x block matrix over the trailing modes: where its pairs stand.
void find_offsets(const PairStrides& strides, const TuckerModel& model, Mode leading,
                  std::span<std::size_t> offsets) {
  const Mode order = model.order();
  std::size_t at = 0;
  Odometer row(model.ranks(), leading, order);
  do {
    Odometer column(model.ranks(), leading, order);
    do {
      std::size_t offset = 0;
      for (Mode n = leading; n < order; ++n)
        offset += strides.stride[n] * pair_index(row.at[n], column.at[n], model.rank(n));
      offsets[at++] = offset;
    } while (column.next());
  } while (row.next());
}

/// Number of the leading pair {j, k}, mode by mode in C order.
std::size_t lead_pair(const std::size_t* j, const std::size_t* k, const TuckerModel& model,
                      Mode leading) {
  std::size_t number = 0;
  for (Mode n = 0; n < leading; ++n)
    number = number * feature_count<Feature::kPairs>(model.rank(n)) +
             pair_index(j[n], k[n], model.rank(n));
  return number;
}

/// Spreads the summed pairs out: a full matrix over the trailing modes for each leading pair.
void spread(const GramLayout& layout, const Path& path, const TuckerModel& model, Workspace& ws) {
  const PairStrides strides(path, model);
  find_offsets(strides, model, layout.leading, ws.offsets);
  const std::size_t* offsets = ws.offsets.data();
  const std::size_t block = layout.block * layout.block;
  const Cut cut{static_cast<pos_t>(layout.lead_pairs), 64};
  ws.team.for_chunks(
      cut.count(),
      [&](pos_t chunk, int) {
        for (pos_t pair = cut.begin(chunk); pair < cut.end(chunk); ++pair) {
          auto left = static_cast<std::size_t>(pair);
          const double* from = ws.slots.total.memptr();
          for (Mode n = layout.leading; n-- > 0;) {
            const std::size_t count = feature_count<Feature::kPairs>(model.rank(n));
            from += strides.stride[n] * (left % count);
            left /= count;
          }
          double* to = ws.gram.data() + static_cast<std::size_t>(pair) * block;
          for (std::size_t i = 0; i < block; ++i) to[i] = from[offsets[i]];
        }
      },
      4);
}

template <class Step>
void sweep(const GramLayout& layout, const Step& step, TuckerModel& model, Workspace& ws) {
  const std::size_t size = layout.block;
  double* core = model.core().memptr();
  Odometer row(model.ranks(), 0, layout.leading);
  for (std::size_t block = 0; block < layout.lead_size; ++block, row.next()) {
    ws.team.checkpoint();
    double* left = ws.gradient.data() + block * size;
    Odometer column(model.ranks(), 0, layout.leading);
    const double* values = core;
    for (std::size_t other = 0; other < layout.lead_size; ++other, column.next(), values += size) {
      const double* gram =
          ws.gram.data() + lead_pair(row.at, column.at, model, layout.leading) * size * size;
      for (std::size_t k = 0; k < size; ++k, gram += size) {
        const double value = values[k];
        if (value == 0.0) continue;
        for (std::size_t i = 0; i < size; ++i) left[i] -= value * gram[i];
      }
    }
    sweep_block(step,
                ws.gram.data() + lead_pair(row.at, row.at, model, layout.leading) * size * size,
                size, model.marks(0).data() + block * size, left, core + block * size);
  }
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
    lead_pairs *= feature_count<Feature::kPairs>(rank);
  }
}

void sweep_by_gram(const Plan& plan, Loss loss, double lambda, TuckerModel& model, Workspace& ws) {
  const ModePlan& mode = plan.modes[plan.core.mode];
  const Path path(mode);
  const GramLayout layout(model.ranks());
  with_rank(model.rank(mode.last), [&]<int J>() { sum_features<J>(mode, path, model, ws); });
  spread(layout, path, model, ws);
  to_core_order(
      {ws.slots.total.memptr() + FiberSum<Feature::kPairs>::total_size(model), model.core().n_elem},
      path, model, ws.gradient);
  ws.prepared = nullptr;  // the core changes now
  with_step(loss, lambda, [&](const auto& step) { sweep(layout, step, model, ws); });
}

}  // namespace vest::inline VEST_ISA
