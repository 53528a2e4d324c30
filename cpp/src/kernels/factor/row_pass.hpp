// A pass over the rows of a mode: sums over the entries of each row, then what is done with them.
//
// Chunks of whole rows are finished where they are summed; a row cut into pieces is summed piece by
// piece, and who sums the last of them adds them up in order and finishes the row; where some of
// them are elsewhere (vest/shard.hpp), nobody does. What is summed
// and what is done is a worker's business: start(row) says how many sums there are, sum(begin, end,
// sums) adds up entries, finish(sums) ends the row; finish_untouched(row) is for rows without
// entries.
#pragma once

#include "kernels/delta/delta.hpp"
#include "vest/plan.hpp"
#include "workspace/workspace.hpp"

namespace vest::inline VEST_ISA {

/// `make(scratch)` gives a worker for one chunk; `most` bounds the sums of a row. After each chunk
/// of entries end(chunk, worker) is called.
template <class Make, class End>
void for_row_sums(const DeltaSource& source, std::size_t most, Workspace& ws, Make&& make,
                  End&& end) {
  const ModePlan& plan = source.plan;
  ws.pass.expect_pieces(plan);
  const auto piece_sums = [&](index_t piece) {
    return ws.pass.pieces.column(static_cast<std::size_t>(piece));
  };
  const auto add_up_pieces = [&](const SplitRow& row, std::size_t size, double* sums) {
    std::fill_n(sums, size, 0.0);
    for (index_t piece = row.piece_begin; piece < row.piece_end; ++piece) {
      const double* part = piece_sums(piece);
      for (std::size_t i = 0; i < size; ++i) sums[i] += part[i];
    }
  };
  ws.team.for_chunks(
      std::ssize(plan.chunks),
      [&](pos_t c, int thread) {
        const Chunk& chunk = plan.chunks[static_cast<std::size_t>(c)];
        Scratch scratch = ws.scratch(thread);
        double* const sums = scratch.take(most);
        auto worker = make(scratch);
        plan.for_rows(chunk, [&](index_t row, pos_t begin, pos_t stop) {
          if (begin == stop) return worker.finish_untouched(row);
          const std::size_t size = worker.start(row);
          if (!plan.summed)
            worker.sum(begin, stop, chunk.is_piece() ? piece_sums(chunk.piece) : sums);
          if (chunk.is_piece()) {
            const SplitRow* whole = ws.pass.complete_piece(plan, row);
            if (whole == nullptr) return;
            add_up_pieces(*whole, size, sums);
          }
          worker.finish(sums);
        });
        end(c, worker);
      },
      worthwhile_chunks(chunk_operations(source)));
}

}  // namespace vest::inline VEST_ISA
