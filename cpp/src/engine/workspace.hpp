// Everything a fit needs beside the tensor, the plan and the model: allocated before the loop.
#pragma once

#include <armadillo>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/scratch.hpp"
#include "vest/big_vector.hpp"
#include "vest/model.hpp"
#include "vest/plan.hpp"

namespace vest {

/// Sums over all entries for the core's sweep and responsibilities: one slot of partial sums for
/// each run of chunks, few enough that the slots stay small beside the tensor.
struct CoreSlots {
  Cut cut{0, 1};      ///< Over the chunks of the core's entry order.
  arma::mat partial;  ///< One column per slot.
  arma::vec total;    ///< The columns added up in order.
};

/// How many slots of `size` sums it is sensible to have, if there are as many chunks.
[[nodiscard]] pos_t wanted_slots(double size, pos_t entries);

/// Per mode and row, whether the row is all zero though it has entries: what these multiply it with
/// can be skipped. (Nobody asks for rows without entries.)
using EmptyRows = std::vector<std::vector<std::uint8_t>>;

/// Whether any of the rows `coords` of `modes` is all zero.
[[nodiscard]] inline bool any_empty(const EmptyRows& empty, std::span<const Mode> modes,
                                    std::span<const index_t> coords) {
  for (std::size_t k = 0; k < modes.size(); ++k)
    if (empty[modes[k]][static_cast<std::size_t>(coords[k])]) return true;
  return false;
}

struct Workspace {
  Workspace(const Plan& plan, const TuckerModel& model, const Team& team);

  [[nodiscard]] Scratch scratch(int thread) {
    return Scratch({threads.colptr(static_cast<arma::uword>(thread)), threads.n_rows});
  }

  /// To be called when the model was changed otherwise than by a kernel: what was computed from it
  /// is no longer right.
  void forget() {
    prepared = nullptr;
    gram_ready = false;
  }
  /// The same where rows may have become empty, or no longer be so.
  void look_at(const TuckerModel& model);
  /// To be called by whoever changes a row.
  void look_at_row(const TuckerModel& model, Mode n, index_t row) {
    const auto i = static_cast<std::size_t>(row);
    empty[n][i] = plan.modes[n].row_size[i] > 0 && model.is_empty_row(n, row);
  }
  /// Whether so many rows of some mode but `n` are empty that it pays to ask for each: the answer
  /// is one more place to read, at random.
  [[nodiscard]] bool worth_skipping(Mode n) const;

  /// Before a pass that sums the pieces of long rows,
  void expect_pieces(const ModePlan& mode);
  /// and when a piece of `row` has been summed: the row, if that was the last of its pieces, or
  /// null. Whoever gets it sees what all others have summed.
  [[nodiscard]] const SplitRow* complete_piece(const ModePlan& mode, index_t row);

  const Plan& plan;

  const Team& team;
  EmptyRows empty;
  arma::mat threads;                   ///< One column of scratch per thread.
  const ModePlan* prepared = nullptr;  ///< Whose tables, at the model's present state, are ready.
  std::vector<double> core;            ///< The core with permuted axes.
  BigVector<double> tables;            ///< One J_last x J_n table per tuple of the mode at work.
  std::vector<std::uint8_t> zero;      ///< Which of them are all zero.
  arma::mat pieces;                    ///< Partial sums of long rows, one column per piece.
  std::vector<index_t> pieces_left;    ///< Per long row, how many are still to be summed.
  std::vector<double> squares;         ///< Squared residuals per chunk.

  CoreSlots slots;
  bool gram_ready = false;            ///< Whether `gram` and `target` are of the present factors.
  BigVector<double> gram;             ///< Inner products of core features, as the sweep reads them.
  std::vector<double> target;         ///< Products of core features with the values.
  std::vector<std::size_t> offsets;   ///< Where an element of `gram` stands among the summed pairs:
  bool offsets_known = false;         ///< found by the first sweep, the same for all.
  std::vector<double> gradient;       ///< Block by block: what is left to explain.
  std::vector<double> change;         ///< What the sweep changed in the core.
  arma::vec residual, lead, product;  ///< kBlocks: per entry, in the core's order.
};

}  // namespace vest
