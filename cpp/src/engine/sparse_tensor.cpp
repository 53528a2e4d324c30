// Checking a tensor's entries, and finding repeated ones.
#include "vest/sparse_tensor.hpp"

#include <cmath>
#include <string>

#include "engine/planning/entry_order.hpp"

namespace vest {
namespace {

void check_shape(std::span<const pos_t> shape) {
  const std::size_t order = shape.size();
  if (order < 2 || order > kMaxOrder)
    throw std::invalid_argument("a tensor needs 2 to " + std::to_string(kMaxOrder) +
                                " modes, not " + std::to_string(order));
  for (Mode n = 0; n < order; ++n)
    if (shape[n] < 1 || shape[n] > kMaxIndex)
      throw std::invalid_argument("mode " + std::to_string(n) + " has dimension " +
                                  std::to_string(shape[n]) + "; it must lie in 1 to " +
                                  std::to_string(kMaxIndex));
}

/// Summed in blocks: the error of a plain running sum would grow with the number of entries.
double sum_of_squares(std::span<const double> values) {
  const Cut cut{static_cast<pos_t>(values.size()), 4096};
  double total = 0.0;
  for (pos_t block = 0; block < cut.count(); ++block) {
    double sum = 0.0;
    for (pos_t i = cut.begin(block); i < cut.end(block); ++i) {
      const double x = values[static_cast<std::size_t>(i)];
      sum += x * x;
    }
    total += sum;
  }
  return total;
}

template <class Pos>
std::optional<std::pair<pos_t, pos_t>> first_repeat(const SparseTensor& x, const Team& team) {
  EntryOrder<Pos> sorted(x, team);
  for (Mode n = x.order(); n-- > 0;) sorted.sort_by(n);
  const BigVector<Pos>& order = sorted.order();
  std::optional<std::pair<pos_t, pos_t>> found;
  for (std::size_t i = 1; i < order.size(); ++i) {
    const auto a = static_cast<pos_t>(order[i - 1]);
    const auto b = static_cast<pos_t>(order[i]);  // a < b where coordinates agree: stable sorts
    bool same = true;
    for (Mode n = 0; same && n < x.order(); ++n) same = x.coord(a, n) == x.coord(b, n);
    if (same && (!found || b < found->second)) found = {a, b};
  }
  return found;
}

}  // namespace

void check_coords(std::span<const index_t> coords, std::span<const pos_t> shape) {
  const std::size_t order = shape.size();
  for (std::size_t at = 0; at < coords.size();)
    for (Mode n = 0; n < order; ++n, ++at)
      if (coords[at] < 0 || coords[at] >= shape[n])
        throw CoordinateError(
            "entry " + std::to_string(at / order) + ": coordinate " + std::to_string(coords[at]) +
            " in mode " + std::to_string(n) + " is outside 0.." + std::to_string(shape[n] - 1) +
            "; coordinates count from 0 (subtract 1 if yours count from 1) and must be below the "
            "mode's dimension");
}

SparseTensor::SparseTensor(std::span<const index_t> coords, std::span<const double> values,
                           std::vector<pos_t> shape, std::shared_ptr<const void> owner)
    : coords_(coords), values_(values), shape_(std::move(shape)), owner_(std::move(owner)) {
  check_shape(shape_);
  if (values_.empty()) throw std::invalid_argument("the tensor has no entries");
  if (coords_.size() != values_.size() * order())
    throw std::invalid_argument("there are " + std::to_string(values_.size()) + " values but " +
                                std::to_string(coords_.size() / order()) + " coordinate rows");
  check_coords(coords_, shape_);
  for (std::size_t i = 0; i < values_.size(); ++i)
    if (!std::isfinite(values_[i]))
      throw NonFiniteError("entry " + std::to_string(i) + " has the value " +
                           std::to_string(values_[i]) +
                           "; leave missing cells out and replace infinite values");
  norm2_ = sum_of_squares(values_);
}

std::optional<std::pair<pos_t, pos_t>> SparseTensor::find_duplicate(const Team& team) const {
  return with_position_type(nnz(),
                            [&](auto pos) { return first_repeat<decltype(pos)>(*this, team); });
}

}  // namespace vest
