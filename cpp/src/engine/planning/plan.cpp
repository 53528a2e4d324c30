// Carrying out a plan's choices: sort the entries for each mode, cut them into chunks.
#include "vest/plan.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/planning/entry_order.hpp"
#include "engine/planning/mode_plan.hpp"
#include "engine/planning/plan_choice.hpp"

namespace vest {
namespace {

/// About 256 chunks, so that eight threads share them evenly, of a size that repays its overhead.
pos_t chunk_size(pos_t entries) { return std::clamp<pos_t>(entries / 256, 512, 16384); }

}  // namespace

pos_t plan_chunks(pos_t entries) { return entries / chunk_size(entries) + 1; }

double plan_bytes(double entries, double rows, double tuples, std::size_t tuple_modes,
                  bool weighted) {
  using Size = decltype(ModePlan::row_size)::value_type;
  const double coords = tuple_modes > 1 ? tuples * static_cast<double>(tuple_modes) : 0.0;
  const double doubles = weighted ? 2.0 : 1.0;
  return entries * (2.0 * sizeof(index_t) + doubles * sizeof(double)) + rows * sizeof(Size) +
         coords * sizeof(index_t);
}

double sort_bytes(pos_t entries, std::size_t tuple_modes) {
  const auto count = static_cast<double>(entries);
  const double numbers = tuple_modes > 1 ? count * sizeof(index_t) : 0.0;
  return numbers + with_position_type(
                       entries, [&](auto pos) { return EntryOrder<decltype(pos)>::bytes(count); });
}

namespace {

void take_chunks(Chunks cut, ModePlan& plan) {
  plan.chunks = std::move(cut.chunks);
  plan.split_rows = std::move(cut.split_rows);
  plan.piece_count = cut.piece_count;
}

ModePlan plan_mode(const SparseTensor& x, Mode n, const ModeChoice& choice, const Team& team,
                   const PlanOverrides& overrides) {
  ModePlan plan = outline_mode(n, x.dim(n), choice, overrides);
  sort_mode(x, 0, team, plan);
  take_chunks(cut_chunks(x.nnz(), plan.row_size), plan);
  return plan;
}

}  // namespace

Chunks cut_chunks(pos_t entries, std::span<const std::uint32_t> row_size) {
  const pos_t full = chunk_size(entries);
  const auto rows = static_cast<index_t>(row_size.size());
  Chunks plan;
  Chunk open{0, 0, 0, 0, -1};
  pos_t at = 0;
  const auto close = [&](index_t next_row) {
    if (open.row_begin < open.row_end) plan.chunks.push_back(open);
    open = {at, at, next_row, next_row, -1};
  };
  for (index_t row = 0; row < rows; ++row) {
    const pos_t size = row_size[static_cast<std::size_t>(row)];
    if (size > 2 * full) {
      close(row);
      const index_t first = plan.piece_count;
      const Cut pieces{size, full};
      for (pos_t piece = 0; piece < pieces.count(); ++piece)
        plan.chunks.push_back(
            {at + pieces.begin(piece), at + pieces.end(piece), row, row + 1, plan.piece_count++});
      plan.split_rows.push_back({row, first, plan.piece_count});
      at += size;
      close(row + 1);
      continue;
    }
    at += size;
    open.end = at;
    open.row_end = row + 1;
    // A row costs something even without entries.
    if ((open.end - open.begin) + (open.row_end - open.row_begin) / 4 >= full) close(row + 1);
  }
  close(rows);
  return plan;
}

Plan make_plan(const SparseTensor& x, std::span<const index_t> ranks, const Team& team) {
  return make_plan(x, ranks, team, PlanOverrides{});
}

Plan make_plan(const SparseTensor& x, std::span<const index_t> ranks, const Team& team,
               const PlanOverrides& overrides) {
  check_ranks(ranks, x.order());
  const Choices choices = choose(x, ranks, team, overrides);
  Plan plan{.modes = std::vector<ModePlan>(x.order()),
            .core = choices.core,
            .ranks = {ranks.begin(), ranks.end()},
            .holds = Holds::kAll,
            .norm2 = x.norm2()};
  team.for_chunks(
      static_cast<pos_t>(x.order()),
      [&](pos_t n, int) {
        const auto mode = static_cast<Mode>(n);
        plan.modes[mode] = plan_mode(x, mode, choices.modes[mode], team, overrides);
      },
      worthwhile_chunks(8.0 * static_cast<double>(x.nnz())));
  return plan;
}

}  // namespace vest
