// The plan of a tensor and ranks: in which order each mode's kernels read the entries, and how.
//
// It holds the entries in these orders, values included, so that whoever has a plan needs the
// tensor no more. It is made once and never changes: solvers of the same entries share it. Other
// values at the same coordinates need a plan of their own.
//
// A row update of mode n needs delta_alpha = G contracted with the rows of the other N-1 modes.
// One of them, `last`, is kept for the end; the other N-2 form the entry's tuple. Entries that
// share a tuple share the contraction of G with it, a J_last x J_n table, so the plan numbers the
// distinct tuples, sorts entries by (row, tuple, last) and says whether tables are computed once
// per tuple ("tabulated") or, where tuples hardly repeat, on the fly.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vest/big_vector.hpp"
#include "vest/parallel.hpp"
#include "vest/sparse_tensor.hpp"
#include "vest/types.hpp"

namespace vest {

/// One unit of parallel work: entries [begin, end) of whole rows [row_begin, row_end), or a piece
/// of one long row, whose sums go to slot `piece` and are added up in order afterwards.
struct Chunk {
  pos_t begin, end;
  index_t row_begin, row_end;
  index_t piece;  // -1: whole rows

  [[nodiscard]] bool is_piece() const { return piece >= 0; }
};

/// A row too long for one chunk: its pieces are slots [piece_begin, piece_end).
struct SplitRow {
  index_t row;
  index_t piece_begin, piece_end;
  bool open = false;  ///< Other pieces of it are in other shares of the entries.
};

/// How the rows of a mode are cut into chunks: from how many entries they have, and nothing else.
struct Chunks {
  std::vector<Chunk> chunks;
  std::vector<SplitRow> split_rows;
  index_t piece_count = 0;
};

struct ModePlan {
  Mode mode = 0;                  ///< n: whose rows are updated.
  Mode last = 0;                  ///< The mode contracted per entry.
  std::vector<Mode> tuple_modes;  ///< The others, in the order they are contracted and sorted.
  bool tabulated = true;          ///< Tables made once per pass, or on the fly.
  bool by_runs = false;           ///< Neither: the core is read by its non-zero elements,
  bool ones = false;              ///< and the first column of every factor is constant one.

  // Entries, sorted by (row, tuple, last).
  BigVector<index_t> last_index;
  BigVector<index_t> tuple;
  BigVector<double> value;  ///< sqrt(w) x of an entry of weight w.
  /// sqrt(w); empty where all entries count once. Whoever reads entries scales their features by
  /// it: sums over features and residuals are then weighted sums, with nothing else changed.
  BigVector<double> root_weight;

  pos_t tuple_count = 1;
  BigVector<index_t> tuple_coords;  ///< tuple_count x tuple_modes; empty if a tuple is an index.

  pos_t rows = 0;
  /// Entries per row; empty in a plan of one mode alone, of which this is another.
  std::vector<std::uint32_t> row_size;
  std::vector<Chunk> chunks;
  std::vector<SplitRow> split_rows;
  index_t piece_count = 0;
  /// Whether the sums of all pieces are given: then there are no entries, and rows only end.
  bool summed = false;

  [[nodiscard]] bool weighted() const { return !root_weight.empty(); }
  /// The square roots of the entries' weights; null if they have none. Passes ask for each entry:
  /// that costs little, and a second build of every pass would cost more.
  [[nodiscard, gnu::always_inline]] const double* roots() const {
    return weighted() ? root_weight.data() : nullptr;
  }
  [[nodiscard]] std::span<const index_t> coords_of(const index_t& tuple_id) const {
    const std::size_t k = tuple_modes.size();
    if (k == 0) return {};
    if (k == 1) return {&tuple_id, 1};
    return {tuple_coords.data() + static_cast<std::size_t>(tuple_id) * k, k};
  }

  /// Calls body(row, begin, end) for each row, or piece of a row, of a chunk.
  template <class Body>
  void for_rows(const Chunk& chunk, Body&& body) const {
    if (chunk.is_piece()) return body(chunk.row_begin, chunk.begin, chunk.end);
    pos_t begin = chunk.begin;
    for (index_t row = chunk.row_begin; row < chunk.row_end; ++row) {
      const pos_t end = begin + row_size[static_cast<std::size_t>(row)];
      body(row, begin, end);
      begin = end;
    }
  }
};

/// How the exact Gauss-Seidel sweep over the core gets its sums.
enum class CoreStrategy {
  kGram,    ///< All inner products of core features in one pass, then a sweep without the data.
  kBlocks,  ///< One pass per block of trailing modes, for cores too large for a Gram matrix.
  kRuns     ///< By its non-zero elements, for cores that have few; factors are fitted so, too.
};

struct CorePlan {
  CoreStrategy strategy = CoreStrategy::kGram;
  Mode mode = 0;             ///< Whose entry order the core's passes (and RE) read.
  std::size_t trailing = 1;  ///< kBlocks: how many of the last modes form a block.
  /// How many neighbouring chunks are summed together, for sums over all entries; 0: as many as
  /// suits the number of chunks. A share of the entries says what suits all of them.
  pos_t chunks_per_slot = 0;
};

/// Which entries a plan has: all of them, those of some chunks of one mode, or none (shard.hpp).
enum class Holds { kAll, kShare, kNone };

struct Plan {
  std::vector<ModePlan> modes;
  CorePlan core;
  std::vector<index_t> ranks;  ///< Of the models that it is for.
  Holds holds = Holds::kAll;
  Mode shared = 0;      ///< kShare: the mode whose rows these are.
  pos_t first_row = 0;  ///< kShare: which of the tensor's rows of that mode is its first.
  double norm2 = 0.0;   ///< ||X||_F^2 over the entries: sum w x^2.

  [[nodiscard]] std::size_t order() const { return modes.size(); }
  [[nodiscard]] pos_t dim(Mode n) const { return modes[n].rows; }
};

/// About how many chunks the entries are cut into.
[[nodiscard]] pos_t plan_chunks(pos_t entries);

/// Whole rows are gathered until a chunk is full; a row of several chunks' size is cut in pieces.
[[nodiscard]] Chunks cut_chunks(pos_t entries, std::span<const std::uint32_t> row_size);

/// Bytes of the plan of a mode, and of what sorting its entries takes beside it. All in double: the
/// numbers may be bounds beyond any integer.
[[nodiscard]] double plan_bytes(double entries, double rows, double tuples, std::size_t tuple_modes,
                                bool weighted = false);
[[nodiscard]] double sort_bytes(pos_t entries, std::size_t tuple_modes);

/// Chooses and sorts. Reads the tensor only; `ranks` weigh the choices. Throws
/// std::invalid_argument unless there is a rank for each mode.
[[nodiscard]] Plan make_plan(const SparseTensor& x, std::span<const index_t> ranks,
                             const Team& team);

/// Overrides for tests and benchmarks: both ways give the same numbers, up to rounding.
struct PlanOverrides {
  enum class Force { kAuto, kTables, kOnTheFly } tables = Force::kAuto;
  enum class Core { kAuto, kGram, kBlocks, kRuns } core = Core::kAuto;
  bool ones = false;  ///< kRuns: see ModePlan.
};
[[nodiscard]] Plan make_plan(const SparseTensor& x, std::span<const index_t> ranks,
                             const Team& team, const PlanOverrides& overrides);

}  // namespace vest
