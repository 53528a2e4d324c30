// Everything a fit needs beside the tensor, the plan and the model: allocated before the loop.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vest/big_vector.hpp"
#include "vest/model.hpp"
#include "vest/plan.hpp"
#include "vest/shard.hpp"
#include "workspace/core_runs.hpp"
#include "workspace/empty_rows.hpp"
#include "workspace/scratch.hpp"
#include "workspace/unfilled.hpp"

namespace vest {

/// Sums over all entries for the core's sweep and responsibilities: one slot of partial sums for
/// each run of chunks, few enough that the slots stay small beside the tensor.
struct CoreSlots {
  Cut cut{0, 1};     ///< Over the chunks of the core's entry order.
  Unfilled partial;  ///< One column per slot.
  Unfilled total;    ///< The columns added up in order.
  /// Where entries lie elsewhere: fills the total with sums over all of them.
  std::function<void(const CoreSum&, std::span<double>)> elsewhere;
};

/// How many neighbouring chunks share a slot of so many doubles.
[[nodiscard]] pos_t chunks_per_slot(std::size_t size, pos_t chunks, pos_t entries);

/// How many doubles the arrays take whose layout is the kernels' business.
struct WorkspaceSizes {
  std::size_t scratch = 0;   ///< Of one thread.
  std::size_t core = 0;      ///< The core with permuted axes.
  std::size_t tables = 0;    ///< All tables of the mode that has most.
  std::size_t row_sums = 0;  ///< The sums of one row.
  std::size_t slot = 0;      ///< One slot of sums over all entries.
  std::size_t gram = 0;      ///< kGram: the Gram matrix.
  std::size_t offsets = 0;   ///< kGram: where the elements of its blocks come from.
};

/// How often they are needed, and what the other arrays are as long as.
struct WorkspaceCounts {
  pos_t entries = 0;
  pos_t rows = 0;         ///< Of all modes.
  pos_t elements = 0;     ///< Of the core.
  pos_t tuples = 0;       ///< Of the mode that has most, of those with tables.
  pos_t chunks = 0;       ///< Of the mode that has most.
  pos_t core_chunks = 0;  ///< Of the mode whose entry order the core's passes read.
  pos_t pieces = 0;       ///< Of long rows, in the mode that has most.
  int threads = 1;
  bool denominators = false;  ///< Whether the core's steps have one each.
};

/// Bytes of a workspace, as its constructor allocates them.
[[nodiscard]] double workspace_bytes(const WorkspaceSizes& sizes, const WorkspaceCounts& counts,
                                     CoreStrategy strategy);

/// What a pass over the entries of a mode works with: its update, its responsibilities, the error.
struct FactorPass {
  const ModePlan* prepared = nullptr;  ///< Whose core and tables these are; null: nobody's.
  ModelStamp stamp;                    ///< Of the model that they were made from.
  std::vector<double> core;            ///< The core with permuted axes.
  BigVector<double> tables;            ///< One J_last x J_n table per tuple.
  std::vector<std::uint8_t> zero;      ///< Per tuple, whether its table is all zero.
  Unfilled pieces;                     ///< Partial sums of long rows, one column per piece.
  std::vector<index_t> pieces_left;    ///< Per long row, how many are still to be summed.
  std::vector<double> squares;         ///< Squared residuals per chunk.

  /// To be called before a pass that sums the pieces of long rows.
  void expect_pieces(const ModePlan& mode);
  /// To be called when a piece of `row` has been summed. Returns the row if that was the last of
  /// its pieces, else null. The thread that gets it sees what all others have summed.
  [[nodiscard]] const SplitRow* complete_piece(const ModePlan& mode, index_t row);
};

/// What the sweep on the Gram matrix works with.
struct GramSweep {
  ModelStamp stamp;                  ///< Of the factors that `matrix` and `target` were made from.
  BigVector<double> matrix;          ///< Inner products of core features, as the sweep reads them.
  std::vector<double> target;        ///< Products of core features with the values.
  std::vector<std::size_t> offsets;  ///< Where the elements of a block stand among summed pairs.
  bool offsets_known = false;        ///< They are found by the first sweep and never change.
  std::vector<double> change;        ///< What the sweep changed in the core.
};

/// What the sweep in blocks works with: numbers per entry, in the core's entry order.
struct BlockSweep {
  Unfilled residual;  ///< x - B(alpha).
  Unfilled lead;      ///< Products of the leading rows but the last one's.
  Unfilled product;   ///< The same with the last one's, for the block before.
};

struct Workspace {
  Workspace(const Plan& plan, const TuckerModel& model, const Team& team,
            const WorkspaceSizes& sizes);

  [[nodiscard]] Scratch scratch(int thread) {
    return Scratch({threads.column(static_cast<std::size_t>(thread)), threads.rows()});
  }

  const Team& team;
  Unfilled threads;  ///< One column of scratch per thread.
  EmptyRows empty;
  CoreRuns runs;  ///< Of a core that is read by its non-zero elements.
  FactorPass pass;
  CoreSlots slots;
  std::vector<double> gradient;     ///< Per core element: what its feature has left to explain.
  std::vector<double> denominator;  ///< Per core element, of a noisy step; else empty.
  GramSweep gram;
  BlockSweep blocks;
};

}  // namespace vest
