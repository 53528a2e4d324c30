// Products with the Gram matrix of the core's features, block by block as gram_layout.cpp has it.
#pragma once

#include <algorithm>
#include <cstddef>

#include "kernels/core/gram_layout.hpp"
#include "kernels/factor/contract.hpp"
#include "kernels/vectors/pairs.hpp"
#include "vest/model.hpp"
#include "workspace/workspace.hpp"

namespace vest::inline VEST_ISA {

/// Number of the leading pair {j, k}, mode by mode in C order.
inline std::size_t lead_pair(const std::size_t* j, const std::size_t* k, const TuckerModel& model,
                             Mode leading) {
  std::size_t number = 0;
  for (Mode n = 0; n < leading; ++n)
    number = number * pair_count(model.rank(n)) + pair_index(j[n], k[n], model.rank(n));
  return number;
}

/// The blocks of K, one per pair of leading indices, and products of their rows with a vector.
class Gram {
 public:
  Gram(const GramLayout& layout, const TuckerModel& model, Workspace& ws)
      : layout_(layout), model_(model), ws_(ws) {}

  /// left(block) -= K(block, other) x(other) for the blocks from `begin` to `end`, numbered by
  /// their leading indices in C order; zeros cost nothing.
  void subtract(std::size_t block, std::size_t begin, std::size_t end, const double* x,
                double* left) const {
    std::size_t row[kMaxOrder];
    std::size_t column[kMaxOrder];
    lead_of(block, layout_.leading, row);
    for (std::size_t other = begin; other < end; ++other) {
      lead_of(other, layout_.leading, column);
      subtract_product(matrix(row, column), x + other * layout_.block, left);
    }
  }

  /// The block's own matrix.
  [[nodiscard]] const double* diagonal(std::size_t block) const {
    std::size_t row[kMaxOrder];
    lead_of(block, layout_.leading, row);
    return matrix(row, row);
  }

  /// What is left to explain at the present core: the products with the values, less K g. By
  /// families, which read less, where there are enough for threads to share; the sums of a block
  /// are added up in the same order either way.
  void explain() const {
    std::ranges::copy(ws_.gram.target, ws_.gradient.begin());
    const double* core = model_.values(0).data();
    double* left = ws_.gradient.data();
    if (layout_.leading > 1 && families() >= kFewestFamilies)
      ws_.team.for_chunks(static_cast<pos_t>(families()), [&](pos_t family, int) {
        subtract_all(static_cast<std::size_t>(family), core, left);
      });
    else
      ws_.team.for_chunks(
          static_cast<pos_t>(layout_.lead_size),
          [&](pos_t b, int) {
            const auto block = static_cast<std::size_t>(b);
            subtract(block, 0, layout_.lead_size, core, left + block * layout_.block);
          },
          4);
  }

 private:
  static constexpr std::size_t kFewestFamilies = 8;

  /// Blocks that differ in the last leading index alone are a family.
  [[nodiscard]] std::size_t family_size() const { return model_.rank(layout_.leading - 1); }
  [[nodiscard]] std::size_t families() const { return layout_.lead_size / family_size(); }

  /// left -= K x for the blocks of a family. A pair of last indices has one matrix for both its
  /// orders: it comes from far, and serves twice.
  void subtract_all(std::size_t family, const double* x, double* left) const {
    const Mode last = layout_.leading - 1;
    const std::size_t rank = family_size();
    const std::size_t size = layout_.block;
    std::size_t row[kMaxOrder];
    std::size_t column[kMaxOrder];
    lead_of(family, last, row);
    left += family * rank * size;
    for (std::size_t other = 0; other < families(); ++other, x += rank * size) {
      lead_of(other, last, column);
      const double* pair = ws_.gram.matrix.data() + lead_pair(row, column, model_, last) *
                                                        pair_count(rank) * layout_.matrix();
      for (std::size_t j = 0; j < rank; ++j)
        for (std::size_t k = j; k < rank; ++k, pair += layout_.matrix()) {
          subtract_product(pair, x + k * size, left + j * size);
          if (k != j) subtract_product(pair, x + j * size, left + k * size);
        }
    }
  }

  /// left -= k x, for the matrix k of one block; zeros cost nothing.
  void subtract_product(const double* k, const double* x, double* left) const {
    combine(k, layout_.stride, x, -1.0, layout_.block, layout_.block, false, left);
  }

  /// The first `modes` leading indices, which are numbered in C order.
  void lead_of(std::size_t number, Mode modes, std::size_t* at) const {
    for (Mode n = modes; n-- > 0;) {
      at[n] = number % model_.rank(n);
      number /= model_.rank(n);
    }
  }
  [[nodiscard]] const double* matrix(const std::size_t* row, const std::size_t* column) const {
    return ws_.gram.matrix.data() +
           lead_pair(row, column, model_, layout_.leading) * layout_.matrix();
  }

  const GramLayout& layout_;
  const TuckerModel& model_;
  Workspace& ws_;
};

}  // namespace vest::inline VEST_ISA
