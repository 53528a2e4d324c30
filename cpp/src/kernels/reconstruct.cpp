// Entry-wise reconstruction B(alpha): the error over the observed entries, and predictions.
#include <algorithm>
#include <numeric>

#include "../contract.hpp"
#include "../core_sweep.hpp"
#include "../delta.hpp"
#include "vest/kernels.hpp"

namespace vest::inline VEST_ISA {
namespace {

constexpr pos_t kCellsPerChunk = 2048;

/// Squared residuals per chunk, and the residuals themselves into `kept` unless it is null.
template <int J>
void sum_squares(const DeltaSource& source, Workspace& ws, double* kept) {
  const ModePlan& plan = source.plan;
  ws.team.for_chunks(std::ssize(plan.chunks), [&](pos_t c, int thread) {
    Scratch scratch = ws.scratch(thread);
    Residuals<J> residuals(source, scratch);
    double sum = 0.0;
    plan.for_rows(plan.chunks[static_cast<std::size_t>(c)],
                  [&](index_t row, pos_t begin, pos_t end) {
                    residuals.of_row(row, begin, end, [&](std::size_t e, double r) {
                      if (kept != nullptr) kept[e] = r;
                      sum += r * r;
                    });
                  });
    ws.squares[static_cast<std::size_t>(c)] = sum;
  });
}

double pass(const Plan& plan, const TuckerModel& model, Workspace& ws, double* kept) {
  const ModePlan& mode = plan.modes[plan.core.mode];
  const DeltaSource source = prepare_delta(mode, model, ws);
  with_rank(source.rank(), [&]<int J>() { sum_squares<J>(source, ws, kept); });
  return std::accumulate(ws.squares.begin(), ws.squares.begin() + std::ssize(mode.chunks), 0.0);
}

}  // namespace

double squared_error(const Plan& plan, const TuckerModel& model, Workspace& ws) {
  return pass(plan, model, ws, nullptr);
}

void fill_residuals(const Plan& plan, const TuckerModel& model, Workspace& ws) {
  pass(plan, model, ws, ws.residual.memptr());
}

void predict(const TuckerModel& model, std::span<const index_t> coords, const Team& team,
             std::span<double> out) {
  const std::size_t order = model.order();
  std::vector<Mode> modes(order);
  std::iota(modes.begin(), modes.end(), Mode{0});
  const std::size_t size = PrefixContraction::scratch_size(model, modes, model.core().n_elem);
  arma::mat memory(size, static_cast<arma::uword>(team.threads()), arma::fill::none);
  const Cut cut{std::ssize(out), kCellsPerChunk};
  team.for_chunks(cut.count(), [&](pos_t chunk, int thread) {
    Scratch scratch({memory.colptr(static_cast<arma::uword>(thread)), size});
    PrefixContraction contract(model, modes, model.values(0), scratch);
    for (pos_t cell = cut.begin(chunk); cell < cut.end(chunk); ++cell) {
      const auto at = static_cast<std::size_t>(cell);
      out[at] = *contract(coords.subspan(at * order, order));
    }
  });
}

}  // namespace vest::inline VEST_ISA
