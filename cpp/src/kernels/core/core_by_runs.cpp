// The sweep over the live elements of a sparse core, a few dozen at a time: one pass over the
// entries sums the inner products of their features, and the steps need no data.
#include "kernels/core/core_by_runs.hpp"

#include <algorithm>

#include "kernels/core/fiber_sum.hpp"
#include "kernels/core/sweep_block.hpp"
#include "kernels/delta/run_delta.hpp"
#include "kernels/factor/reconstruct.hpp"

namespace vest::inline VEST_ISA {
namespace {

/// The factors of the products that some elements' features are.
class FactorLists {
 public:
  FactorLists(const ModePlan& plan, const TuckerModel& model,
              std::span<const std::size_t> elements) {
    for (const std::size_t element : elements) {
      for (Mode n = 0; n < model.order(); ++n) {
        const std::size_t column = element / model.core_stride(n) % model.rank(n);
        if (plan.ones && column == 0) continue;
        factors_[size_++] = {static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(column)};
      }
      end_[count_++] = size_;
    }
  }
  [[nodiscard]] std::span<const RunFactor> operator[](std::size_t i) const {
    return {factors_ + (i == 0 ? 0 : end_[i - 1]), factors_ + end_[i]};
  }
  [[nodiscard]] std::size_t size() const { return count_; }

 private:
  RunFactor factors_[kMostTogether * kMaxOrder];
  std::size_t end_[kMostTogether];
  std::size_t size_ = 0;
  std::size_t count_ = 0;
};

/// Features of some elements of the core at one entry after the other: of an entry of weight w,
/// sqrt(w) phi, and w times the second moment.
class Features {
 public:
  Features(const ModePlan& plan, const TuckerModel& model, const FactorLists& elements,
           bool with_moments, Scratch& scratch)
      : plan_(plan),
        model_(model),
        elements_(elements),
        with_moments_(with_moments),
        phi_(scratch.take(elements.size())),
        moment_(scratch.take(elements.size())) {}

  void at(index_t row, pos_t entry) {
    const auto e = static_cast<std::size_t>(entry);
    const index_t& tuple = plan_.tuple[e];
    const auto coords = plan_.coords_of(tuple);
    index_[plan_.mode] = row;
    index_[plan_.last] = plan_.last_index[e];
    for (std::size_t k = 0; k < coords.size(); ++k) index_[plan_.tuple_modes[k]] = coords[k];
    for (std::size_t i = 0; i < elements_.size(); ++i) {
      double phi = 1.0;
      double moment = 1.0;
      for (const RunFactor& factor : elements_[i]) {
        const index_t index = index_[factor.mode];
        const double a = model_.row(factor.mode, index)[factor.column];
        phi *= a;
        if (with_moments_) moment *= a * a + model_.variance_row(factor.mode, index)[factor.column];
      }
      phi_[i] = phi;
      moment_[i] = moment;
    }
    if (plan_.weighted()) {
      const double root = plan_.root_weight[e];
      for (std::size_t i = 0; i < elements_.size(); ++i) {
        phi_[i] *= root;
        moment_[i] *= root * root;
      }
    }
  }
  [[nodiscard]] const double* phi() const { return phi_; }
  [[nodiscard]] const double* moment() const { return moment_; }

 private:
  const ModePlan& plan_;
  const TuckerModel& model_;
  const FactorLists& elements_;
  bool with_moments_;
  double* phi_;
  double* moment_;
  index_t index_[kMaxOrder];
};

/// Sums inner products (all, or squares alone), products with the residual and second moments of
/// the features of some elements into the slots' total, in that order. The residuals are those of
/// weighted values already.
void sum_some(const ModePlan& plan, const TuckerModel& model, std::span<const std::size_t> elements,
              bool products, bool moments, Workspace& ws) {
  const std::size_t k = elements.size();
  const std::size_t size = k * k + 2 * k;
  const FactorLists lists(plan, model, elements);
  const double* residual = ws.blocks.residual.data();
  sum_over_slots(ws.slots, {CoreSumKind::kSome, elements, products, moments}, plan.chunks, size,
                 ws.team, [&](double* sums, std::span<const Chunk> chunks, int thread) {
                   Scratch scratch = ws.scratch(thread);
                   Features features(plan, model, lists, moments, scratch);
                   std::fill_n(sums, size, 0.0);
                   double* const rf = sums + k * k;
                   double* const moment = rf + k;
                   const auto add = [&](index_t row, pos_t begin, pos_t end) {
                     for (pos_t e = begin; e < end; ++e) {
                       features.at(row, e);
                       const double* phi = features.phi();
                       for (std::size_t i = 0; i < k; ++i) {
                         if (products)
                           for (std::size_t t = 0; t < k; ++t) sums[i * k + t] += phi[i] * phi[t];
                         else
                           sums[i * k + i] += phi[i] * phi[i];
                         rf[i] += residual[e] * phi[i];
                         moment[i] += features.moment()[i];
                       }
                     }
                   };
                   for (const Chunk& chunk : chunks) plan.for_rows(chunk, add);
                 });
}

/// Calls body(some) for the elements for which `chosen` holds, kMostTogether at a time.
template <class Chosen, class Body>
void for_some(std::size_t size, Chosen&& chosen, Body&& body) {
  std::size_t some[kMostTogether];
  std::size_t count = 0;
  for (std::size_t element = 0; element < size; ++element) {
    if (!chosen(element)) continue;
    some[count++] = element;
    if (count < kMostTogether) continue;
    body(std::span<const std::size_t>(some, count));
    count = 0;
  }
  if (count > 0) body(std::span<const std::size_t>(some, count));
}

/// Both sums of all non-zero elements in one pass, run by run: products with the residual into the
/// slots' total, and squares behind them.
void sum_all_products(const ModePlan& plan, const TuckerModel& model, std::size_t count,
                      Workspace& ws) {
  const DeltaSource source = prepare_delta(plan, model, ws);
  const double* const roots = plan.roots();
  const double* residual = ws.blocks.residual.data();
  sum_over_slots(ws.slots, {CoreSumKind::kNonZero}, plan.chunks, 2 * count, ws.team,
                 [&](double* __restrict rf, std::span<const Chunk> chunks, int thread) {
                   Scratch scratch = ws.scratch(thread);
                   RunDelta runs(source, scratch);
                   double* const phi = scratch.take(count);
                   double* const __restrict ff = rf + count;
                   std::fill_n(rf, 2 * count, 0.0);
                   const auto add = [&](index_t row, pos_t begin, pos_t end) {
                     const double* const a = model.row(plan.mode, row);
                     for (pos_t e = begin; e < end; ++e) {
                       runs.features(e, a, phi);
                       if (roots != nullptr)
                         for (std::size_t i = 0; i < count; ++i) phi[i] *= roots[e];
                       const double r = residual[e];
                       for (std::size_t i = 0; i < count; ++i) {
                         rf[i] += r * phi[i];
                         ff[i] += phi[i] * phi[i];
                       }
                     }
                   };
                   for (const Chunk& chunk : chunks) plan.for_rows(chunk, add);
                 });
}

}  // namespace

void sum_by_runs(const Plan& plan, const TuckerModel& model, const CoreSum& which, Workspace& ws) {
  const ModePlan& mode = plan.modes[plan.core.mode];
  fill_residuals(plan, model, ws);
  if (which.kind == CoreSumKind::kSome)
    sum_some(mode, model, which.elements, which.products, which.moments, ws);
  else
    sum_all_products(mode, model, ws.runs.of(mode.mode).elements.size(), ws);
}

void sweep_by_runs(const Plan& plan, const Penalty& penalty, TuckerModel& model, Workspace& ws) {
  const ModePlan& mode = plan.modes[plan.core.mode];
  const bool noisy = penalty.kind == PenaltyKind::kNoise;
  const std::span<const Mark> marks = model.marks(0);
  for_some(
      marks.size(), [&](std::size_t i) { return is_live(marks[i]); },
      [&](std::span<const std::size_t> some) {
        fill_residuals(plan, model, ws);
        sum_some(mode, model, some, true, noisy, ws);
        const std::size_t k = some.size();
        const double* const gram = ws.slots.total.data();
        double* const left = ws.slots.total.data() + k * k;
        const double* const moment = left + k;
        const std::span<double> core = model.edit(0);
        double values[kMostTogether];
        for (std::size_t i = 0; i < k; ++i) values[i] = core[some[i]];
        constexpr Mark kAllLive[kMostTogether] = {};
        if (noisy) {
          double denominator[kMostTogether];
          for (std::size_t i = 0; i < k; ++i) {
            denominator[i] = moment[i] + penalty.prior[0] * penalty.noise;
            model.variances(0)[some[i]] = penalty.noise / denominator[i];
          }
          sweep_block(NoiseSteps{denominator, penalty.nonnegative}, gram, k, k, kAllLive, left,
                      values);
        } else {
          with_step(penalty, [&](const auto& step) {
            sweep_block(SameSteps{step}, gram, k, k, kAllLive, left, values);
          });
        }
        for (std::size_t i = 0; i < k; ++i) core[some[i]] = values[i];
      });
}

void products_by_runs(const Plan& plan, const TuckerModel& model, Workspace& ws,
                      std::span<double> squares) {
  const ModePlan& mode = plan.modes[plan.core.mode];
  fill_residuals(plan, model, ws);
  std::ranges::fill(ws.gradient, 0.0);
  std::ranges::fill(squares, 0.0);
  const ModeRuns& runs = ws.runs.of(mode.mode);
  if (const std::size_t count = runs.elements.size(); count <= kMostJudged) {
    if (count > 0) sum_all_products(mode, model, count, ws);
    for (std::size_t i = 0; i < count; ++i) {
      ws.gradient[runs.elements[i]] = ws.slots.total[i];
      squares[runs.elements[i]] = ws.slots.total[count + i];
    }
    return;
  }
  const std::span<const double> core = model.values(0);
  for_some(
      core.size(), [&](std::size_t i) { return core[i] != 0.0; },
      [&](std::span<const std::size_t> some) {
        sum_some(mode, model, some, false, false, ws);
        const double* const sums = ws.slots.total.data();
        const std::size_t k = some.size();
        for (std::size_t i = 0; i < k; ++i) {
          squares[some[i]] = sums[i * k + i];
          ws.gradient[some[i]] = sums[k * k + i];
        }
      });
}

}  // namespace vest::inline VEST_ISA
