// V and b of chosen rows, written out in full: the row update's sums without its steps.
#include "kernels/factor/row_sums.hpp"

#include "kernels/factor/row_pass.hpp"
#include "kernels/kernels.hpp"

namespace vest::inline VEST_ISA {
namespace {

/// Where sums are written, and for which rows.
struct Chosen {
  std::span<const index_t> rows;
  double* v;
  double* b;

  /// The place of a row among those chosen, or their number if it is not one of them.
  [[nodiscard]] std::size_t place_of(index_t row) const {
    if (rows.empty() || row < rows.front() || row > rows.back()) return rows.size();
    const auto found = std::ranges::lower_bound(rows, row);
    return *found == row ? static_cast<std::size_t>(found - rows.begin()) : rows.size();
  }
};

/// Sums the rows that are chosen, and passes over all others.
template <int J>
class WrittenSums {
 public:
  WrittenSums(const DeltaSource& source, const Chosen& chosen, Scratch& scratch)
      : mode_(source.plan.mode),
        rank_(source.rank()),
        model_(source.model),
        chosen_(chosen),
        sums_(source, scratch) {}

  std::size_t start(index_t row) {
    place_ = chosen_.place_of(row);
    return is_chosen() ? sums_.start(model_.row_marks(mode_, row)) : 0;
  }

  void sum(pos_t begin, pos_t end, double* sums) {
    if (is_chosen()) sums_.sum(begin, end, sums);
  }

  void finish(const double* sums) {
    if (!is_chosen()) return;
    clear();
    if constexpr (J == kByRuns)
      write_packed(sums);
    else
      write(sums);
  }

  /// No entry touches the row, so nothing is added up.
  void finish_untouched(index_t row) {
    place_ = chosen_.place_of(row);
    if (is_chosen()) clear();
  }

 private:
  [[nodiscard]] bool is_chosen() const { return place_ < chosen_.rows.size(); }
  [[nodiscard]] double* v_row(std::size_t j) const {
    return chosen_.v + (place_ * rank_ + j) * rank_;
  }
  [[nodiscard]] double* b() const { return chosen_.b + place_ * rank_; }
  void clear() {
    std::fill_n(v_row(0), rank_ * rank_, 0.0);
    std::fill_n(b(), rank_, 0.0);
  }
  void write(const double* sums) {
    const std::span<const std::size_t> live = sums_.live();
    const OuterLayout<J> layout = sums_.all().layout();
    for (std::size_t j = 0; j < live.size(); ++j) {
      for (std::size_t t = j; t < live.size(); ++t) {
        const double v = sums_.few() ? sums[j * live.size() + t]
                                     : sums[layout.row(live[j]) + live[t] - layout.first(live[j])];
        v_row(live[j])[live[t]] = v_row(live[t])[live[j]] = v;
      }
      b()[live[j]] = sums_.few() ? sums[live.size() * live.size() + j] : sums[layout.b() + live[j]];
    }
  }
  void write_packed(const double* sums) {
    const std::span<const std::size_t> live = sums_.live();
    const OuterLayout<J> layout(live.size());
    for (std::size_t j = 0; j < live.size(); ++j) {
      for (std::size_t t = j; t < live.size(); ++t)
        v_row(live[j])[live[t]] = v_row(live[t])[live[j]] =
            sums[layout.row(j) + t - layout.first(j)];
      b()[live[j]] = sums[layout.b() + j];
    }
  }

  Mode mode_;
  std::size_t rank_;
  const TuckerModel& model_;
  const Chosen& chosen_;
  RowSums<J> sums_;
  std::size_t place_ = 0;
};

}  // namespace

void row_sums(const ModePlan& plan, const TuckerModel& model, std::span<const index_t> rows,
              Workspace& ws, std::span<double> v, std::span<double> b) {
  const DeltaSource source = prepare_delta(plan, model, ws);
  const Chosen chosen{rows, v.data(), b.data()};
  with_source(source, [&]<int J>() {
    for_row_sums(
        source, noisy_sums_size(source.rank(), J == kByRuns), ws,
        [&](Scratch& scratch) { return WrittenSums<J>(source, chosen, scratch); },
        [](pos_t, const WrittenSums<J>&) {});
  });
}

}  // namespace vest::inline VEST_ISA
