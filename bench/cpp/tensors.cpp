// Drawing distinct cells with skew, bursts or a heavy row; reading .tns; random starts.
#include "tensors.hpp"

#include <algorithm>
#include <armadillo>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>
#include <numeric>
#include <stdexcept>

#include "random.hpp"
#include "vest/big_vector.hpp"

namespace vest::bench {
namespace {

/// Draws rows of one mode. Popularity says nothing about a row's number: ranks are shuffled.
class RowPicker {
 public:
  RowPicker(pos_t dim, double exponent, Random& random)
      : dim_(static_cast<double>(dim)), power_(1.0 - exponent), offset_(1.0 + dim_ / 500.0) {
    if (exponent == 0.0) return;
    row_.resize(static_cast<std::size_t>(dim));
    std::iota(row_.begin(), row_.end(), index_t{0});
    for (std::size_t i = row_.size(); i > 1; --i)
      std::swap(row_[i - 1], row_[static_cast<std::size_t>(random.below(static_cast<pos_t>(i)))]);
    low_ = primitive(offset_);
    high_ = primitive(offset_ + dim_);
  }

  [[nodiscard]] index_t operator()(Random& random) const {
    if (row_.empty()) return static_cast<index_t>(random.unit() * dim_);
    const double rank = inverse(low_ + random.unit() * (high_ - low_)) - offset_;
    return row_[static_cast<std::size_t>(std::clamp(rank, 0.0, dim_ - 1.0))];
  }

 private:
  /// The integral of x^-s, up to a constant, and its inverse.
  [[nodiscard]] double primitive(double x) const {
    return power_ == 0.0 ? std::log(x) : std::pow(x, power_) / power_;
  }
  [[nodiscard]] double inverse(double y) const {
    return power_ == 0.0 ? std::exp(y) : std::pow(y * power_, 1.0 / power_);
  }

  double dim_, power_, offset_;
  double low_ = 0.0, high_ = 0.0;
  std::vector<index_t> row_;
};

/// A set of cells by 64-bit fingerprint. Two cells that share one count as the same, so what it
/// lets through is distinct for certain.
class CellSet {
 public:
  explicit CellSet(pos_t cells) : slots_(std::bit_ceil(static_cast<std::size_t>(cells) * 3 / 2)) {}

  /// False if the cell was there already.
  [[nodiscard]] bool add(const index_t* cell, std::size_t order) {
    std::uint64_t key = 0;
    for (std::size_t n = 0; n < order; ++n)
      key = mix(key + 0x9e3779b97f4a7c15U + static_cast<std::uint64_t>(cell[n]));
    key |= std::uint64_t{1} << 63;  // 0 means an empty slot
    std::size_t at = key & (slots_.size() - 1);
    for (; slots_[at] != 0; at = (at + 1) & (slots_.size() - 1))
      if (slots_[at] == key) return false;
    slots_[at] = key;
    return true;
  }

 private:
  std::vector<std::uint64_t> slots_;
};

void check_room(const TensorSpec& spec) {
  double cells = 1.0;
  for (const pos_t dim : spec.shape) {
    if (dim < 1) throw std::invalid_argument("--shape: every dimension is 1 at least");
    cells *= static_cast<double>(dim);
  }
  if (spec.entries >= 1 && static_cast<double>(spec.entries) <= cells / 2) return;
  char room[32];
  std::snprintf(room, sizeof room, "%.0f", cells);
  throw std::invalid_argument("--entries: between 1 and half of the " + std::string(room) +
                              " cells, not " + std::to_string(spec.entries));
}

/// Replaces the coordinates from mode 2 on by those of one of the row's sessions, which depend on
/// the row and the session's number alone.
void join_session(const TensorSpec& spec, double row_entries, Random& random, index_t* cell) {
  const auto sessions = 1 + static_cast<pos_t>(row_entries / 40.0);
  Random session((static_cast<std::uint64_t>(cell[0]) << 32) ^
                 static_cast<std::uint64_t>(random.below(sessions)) ^ mix(spec.seed));
  for (std::size_t n = 2; n < spec.shape.size(); ++n)
    cell[n] = static_cast<index_t>(session.below(spec.shape[n]));
}

}  // namespace

Entries draw(const TensorSpec& spec) {
  check_room(spec);
  Random random(spec.seed);
  const std::size_t order = spec.shape.size();
  std::vector<RowPicker> pick;
  for (std::size_t n = 0; n < order; ++n)
    pick.emplace_back(spec.shape[n], n < spec.skew.size() ? spec.skew[n] : 0.0, random);

  const auto entries = static_cast<std::size_t>(spec.entries);
  Entries drawn{std::vector<index_t>(entries * order), std::vector<double>(entries), spec.shape};
  std::vector<std::uint32_t> row_entries(static_cast<std::size_t>(spec.shape[0]), 0);
  CellSet seen(spec.entries);
  pos_t tries_left = 20 * spec.entries + 1000;
  for (std::size_t e = 0; e < entries;) {
    if (tries_left-- == 0)
      throw std::invalid_argument(
          "that skew, heavy row or bursts leave too few cells to draw from");
    index_t* cell = drawn.coords.data() + e * order;
    for (std::size_t n = 0; n < order; ++n) cell[n] = pick[n](random);
    if (spec.heavy > 0.0 && random.unit() < spec.heavy) cell[0] = 0;
    std::uint32_t& in_row = row_entries[static_cast<std::size_t>(cell[0])];
    if (spec.bursts) join_session(spec, in_row, random, cell);
    if (!seen.add(cell, order)) continue;
    ++in_row;
    drawn.values[e++] = 0.5 * static_cast<double>(1 + random.below(10));
  }
  return drawn;
}

Entries read_tns(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path + "; --tensor says where it is");
  Entries read;
  std::string line;
  std::vector<double> fields;
  for (pos_t number = 1; std::getline(file, line); ++number) {
    fields.clear();
    const char* at = line.data();
    const char* const end = at + line.size();
    while (true) {
      while (at < end && (*at == ' ' || *at == '\t' || *at == '\r')) ++at;
      if (at == end) break;
      double field = 0.0;
      const auto [next, error] = std::from_chars(at, end, field);
      if (error != std::errc()) break;
      fields.push_back(field);
      at = next;
    }
    if (fields.empty() && (line.empty() || line[0] == '#')) continue;
    if (read.shape.empty() && fields.size() > 2) read.shape.assign(fields.size() - 1, 0);
    if (at != end || fields.size() != read.shape.size() + 1)
      throw std::runtime_error(path + ", line " + std::to_string(number) +
                               ": expected coordinates and a value, in plain text");
    for (std::size_t n = 0; n + 1 < fields.size(); ++n) {
      const auto coord = static_cast<index_t>(fields[n]) - 1;
      read.coords.push_back(coord);
      read.shape[n] = std::max<pos_t>(read.shape[n], coord + 1);
    }
    read.values.push_back(fields.back());
  }
  return read;
}

SparseTensor as_tensor(const Entries& entries) {
  return {entries.coords, entries.values, entries.shape};
}

std::vector<index_t> full_ranks(const std::vector<index_t>& ranks, std::size_t order) {
  if (ranks.size() == 1) return std::vector<index_t>(order, ranks[0]);
  if (ranks.size() != order)
    throw std::invalid_argument("there are " + std::to_string(ranks.size()) + " ranks for " +
                                std::to_string(order) + " modes");
  return ranks;
}

TuckerModel make_start(const std::vector<pos_t>& shape, const std::vector<index_t>& ranks,
                       std::uint64_t seed) {
  Random random(seed);
  arma::uword core_size = 1;
  // In huge pages, as NumPy's large arrays are where a fit begins in Python.
  const auto memory = std::make_shared<std::vector<BigVector<double>>>(shape.size());
  std::vector<arma::mat> factors;
  factors.reserve(shape.size());  // a growing vector would copy them, out of their memory
  for (std::size_t n = 0; n < shape.size(); ++n) {
    const auto rank = static_cast<arma::uword>(ranks[n]);
    const auto rows = static_cast<arma::uword>(shape[n]);
    core_size *= rank;
    (*memory)[n].resize(rank * rows);
    factors.emplace_back((*memory)[n].data(), rank, rows, false, true);
    factors.back().imbue([&] { return random.unit(); });
  }
  arma::vec core(core_size, arma::fill::none);
  core.imbue([&] { return random.unit(); });
  return {ranks, std::move(core), std::move(factors), memory};
}

void keep_pairs(TuckerModel& model) {
  const std::span<double> core = model.edit(0);
  std::ranges::fill(core, 0.0);
  core[0] = 1.0;
  for (Mode n = 0; n < model.order(); ++n) {
    if (model.rank(n) > 1) core[model.core_stride(n)] = 1.0;
    for (Mode m = n + 1; m < model.order(); ++m)
      for (std::size_t j = 2; j < std::min(model.rank(n), model.rank(m)); ++j)
        core[j * (model.core_stride(n) + model.core_stride(m))] = 1.0;
    const std::span<double> rows = model.edit(n + 1);
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows[i] = i % model.rank(n) == 0 ? 1.0 : 0.3 * (rows[i] - 0.5);
  }
}

}  // namespace vest::bench
