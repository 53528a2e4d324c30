// The model being fitted: the core, the factors, and which of their elements are pruned.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "vest/types.hpp"

// The model keeps its values in Armadillo's matrices. Who gives or takes them includes <armadillo>;
// kernels and bindings need pointers alone, and compile in a fraction of the time without it.
namespace arma {
template <typename Element>
class Mat;
template <typename Element>
class Col;
}  // namespace arma

namespace vest {

/// The paper's marking table. Elements that the caller wants kept are updated but never chosen. The
/// last batch can be revived, so it is told from earlier ones; what is chosen becomes the last
/// batch only when all parts have been judged. Fixed elements keep the value that they have.
enum class Mark : std::uint8_t { kFree, kKept, kPruned, kLastBatch, kFixed, kChosen };

/// Whether updates reach an element.
[[nodiscard]] constexpr bool is_live(Mark mark) { return mark <= Mark::kKept; }
/// Whether an element is zero for good, or about to be.
[[nodiscard]] constexpr bool is_pruned(Mark mark) { return !is_live(mark) && mark != Mark::kFixed; }

/// A factor in memory of the caller's: an I x J array in C order.
struct FactorArray {
  double* memory;
  std::size_t rows, columns;
};

/// "Part" numbers the core and the factors together: part 0 is the core, part n + 1 is A(n).
class TuckerModel {
 public:
  TuckerModel() = default;
  /// `core` in C order, `factors[n]` as J_n x I_n: column i is row i of the paper's A(n), the same
  /// bytes as a C-order I_n x J_n array. Matrices may borrow memory that `owner` keeps alive.
  /// Throws std::invalid_argument if sizes do not fit.
  TuckerModel(std::vector<index_t> ranks, arma::Col<double> core,
              std::vector<arma::Mat<double>> factors, std::shared_ptr<const void> owner = {});
  /// A model in memory of the caller's, which `owner` keeps alive.
  [[nodiscard]] static TuckerModel borrowing(std::vector<index_t> ranks, std::span<double> core,
                                             std::span<const FactorArray> factors,
                                             std::shared_ptr<const void> owner);
  /// A copy has memory of its own for the values, but shares variances.
  TuckerModel(const TuckerModel& other);
  TuckerModel& operator=(const TuckerModel& other);
  TuckerModel(TuckerModel&& other) noexcept = default;
  TuckerModel& operator=(TuckerModel&& other) noexcept = default;
  ~TuckerModel() = default;

  [[nodiscard]] std::size_t order() const { return ranks_.size(); }
  [[nodiscard]] std::size_t parts() const { return marks_.size(); }
  [[nodiscard]] const std::vector<index_t>& ranks() const { return ranks_; }
  [[nodiscard]] std::size_t rank(Mode n) const { return static_cast<std::size_t>(ranks_[n]); }

  /// How far apart neighbours along mode n stand in the core.
  [[nodiscard]] std::size_t core_stride(Mode n) const {
    std::size_t stride = 1;
    for (Mode m = n + 1; m < order(); ++m) stride *= rank(m);
    return stride;
  }

  /// The values as Armadillo has them.
  [[nodiscard]] const arma::Col<double>& core() const;
  [[nodiscard]] const arma::Mat<double>& factor(Mode n) const;
  /// How many rows A(n) has.
  [[nodiscard]] std::size_t rows(Mode n) const { return parts_[n + 1].size / rank(n); }
  /// Row i of A(n).
  [[nodiscard]] const double* row(Mode n, index_t i) const {
    const Part& factor = parts_[n + 1];
    return factor.values + static_cast<std::size_t>(i) * factor.width;
  }

  /// Whether a row is all zero, and surely so where elements have variances. Always inline: builds
  /// of the kernels for different processors must not share it.
  [[nodiscard, gnu::always_inline]] bool is_empty_row(Mode n, index_t i) const {
    const auto zero = [](double x) { return x == 0.0; };
    const double* a = row(n, i);
    if (!std::all_of(a, a + rank(n), zero)) return false;
    if (!has_variances()) return true;
    const double* s = variance_row(n, i);
    return std::all_of(s, s + rank(n), zero);
  }

  /// How sure each element is: its variance, one array per part, of the same sizes as the values.
  /// The memory is the owner's. Throws std::invalid_argument if sizes do not fit.
  void set_variances(std::vector<std::span<double>> variances);
  [[nodiscard]] bool has_variances() const { return !variances_.empty(); }
  [[nodiscard]] std::span<double> variances(std::size_t part) const { return variances_[part]; }
  /// The variances of row i of A(n).
  [[nodiscard]] const double* variance_row(Mode n, index_t i) const {
    return variances_[n + 1].data() + static_cast<std::size_t>(i) * rank(n);
  }

  [[nodiscard]] std::span<const double> values(std::size_t part) const {
    return {parts_[part].values, parts_[part].size};
  }
  /// The values of a part, to be changed: there is no other way to write to them. Gives the part a
  /// new version, so that what was computed from the old values is known to be out of date. To be
  /// called before the first write and by one thread; the values are not to be kept for later.
  [[nodiscard]] std::span<double> edit(std::size_t part);
  /// Grows with every edit of a part, from 1.
  [[nodiscard]] std::uint64_t version(std::size_t part) const { return versions_[part]; }
  [[nodiscard]] std::span<const Mark> marks(std::size_t part) const { return marks_[part]; }
  [[nodiscard]] std::span<Mark> marks(std::size_t part) { return marks_[part]; }
  [[nodiscard]] const Mark* row_marks(Mode n, index_t i) const {
    return marks_[n + 1].data() + static_cast<std::size_t>(i) * rank(n);
  }

 private:
  /// Where the values of a part lie.
  struct Part {
    double* values;
    std::size_t size;
    std::size_t width;  ///< From one row of a factor to the next.
  };
  struct Matrices;
  void find_parts();

  std::shared_ptr<const void> owner_;  // before what borrows, so that it goes last
  std::vector<index_t> ranks_;
  std::shared_ptr<Matrices> matrices_;  // of this model alone
  std::vector<Part> parts_;
  std::vector<std::span<double>> variances_;  // none, or one per part
  std::vector<std::vector<Mark>> marks_;
  std::vector<std::uint64_t> versions_;
};

/// The versions of a model from which something was computed: tells whether it is still right.
class ModelStamp {
 public:
  static constexpr std::size_t kNone = SIZE_MAX;

  /// Whether no part was edited since the stamp was set, `but` perhaps the one that does not
  /// matter.
  [[nodiscard]] bool fits(const TuckerModel& model, std::size_t but = kNone) const;
  void set(const TuckerModel& model);
  /// Fits no model until it is set again.
  void clear() { *this = {}; }

 private:
  std::uint64_t versions_[kMaxOrder + 1] = {};  // no part has version 0
};

}  // namespace vest
