// A pass over the rows of a mode: sums over the entries of each row, then what is done with them.
//
// Chunks of whole rows are finished where they are summed; a row cut into pieces is summed piece by
// piece, the pieces are added up in order, and the row is finished then. What is summed and what is
// done is a worker's business: start(row) says how many sums there are, sum(begin, end, sums) adds
// up entries, finish(sums) ends the row; finish_untouched(row) is for rows without entries.
#pragma once

#include "vest/plan.hpp"
#include "workspace/workspace.hpp"

namespace vest::inline VEST_ISA {

/// `make(scratch)` gives a worker for one chunk; `most` bounds the sums of a row. After each chunk
/// of entries end(chunk, worker) is called.
template <class Make, class End>
void for_row_sums(const ModePlan& plan, std::size_t most, Workspace& ws, Make&& make, End&& end) {
  ws.team.for_chunks(std::ssize(plan.chunks), [&](pos_t c, int thread) {
    const Chunk& chunk = plan.chunks[static_cast<std::size_t>(c)];
    Scratch scratch = ws.scratch(thread);
    double* sums = scratch.take(most);
    auto worker = make(scratch);
    if (chunk.is_piece()) sums = ws.pass.pieces.colptr(static_cast<arma::uword>(chunk.piece));
    plan.for_rows(chunk, [&](index_t row, pos_t begin, pos_t stop) {
      if (begin == stop) return worker.finish_untouched(row);
      worker.start(row);
      worker.sum(begin, stop, sums);
      if (!chunk.is_piece()) worker.finish(sums);
    });
    end(c, worker);
  });
  ws.team.for_chunks(
      std::ssize(plan.split_rows),
      [&](pos_t s, int thread) {
        const SplitRow& split = plan.split_rows[static_cast<std::size_t>(s)];
        Scratch scratch = ws.scratch(thread);
        double* sums = scratch.take(most);
        auto worker = make(scratch);
        const std::size_t size = worker.start(split.row);
        std::fill_n(sums, size, 0.0);
        for (index_t piece = split.piece_begin; piece < split.piece_end; ++piece) {
          const double* part = ws.pass.pieces.colptr(static_cast<arma::uword>(piece));
          for (std::size_t i = 0; i < size; ++i) sums[i] += part[i];
        }
        worker.finish(sums);
      },
      32);
}

}  // namespace vest::inline VEST_ISA
