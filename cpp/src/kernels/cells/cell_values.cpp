// Predictions B(alpha) of any cells: by the whole core, or by its non-zero elements if they are
// few.
#include <algorithm>
#include <numeric>

#include "kernels/cells/bundle.hpp"
#include "kernels/factor/contract.hpp"
#include "kernels/kernels.hpp"

namespace vest::inline VEST_ISA {
namespace {

/// The list is taken if it has so many times fewer products than the whole core. Cells in no order
/// would gain from it sooner; cells that share leading rows with the one before would lose.
constexpr std::size_t kTermWeighs = 2;

/// What one cell costs if the core is contracted mode by mode.
[[nodiscard]] std::size_t whole_core_cost(const TuckerModel& model) {
  std::size_t size = model.values(0).size();
  std::size_t cost = 0;
  for (Mode n = 0; n < model.order(); ++n) {
    cost += size;
    size /= model.rank(n);
  }
  return cost;
}

void predict_by_core(const TuckerModel& model, std::span<const index_t> coords, const Team& team,
                     std::span<double> out) {
  const std::size_t order = model.order();
  std::vector<Mode> modes(order);
  std::iota(modes.begin(), modes.end(), Mode{0});
  const std::size_t size =
      PrefixContraction::scratch_size(model.ranks(), modes, model.values(0).size());
  Unfilled memory(size, static_cast<std::size_t>(team.threads()));
  const Cut cut{std::ssize(out), kCellsPerChunk};
  team.for_chunks(
      cut.count(),
      [&](pos_t chunk, int thread) {
        Scratch scratch({memory.column(static_cast<std::size_t>(thread)), size});
        PrefixContraction contract(model, modes, model.values(0), scratch);
        for (pos_t cell = cut.begin(chunk); cell < cut.end(chunk); ++cell) {
          const auto at = static_cast<std::size_t>(cell);
          out[at] = *contract(coords.subspan(at * order, order));
        }
      },
      kStartWeighs * worthwhile_chunks(static_cast<double>(kCellsPerChunk) *
                                       static_cast<double>(model.values(0).size())));
}

void predict_by_terms(const TuckerModel& model, const CoreTerms& terms,
                      std::span<const index_t> coords, const Team& team, std::span<double> out) {
  // A core of zeros needs none, but has a column for each thread all the same.
  const std::size_t size = std::max<std::size_t>(1, BundleRows::scratch_size(terms));
  Unfilled memory(size, static_cast<std::size_t>(team.threads()));
  const Cut cut{std::ssize(out), kCellsPerChunk};
  team.for_chunks(
      cut.count(),
      [&](pos_t chunk, int thread) {
        const BundleRows rows(terms, memory.column(static_cast<std::size_t>(thread)));
        for_bundles(
            coords, model.order(), cut.begin(chunk), cut.end(chunk),
            [&](std::span<const index_t> cells) { prefetch_bundle(model, cells); },
            [&](std::span<const index_t> cells, std::size_t first) {
              rows.load(model, cells);
              BundleOf sum;
              add_terms(terms, rows, 0, 0, terms.level(0).count(), sum);
              double values[kBundle];
              sum.store(values);
              std::copy_n(values, cells.size() / model.order(), out.data() + first);
            });
      },
      kStartWeighs *
          worthwhile_chunks(static_cast<double>(kCellsPerChunk) *
                            static_cast<double>(terms.nodes() + terms.columns()) / kBundle));
}

}  // namespace

void predict(const TuckerModel& model, std::span<const index_t> coords, const Team& team,
             std::span<double> out) {
  const std::size_t most = whole_core_cost(model) / kTermWeighs;
  const CoreTerms terms(model.values(0), model.ranks(), most);
  if (terms.complete() && terms.nodes() + terms.columns() <= most)
    predict_by_terms(model, terms, coords, team, out);
  else
    predict_by_core(model, coords, team, out);
}

}  // namespace vest::inline VEST_ISA
