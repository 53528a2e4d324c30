// Responsibility of a factor's elements: how much the squared error would grow if one were zero.
//
// The pass sees every residual, so the error itself falls out of it.
#include <numeric>

#include "kernels/delta/delta.hpp"
#include "kernels/factor/row_pass.hpp"
#include "kernels/factor/score.hpp"
#include "kernels/kernels.hpp"

namespace vest::inline VEST_ISA {
namespace {

[[nodiscard]] double square(double r) { return r * r; }

/// The same sums as RowScores makes, of the elements `nonzeros` of row `a` alone.
void sum_some(SomeDeltas& deltas, std::span<const std::size_t> nonzeros, const double* a,
              pos_t begin, pos_t end, double& total, double* sums) {
  with_few(nonzeros.size(), [&]<int K>() {
    const std::size_t k = K == 0 ? nonzeros.size() : std::size_t{K};
    double fixed[K == 0 ? 1 : 2 * K];
    double* const rf = K == 0 ? sums : fixed;
    double* const ff = rf + k;
    std::fill_n(rf, 2 * k, 0.0);
    double squares = total;
    deltas.each_of<K>(
        nonzeros, begin, end,
        [&](double x, const double* delta) {
          double r = x;
          for (std::size_t j = 0; j < k; ++j) r -= delta[j] * a[nonzeros[j]];
          squares += square(r);
          for (std::size_t j = 0; j < k; ++j) {
            rf[j] += r * delta[j];
            const double product = delta[j] * delta[j];
            ff[j] += K == 0 ? product : rounded(product);
          }
        },
        [&](double x) { squares += square(x); });
    if (K != 0) std::copy_n(rf, 2 * k, sums);
    total = squares;
  });
}

/// sum r delta(j) and sum delta(j)^2 of a row's non-zero elements, and sum r^2. Pruned elements are
/// zero, and zeros score zero: where few are left, only those are summed.
template <int J>
class RowScores {
 public:
  RowScores(const DeltaSource& source, const TuckerModel& model, double* out, Scratch& scratch)
      : plan_(source.plan),
        rank_(source.rank()),
        model_(model),
        out_(out),
        components_(rank_, scratch),
        deltas_(source, scratch),
        row_(rank_, scratch),
        rf_(rank_, scratch),
        ff_(rank_, scratch) {}

  std::size_t start(index_t row) {
    index_ = row;
    a_ = model_.row(plan_.mode, row);
    nonzeros_ = components_.choose([&](std::size_t j) { return a_[j] != 0.0; });
    if (out_ == nullptr) return 0;
    return 2 * (few() ? nonzeros_.size() : stored_size<J>(rank_));
  }

  void sum(pos_t begin, pos_t end, double* sums) {
    if (!few())
      sum_all(begin, end, sums);
    else if (!nonzeros_.empty())
      sum_few(begin, end, sums);
    else
      for (pos_t e = begin; e < end; ++e)
        squares_ += square(plan_.value[static_cast<std::size_t>(e)]);
  }

  void finish(const double* sums) {
    if (out_ == nullptr) return;
    double* scores = out_ + static_cast<std::size_t>(index_) * rank_;
    std::fill_n(scores, rank_, 0.0);
    const std::size_t to_ff = few() ? nonzeros_.size() : stored_size<J>(rank_);
    for (std::size_t k = 0; k < nonzeros_.size(); ++k) {
      const std::size_t j = nonzeros_[k];
      const double* rf = sums + (few() ? k : j);
      scores[j] = score(a_[j], rf[0], rf[to_ff]);
    }
  }

  void finish_untouched(index_t row) {
    if (out_ != nullptr) std::fill_n(out_ + static_cast<std::size_t>(row) * rank_, rank_, 0.0);
  }

  /// sum r^2 over all entries seen.
  [[nodiscard]] double squares() const { return squares_; }

 private:
  /// The deltas of a sparse core are all there at once.
  [[nodiscard]] bool few() const {
    return J == kByRuns ? nonzeros_.empty() : are_few(nonzeros_.size(), rank_);
  }

  void sum_few(pos_t begin, pos_t end, double* sums) {
    if constexpr (J != kByRuns) sum_some(deltas_, nonzeros_, a_, begin, end, squares_, sums);
  }

  void sum_all(pos_t begin, pos_t end, double* sums) {
    Row<J> row = row_;  // locals, so that they may live in registers
    Row<J> rf = rf_;
    Row<J> ff = ff_;
    double squares = squares_;
    row.load(a_);
    rf.clear();
    ff.clear();
    const auto zero = [&](double x) { squares += square(x); };
    if (out_ == nullptr) {
      deltas_.each(
          begin, end, [&](double x, const Row<J>& delta) { squares += square(x - delta.dot(row)); },
          zero);
    } else {
      deltas_.each(
          begin, end,
          [&](double x, const Row<J>& delta) {
            const double r = x - delta.dot(row);
            squares += square(r);
            rf.add(r, delta);
            ff.add_squares(delta);
          },
          zero);
      rf.store_padded(sums);
      ff.store_padded(sums + stored_size<J>(rank_));
    }
    squares_ = squares;
  }

  const ModePlan& plan_;
  std::size_t rank_;
  const TuckerModel& model_;
  double* out_;
  ComponentList components_;
  Deltas<J> deltas_;
  Row<J> row_, rf_, ff_;
  index_t index_ = 0;
  const double* a_ = nullptr;
  std::span<const std::size_t> nonzeros_;
  double squares_ = 0.0;
};

double pass(const ModePlan& plan, const TuckerModel& model, Workspace& ws, double* out) {
  const DeltaSource source = prepare_delta(plan, model, ws);
  with_shared_source(source, [&]<int J>() {
    for_row_sums(
        source, noisy_sums_size(source.rank(), J == kByRuns), ws,
        [&](Scratch& scratch) { return RowScores<J>(source, model, out, scratch); },
        [&](pos_t chunk, const RowScores<J>& rows) {
          ws.pass.squares[static_cast<std::size_t>(chunk)] = rows.squares();
        });
  });
  return std::accumulate(ws.pass.squares.begin(), ws.pass.squares.begin() + std::ssize(plan.chunks),
                         0.0);
}

}  // namespace

double squared_error(const Plan& plan, const TuckerModel& model, Workspace& ws) {
  return pass(plan.modes[plan.core.mode], model, ws, nullptr);
}

double factor_responsibilities(const ModePlan& plan, const TuckerModel& model, Workspace& ws,
                               std::span<double> out) {
  return pass(plan, model, ws, out.data());
}

}  // namespace vest::inline VEST_ISA
