// delta_alpha, the heart of the factor kernels: entry by entry, through the plan's tables.
#pragma once

#include <cstddef>

#include "contract.hpp"
#include "row.hpp"
#include "vest/plan.hpp"
#include "vest/workspace.hpp"

namespace vest::inline VEST_ISA {

/// What a pass over mode n reads: the state of all other modes, prepared once per pass.
struct DeltaSource {
  const ModePlan& plan;
  const TuckerModel& model;
  std::span<const double> core;  ///< Axes: tuple modes, last, mode (padded).
  const double* tables;          ///< One J_last x J_n table per tuple; null: on the fly.

  [[nodiscard]] std::size_t rank() const { return model.rank(plan.mode); }
  [[nodiscard]] std::size_t last_rank() const { return model.rank(plan.last); }
};

/// Elements of the core with the axis of the plan's mode padded.
[[nodiscard]] inline std::size_t padded_core_size(const ModePlan& plan, const TuckerModel& model) {
  return model.core().n_elem / model.rank(plan.mode) * padded_rank(model.rank(plan.mode));
}

/// Scratch that suffices for any pass over a mode: the levels of the contraction, and at most two
/// J x J sums and a dozen vectors.
[[nodiscard]] inline std::size_t pass_scratch_size(const ModePlan& plan, const TuckerModel& model) {
  const std::size_t rank = model.rank(plan.mode);
  return PrefixContraction::scratch_size(model, plan.tuple_modes, padded_core_size(plan, model)) +
         2 * rank * rank + 12 * rank;
}

/// Prepares the tables of a mode in the workspace, unless they are there already.
[[nodiscard]] DeltaSource prepare_delta(const ModePlan& plan, const TuckerModel& model,
                                        Workspace& ws);

/// Adds up, in order, what the pieces of a long row have summed.
inline void add_pieces(const Workspace& ws, const SplitRow& split, std::size_t size, double* sums) {
  std::fill_n(sums, size, 0.0);
  for (index_t piece = split.piece_begin; piece < split.piece_end; ++piece)
    for (std::size_t i = 0; i < size; ++i)
      sums[i] += ws.pieces.at(i, static_cast<arma::uword>(piece));
}

/// Finds the table of one entry after the other: delta = a(last)^T table.
class TableCursor {
 public:
  TableCursor(const DeltaSource& source, Scratch& scratch)
      : plan_(source.plan),
        last_rank_(source.last_rank()),
        stride_(padded_rank(source.rank())),
        last_(source.model.factor(plan_.last).memptr()),
        tables_(source.tables),
        contract_(source.model, plan_.tuple_modes, source.core, scratch) {}

  /// The table of an entry's tuple: J_last rows, each J_n long and padded.
  [[nodiscard]] const double* table(std::size_t entry) {
    if (plan_.tuple[entry] != tuple_) {
      tuple_ = plan_.tuple[entry];
      table_ = tables_ ? tables_ + static_cast<std::size_t>(tuple_) * last_rank_ * stride_
                       : contract_(plan_.coords_of(tuple_));
    }
    return table_;
  }
  /// The entry's row of the mode contracted last; asks for one further on, too.
  [[nodiscard]] const double* last(std::size_t entry) const {
    if (entry + kAhead < plan_.last_index.size())
      prefetch(last_ + static_cast<std::size_t>(plan_.last_index[entry + kAhead]) * last_rank_,
               last_rank_ * sizeof(double));
    return last_ + static_cast<std::size_t>(plan_.last_index[entry]) * last_rank_;
  }

  template <int J>
  void delta(std::size_t entry, Row<J>& out) {
    out.contract(table(entry), last(entry), last_rank_);
  }

  /// Only the components `kept`, into out[0..kept): what a sparse row needs.
  void delta_of(std::size_t entry, std::span<const std::size_t> kept, double* out) {
    const double* table_row = table(entry);
    const double* a = last(entry);
    for (std::size_t k = 0; k < kept.size(); ++k) out[k] = 0.0;
    for (std::size_t p = 0; p < last_rank_; ++p, table_row += stride_)
      for (std::size_t k = 0; k < kept.size(); ++k) out[k] += a[p] * table_row[kept[k]];
  }

 private:
  const ModePlan& plan_;
  std::size_t last_rank_, stride_;
  const double* last_;
  const double* tables_;
  PrefixContraction contract_;
  index_t tuple_ = -1;
  const double* table_ = nullptr;
};

/// Whether a row with so few kept components is worth a loop over those alone: the registers of a
/// fixed rank hold all of them about as fast as a general loop does a third.
[[nodiscard]] constexpr bool few_kept(std::size_t kept, std::size_t rank) {
  return 3 * kept <= rank;
}

/// The components of a row for which keep(j) holds, in order.
class Kept {
 public:
  Kept(std::size_t rank, Scratch& scratch)
      : index_(reinterpret_cast<std::size_t*>(scratch.take(rank))), rank_(rank) {
    static_assert(sizeof(std::size_t) <= sizeof(double));
  }
  template <class Keep>
  std::span<const std::size_t> choose(Keep&& keep) {
    std::size_t count = 0;
    for (std::size_t j = 0; j < rank_; ++j) {
      index_[count] = j;
      count += keep(j) ? 1 : 0;
    }
    return {index_, count};
  }

 private:
  std::size_t* index_;
  std::size_t rank_;
};

/// Calls body(entry, residual) for the entries of a row: x - delta . a, its zeros left out.
template <int J>
class Residuals {
 public:
  Residuals(const DeltaSource& source, Scratch& scratch)
      : source_(source),
        cursor_(source, scratch),
        row_(source.rank(), scratch),
        delta_(source.rank(), scratch),
        kept_(source.rank(), scratch),
        some_(scratch.take(source.rank())) {}

  template <class Body>
  void of_row(index_t row, pos_t begin, pos_t end, Body&& body) {
    const double* a = source_.model.row(source_.plan.mode, row);
    const std::span<const std::size_t> kept =
        kept_.choose([&](std::size_t j) { return a[j] != 0.0; });
    const auto last = static_cast<std::size_t>(end);
    const double* value = source_.plan.value.data();
    if (!few_kept(kept.size(), row_.size())) {
      row_.load(a);
      for (auto e = static_cast<std::size_t>(begin); e < last; ++e) {
        cursor_.delta(e, delta_);
        body(e, value[e] - delta_.dot(row_));
      }
      return;
    }
    for (auto e = static_cast<std::size_t>(begin); e < last; ++e) {
      double r = value[e];
      if (!kept.empty()) {
        cursor_.delta_of(e, kept, some_);
        for (std::size_t k = 0; k < kept.size(); ++k) r -= some_[k] * a[kept[k]];
      }
      body(e, r);
    }
  }

 private:
  const DeltaSource& source_;
  TableCursor cursor_;
  Row<J> row_, delta_;
  Kept kept_;
  double* some_;
};

}  // namespace vest::inline VEST_ISA
