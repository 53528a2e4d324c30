// Checking a tensor's entries, noticing that they were changed, and finding repeated ones.
#include "vest/sparse_tensor.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
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
template <class Term>
double sum_in_blocks(std::size_t count, Term&& term) {
  const Cut cut{static_cast<pos_t>(count), 4096};
  double total = 0.0;
  for (pos_t block = 0; block < cut.count(); ++block) {
    double sum = 0.0;
    for (pos_t i = cut.begin(block); i < cut.end(block); ++i)
      sum += term(static_cast<std::size_t>(i));
    total += sum;
  }
  return total;
}

/// A number as a message shows it: with the digits that it takes to tell it from 0.
std::string shown(double number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%g", number);
  return text.data();
}

/// A number that changes when any of the bytes does, but for rare accidents. Several lanes side by
/// side, each of shifts and sums only, which processors do many at a time: as fast as reading.
std::uint64_t checksum(std::span<const std::byte> bytes) {
  constexpr std::size_t kLanes = 16;
  std::array<std::uint32_t, kLanes> lanes{};
  std::array<std::uint32_t, kLanes> words{};
  for (std::size_t at = 0; at < bytes.size(); at += sizeof words) {
    const std::size_t size = std::min(sizeof words, bytes.size() - at);
    std::memcpy(words.data(), bytes.data() + at, size);
    for (std::size_t l = 0; l < kLanes; ++l) lanes[l] = std::rotl(lanes[l], 5) + words[l];
  }
  std::uint64_t sum = 0;
  for (const std::uint32_t lane : lanes) sum = std::rotl(sum, 11) + lane;
  return sum;
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
                           std::vector<pos_t> shape, std::shared_ptr<const void> owner,
                           std::span<const double> weights)
    : coords_(coords), weights_(weights), shape_(std::move(shape)), owner_(std::move(owner)) {
  check_shape(shape_);
  if (values.empty()) throw std::invalid_argument("the tensor has no entries");
  if (coords_.size() != values.size() * order())
    throw std::invalid_argument("there are " + std::to_string(values.size()) + " values but " +
                                std::to_string(coords_.size() / order()) + " coordinate rows");
  if (weighted() && weights_.size() != values.size())
    throw std::invalid_argument("there are " + std::to_string(values.size()) + " values but " +
                                std::to_string(weights_.size()) + " weights");
  check_coords(coords_, shape_);
  coords_sum_ = checksum(std::as_bytes(coords_));
  check_weights();
  weights_sum_ = checksum(std::as_bytes(weights_));
  take_values(values);
}

SparseTensor SparseTensor::with_values(std::span<const double> values,
                                       std::shared_ptr<const void> owner) const {
  if (values.size() != values_.size())
    throw std::invalid_argument("there are " + std::to_string(values.size()) +
                                " values for a tensor of " + std::to_string(values_.size()) +
                                " entries");
  SparseTensor other = *this;
  using Owners = std::pair<std::shared_ptr<const void>, std::shared_ptr<const void>>;
  other.owner_ = std::make_shared<const Owners>(owner_, std::move(owner));
  other.take_values(values);
  return other;
}

void SparseTensor::take_values(std::span<const double> values) {
  values_ = values;
  for (std::size_t i = 0; i < values_.size(); ++i)
    if (!std::isfinite(values_[i]))
      throw NonFiniteError("entry " + std::to_string(i) + " has the value " +
                           std::to_string(values_[i]) +
                           "; leave missing cells out and replace infinite values");
  const auto square = [&](std::size_t i) { return values_[i] * values_[i]; };
  norm2_ = weighted() ? sum_in_blocks(values_.size(),
                                      [&](std::size_t i) { return weights_[i] * square(i); })
                      : sum_in_blocks(values_.size(), square);
  values_sum_ = checksum(std::as_bytes(values_));
}

void SparseTensor::check_weights() const {
  for (std::size_t i = 0; i < weights_.size(); ++i)
    if (!std::isfinite(weights_[i]) || weights_[i] <= 0.0)
      throw WeightError("entry " + std::to_string(i) + " has the weight " + shown(weights_[i]) +
                        "; weights are positive and finite: leave out entries that are to count "
                        "for nothing");
}

bool SparseTensor::is_unchanged() const {
  return checksum(std::as_bytes(coords_)) == coords_sum_ &&
         checksum(std::as_bytes(values_)) == values_sum_ &&
         checksum(std::as_bytes(weights_)) == weights_sum_;
}

std::optional<std::pair<pos_t, pos_t>> SparseTensor::find_duplicate(const Team& team) const {
  return with_position_type(nnz(),
                            [&](auto pos) { return first_repeat<decltype(pos)>(*this, team); });
}

}  // namespace vest
