// Entry-wise reconstruction B(alpha): residuals of the observed entries, and predictions.
#include "kernels/factor/reconstruct.hpp"

#include <numeric>

#include "kernels/factor/contract.hpp"
#include "kernels/factor/delta.hpp"
#include "kernels/kernels.hpp"

namespace vest::inline VEST_ISA {
namespace {

constexpr pos_t kCellsPerChunk = 2048;
constexpr pos_t kStartWeighs = 4;  // threads that help with one call alone have to be started first

template <int J>
void subtract_predictions(const DeltaSource& source, Workspace& ws) {
  const ModePlan& plan = source.plan;
  ws.team.for_chunks(
      std::ssize(plan.chunks),
      [&](pos_t c, int thread) {
        Scratch scratch = ws.scratch(thread);
        Deltas<J> deltas(source, scratch);
        Row<J> a(source.rank(), scratch);
        plan.for_rows(plan.chunks[static_cast<std::size_t>(c)], [&](index_t row, pos_t begin,
                                                                    pos_t end) {
          double* residual = ws.blocks.residual.memptr() + begin;
          a.load(source.model.row(plan.mode, row));
          deltas.each(
              begin, end, [&](double x, const Row<J>& delta) { *residual++ = x - delta.dot(a); },
              [&](double x) { *residual++ = x; });
        });
      },
      worthwhile_chunks(chunk_operations(source)));
}

}  // namespace

void fill_residuals(const Plan& plan, const TuckerModel& model, Workspace& ws) {
  const DeltaSource source = prepare_delta(plan.modes[plan.core.mode], model, ws);
  with_source(source, [&]<int J>() { subtract_predictions<J>(source, ws); });
}

void predict(const TuckerModel& model, std::span<const index_t> coords, const Team& team,
             std::span<double> out) {
  const std::size_t order = model.order();
  std::vector<Mode> modes(order);
  std::iota(modes.begin(), modes.end(), Mode{0});
  const std::size_t size =
      PrefixContraction::scratch_size(model.ranks(), modes, model.core().n_elem);
  arma::mat memory(size, static_cast<arma::uword>(team.threads()), arma::fill::none);
  const Cut cut{std::ssize(out), kCellsPerChunk};
  team.for_chunks(
      cut.count(),
      [&](pos_t chunk, int thread) {
        Scratch scratch({memory.colptr(static_cast<arma::uword>(thread)), size});
        PrefixContraction contract(model, modes, model.values(0), scratch);
        for (pos_t cell = cut.begin(chunk); cell < cut.end(chunk); ++cell) {
          const auto at = static_cast<std::size_t>(cell);
          out[at] = *contract(coords.subspan(at * order, order));
        }
      },
      kStartWeighs * worthwhile_chunks(static_cast<double>(kCellsPerChunk) *
                                       static_cast<double>(model.core().n_elem)));
}

}  // namespace vest::inline VEST_ISA
