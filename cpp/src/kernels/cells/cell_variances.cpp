// How uncertain a prediction is, to first order: the variances of the elements, each times the
// square of the prediction's slope in it.
#include <algorithm>

#include "kernels/cells/bundle.hpp"
#include "kernels/kernels.hpp"

namespace vest::inline VEST_ISA {
namespace {

/// What is known of the terms below a node: their sum, and with variances for elements and squares
/// of rows in place of the rows.
struct Sums {
  BundleOf values;
  BundleOf variances;
};

/// Adds to `slopes` those in the elements of the rows: delta of mode n, for each column used. On
/// the way down a node knows the product of the rows above it, `above`, on the way up the sums of
/// the terms below; those of all nodes from `begin` to `end` are added to `sums`.
void add_slopes(const CoreTerms& terms, const BundleRows& rows, const BundleRows& slopes,
                Mode depth, std::uint32_t begin, std::uint32_t end, const BundleOf& above,
                Sums& sums) {
  const CoreTerms::Level& level = terms.level(depth);
  for (std::uint32_t k = begin; k < end; ++k) {
    const std::size_t at = level.place[k] * kBundle;
    const BundleOf own(rows.mode(depth) + at);
    BundleOf square;
    square.set(own, own);
    BundleOf slope(slopes.mode(depth) + at);
    if (depth + 1 == terms.order()) {
      slope.add(terms.values()[k], above);
      sums.values.add(terms.values()[k], own);
      sums.variances.add(terms.variances()[k], square);
    } else {
      BundleOf next;
      next.set(above, own);
      Sums below;
      add_slopes(terms, rows, slopes, depth + 1, level.first[k], level.first[k + 1], next, below);
      slope.add(above, below.values);  // which nodes further down have not touched
      sums.values.add(own, below.values);
      sums.variances.add(square, below.variances);
    }
    slope.store(slopes.mode(depth) + at);
  }
}

/// Var B(alpha) of bundles of cells, in the memory of one thread.
class BundleVariances {
 public:
  [[nodiscard]] static std::size_t scratch_size(const CoreTerms& terms) {
    return 3 * BundleRows::scratch_size(terms);
  }

  BundleVariances(const CoreTerms& terms, double* memory)
      : terms_(&terms),
        size_(BundleRows::scratch_size(terms)),
        rows_(terms, memory),
        slopes_(terms, memory + size_),
        variances_(terms, memory + 2 * size_) {}

  void operator()(const TuckerModel& model, const TuckerModel& variances,
                  std::span<const index_t> cells, double* out) const {
    static constexpr double kOnes[] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
    static_assert(std::size(kOnes) == kBundle);
    rows_.load(model, cells);
    variances_.load(variances, cells);
    std::fill_n(slopes_.mode(0), size_, 0.0);
    Sums sums;
    add_slopes(*terms_, rows_, slopes_, 0, 0, terms_->level(0).count(), BundleOf(kOnes), sums);
    for (std::size_t at = 0; at < size_; at += kBundle) {
      const BundleOf slope(slopes_.mode(0) + at);
      BundleOf square;
      square.set(slope, slope);
      sums.variances.add(square, BundleOf(variances_.mode(0) + at));
    }
    sums.variances.store(out);
  }

 private:
  const CoreTerms* terms_;
  std::size_t size_;
  BundleRows rows_, slopes_, variances_;
};

}  // namespace

void predict_variances(const TuckerModel& model, const TuckerModel& variances,
                       std::span<const index_t> coords, const Team& team, std::span<double> out) {
  const CoreTerms terms(model.values(0), variances.values(0), model.ranks());
  // A core of zeros needs none, but has a column for each thread all the same.
  const std::size_t size = std::max<std::size_t>(1, BundleVariances::scratch_size(terms));
  Unfilled memory(size, static_cast<std::size_t>(team.threads()));
  const Cut cut{std::ssize(out), kCellsPerChunk};
  team.for_chunks(
      cut.count(),
      [&](pos_t chunk, int thread) {
        const BundleVariances fill(terms, memory.column(static_cast<std::size_t>(thread)));
        for_bundles(
            coords, model.order(), cut.begin(chunk), cut.end(chunk),
            [&](std::span<const index_t> cells) {
              prefetch_bundle(model, cells);
              prefetch_bundle(variances, cells);
            },
            [&](std::span<const index_t> cells, std::size_t first) {
              double values[kBundle];
              fill(model, variances, cells, values);
              std::copy_n(values, cells.size() / model.order(), out.data() + first);
            });
      },
      kStartWeighs * worthwhile_chunks(static_cast<double>(kCellsPerChunk) *
                                       static_cast<double>(terms.nodes()) / kBundle));
}

}  // namespace vest::inline VEST_ISA
