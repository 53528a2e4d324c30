// Making outlines and shards: the same choices and cuts as a plan of all entries has.
#include "vest/shard.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

#include "engine/dispatch.hpp"
#include "engine/planning/distinct.hpp"
#include "engine/planning/mode_plan.hpp"
#include "engine/planning/plan_choice.hpp"
#include "workspace/workspace.hpp"

namespace vest {
namespace {

std::vector<double> distinct_in(std::span<const std::uint64_t> counted, std::size_t order,
                                pos_t entries) {
  const std::size_t sets = counted_sets(order).size();
  if (counted.size() != sets * hash_words())
    throw std::invalid_argument("what was counted is not of a tensor of " + std::to_string(order) +
                                " modes");
  std::vector<double> counts;
  for (std::size_t i = 0; i < sets; ++i)
    counts.push_back(distinct_of(counted.subspan(i * hash_words(), hash_words()), entries));
  return counts;
}

/// The chunks [begin, end) of a mode, numbered from the first entry, row and piece of theirs.
void take_share(const ModePlan& whole, pos_t begin, pos_t end, ModePlan& plan) {
  const auto first = whole.chunks[static_cast<std::size_t>(begin)];
  for (pos_t c = begin; c < end; ++c) {
    Chunk chunk = whole.chunks[static_cast<std::size_t>(c)];
    const index_t piece = chunk.is_piece() ? plan.piece_count++ : chunk.piece;
    if (chunk.is_piece()) {
      const auto split =
          std::ranges::lower_bound(whole.split_rows, chunk.row_begin, {}, &SplitRow::row);
      const index_t row = chunk.row_begin - first.row_begin;
      if (plan.split_rows.empty() || plan.split_rows.back().row != row)
        plan.split_rows.push_back({row, piece, piece});
      SplitRow& own = plan.split_rows.back();
      own.piece_end = piece + 1;
      own.open = own.piece_end - own.piece_begin < split->piece_end - split->piece_begin;
    }
    plan.chunks.push_back({chunk.begin - first.begin, chunk.end - first.begin,
                           chunk.row_begin - first.row_begin, chunk.row_end - first.row_begin,
                           piece});
  }
}

void check_rows(const SparseTensor& x, Mode n, index_t begin, index_t end) {
  for (pos_t e = 0; e < x.nnz(); ++e)
    if (const index_t row = x.coord(e, n); row < begin || row >= end)
      throw std::invalid_argument("row " + std::to_string(row) + " is not one of the chunks'");
}

/// Chunks of whole rows must have as many entries as their rows, and pieces as those of theirs.
void check_share(const ModePlan& plan) {
  for (const Chunk& chunk : plan.chunks) {
    if (chunk.is_piece()) continue;
    pos_t entries = 0;
    for (index_t row = chunk.row_begin; row < chunk.row_end; ++row)
      entries += plan.row_size[static_cast<std::size_t>(row)];
    if (entries != chunk.end - chunk.begin)
      throw std::invalid_argument("the entries are not those of the chunks");
  }
  for (const SplitRow& split : plan.split_rows) {
    pos_t entries = 0;
    for (const Chunk& chunk : plan.chunks)
      if (chunk.is_piece() && chunk.row_begin == split.row) entries += chunk.end - chunk.begin;
    if (entries != pos_t{plan.row_size[static_cast<std::size_t>(split.row)]})
      throw std::invalid_argument("the entries are not those of the chunks");
  }
}

/// All fields of a plan, one after the other: the same for who writes and who reads.
template <class Visitor, class AnyPlan>
void visit(Visitor& visitor, AnyPlan& plan) {
  visitor.list(plan.modes, [&](auto& mode) {
    visitor.number(mode.mode);
    visitor.number(mode.last);
    visitor.array(mode.tuple_modes);
    visitor.number(mode.tabulated);
    visitor.number(mode.by_runs);
    visitor.number(mode.ones);
    visitor.array(mode.last_index);
    visitor.array(mode.tuple);
    visitor.array(mode.value);
    visitor.array(mode.root_weight);
    visitor.number(mode.tuple_count);
    visitor.array(mode.tuple_coords);
    visitor.number(mode.rows);
    visitor.array(mode.row_size);
    visitor.array(mode.chunks);
    visitor.array(mode.split_rows);
    visitor.number(mode.piece_count);
    visitor.number(mode.summed);
  });
  visitor.number(plan.core);
  visitor.array(plan.ranks);
  visitor.number(plan.holds);
  visitor.number(plan.shared);
  visitor.number(plan.first_row);
  visitor.number(plan.norm2);
}

struct ByteCount {
  std::size_t bytes = 0;
  template <class T>
  void number(const T&) {
    bytes += sizeof(T);
  }
  template <class Array>
  void array(const Array& array) {
    bytes += sizeof(std::size_t) + array.size() * sizeof(array[0]);
  }
  template <class List, class Each>
  void list(const List& list, Each&& each) {
    bytes += sizeof(std::size_t);
    for (const auto& item : list) each(item);
  }
};

struct Packer {
  std::vector<std::byte> bytes;
  void raw(const void* memory, std::size_t size) {
    const auto* from = static_cast<const std::byte*>(memory);
    bytes.insert(bytes.end(), from, from + size);
  }
  template <class T>
  void number(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    raw(&value, sizeof value);
  }
  template <class Array>
  void array(const Array& array) {
    number(array.size());
    if (!array.empty()) raw(array.data(), array.size() * sizeof(array[0]));
  }
  template <class List, class Each>
  void list(const List& list, Each&& each) {
    number(list.size());
    for (const auto& item : list) each(item);
  }
};

struct Unpacker {
  std::span<const std::byte> left;
  void raw(void* memory, std::size_t size) {
    if (size > left.size()) throw std::invalid_argument("these bytes are no plan");
    if (size > 0) std::memcpy(memory, left.data(), size);
    left = left.subspan(size);
  }
  template <class T>
  void number(T& value) {
    raw(&value, sizeof value);
  }
  template <class Array>
  void array(Array& array) {
    std::size_t size = 0;
    number(size);
    if (size > left.size() / sizeof(array[0]))
      throw std::invalid_argument("these bytes are no plan");
    array.resize(size);
    raw(array.data(), size * sizeof(array[0]));
  }
  template <class List, class Each>
  void list(List& list, Each&& each) {
    std::size_t size = 0;
    number(size);
    if (size > left.size()) throw std::invalid_argument("these bytes are no plan");
    list.resize(size);
    for (auto& item : list) each(item);
  }
};

/// A plan of the same choices with nothing in it.
Plan empty_copy(const Plan& outline, Holds holds) {
  Plan plan{.modes = std::vector<ModePlan>(outline.order()),
            .core = outline.core,
            .ranks = outline.ranks,
            .holds = holds};
  for (Mode m = 0; m < outline.order(); ++m) {
    const ModePlan& from = outline.modes[m];
    ModePlan& to = plan.modes[m];
    to.mode = from.mode;
    to.last = from.last;
    to.tuple_modes = from.tuple_modes;
    to.tabulated = from.tabulated;
    to.by_runs = from.by_runs;
    to.ones = from.ones;
    to.tuple_count = from.tuple_count;
    to.rows = from.rows;
  }
  return plan;
}

}  // namespace

std::vector<std::uint64_t> count_share(const SparseTensor& x, pos_t entries, const Team& team) {
  const std::vector<ModeSet> sets = counted_sets(x.order());
  std::vector<std::uint64_t> counted(sets.size() * hash_words());
  team.for_chunks(static_cast<pos_t>(sets.size()), [&](pos_t i, int) {
    const auto at = static_cast<std::size_t>(i);
    std::ranges::copy(hash_bits(x, sets[at], entries, team),
                      counted.begin() + static_cast<std::ptrdiff_t>(at * hash_words()));
  });
  return counted;
}

Plan make_outline(std::span<const pos_t> shape, pos_t entries,
                  std::span<const std::uint64_t> counted,
                  std::span<const std::span<const std::uint32_t>> row_sizes,
                  std::span<const index_t> ranks, const PlanOverrides& overrides) {
  check_ranks(ranks, shape.size());
  if (row_sizes.size() != shape.size())
    throw std::invalid_argument("the sizes of rows are needed for each mode");
  const TensorFacts facts{
      {shape.begin(), shape.end()}, entries, distinct_in(counted, shape.size(), entries)};
  const Choices choices = choose(facts, ranks, overrides);
  Plan plan{.modes = {},
            .core = choices.core,
            .ranks = {ranks.begin(), ranks.end()},
            .holds = Holds::kNone};
  for (Mode n = 0; n < shape.size(); ++n) {
    pos_t sum = 0;
    for (const std::uint32_t size : row_sizes[n]) sum += size;
    if (std::ssize(row_sizes[n]) != shape[n] || sum != entries)
      throw std::invalid_argument("the rows of mode " + std::to_string(n) + " have " +
                                  std::to_string(sum) + " entries, not " + std::to_string(entries));
    ModePlan mode = outline_mode(n, shape[n], choices.modes[n], overrides);
    mode.tuple_count = mode.tuple_modes.empty() ? 1 : 0;
    Chunks cut = cut_chunks(entries, row_sizes[n]);
    mode.chunks = std::move(cut.chunks);
    mode.split_rows = std::move(cut.split_rows);
    mode.piece_count = cut.piece_count;
    plan.modes.push_back(std::move(mode));
  }
  const pos_t chunks = std::ssize(plan.modes[plan.core.mode].chunks);
  plan.core.chunks_per_slot =
      chunks_per_slot(kernels_for().workspace_sizes(plan).slot, chunks, entries);
  return plan;
}

Plan make_shard(const SparseTensor* x, const Plan& outline, Mode n, pos_t begin, pos_t end,
                const Team& team) {
  const ModePlan& whole = outline.modes.at(n);
  if (begin < 0 || begin >= end || end > std::ssize(whole.chunks))
    throw std::invalid_argument("no chunks " + std::to_string(begin) + " to " +
                                std::to_string(end));
  Plan plan = empty_copy(outline, Holds::kShare);
  plan.shared = n;
  const Chunk& first = whole.chunks[static_cast<std::size_t>(begin)];
  const Chunk& last = whole.chunks[static_cast<std::size_t>(end - 1)];
  plan.first_row = first.row_begin;
  ModePlan& mode = plan.modes[n];
  mode.rows = last.row_end - first.row_begin;
  if (x == nullptr) {
    mode.row_size.assign(static_cast<std::size_t>(mode.rows), 0);
    mode.tuple_count = 0;
  } else {
    check_rows(*x, n, first.row_begin, last.row_end);
    sort_mode(*x, first.row_begin, team, mode);
  }
  take_share(whole, begin, end, mode);
  check_share(mode);
  return plan;
}

Plan narrow_outline(const Plan& outline, Mode n, pos_t begin, pos_t end) {
  const ModePlan& whole = outline.modes.at(n);
  if (begin < 0 || begin >= end || end > std::ssize(whole.chunks))
    throw std::invalid_argument("no chunks " + std::to_string(begin) + " to " +
                                std::to_string(end));
  Plan plan = empty_copy(outline, Holds::kNone);
  ModePlan& mode = plan.modes[n];
  mode.chunks.assign(whole.chunks.begin() + begin, whole.chunks.begin() + end);
  const index_t first = mode.chunks.front().row_begin;
  const index_t last = mode.chunks.back().row_end;
  for (const SplitRow& split : whole.split_rows)
    if (split.row >= first && split.row < last) mode.split_rows.push_back(split);
  mode.piece_count = whole.piece_count;
  return plan;
}

std::size_t bytes_of(const Plan& plan) {
  ByteCount count;
  visit(count, plan);
  return count.bytes;
}

std::vector<std::byte> pack_plan(const Plan& plan) {
  Packer packer;
  packer.bytes.reserve(bytes_of(plan));
  visit(packer, plan);
  return std::move(packer.bytes);
}

Plan unpack_plan(std::span<const std::byte> bytes) {
  Plan plan;
  Unpacker unpacker{bytes};
  visit(unpacker, plan);
  if (!unpacker.left.empty()) throw std::invalid_argument("these bytes are no plan");
  return plan;
}

Plan make_endings(const Plan& outline, Mode n, std::span<const index_t> pieces) {
  Plan plan = empty_copy(outline, Holds::kShare);
  plan.shared = n;
  ModePlan& mode = plan.modes.at(n);
  mode.summed = true;
  mode.rows = std::ssize(pieces);
  mode.row_size.assign(pieces.size(), 1);
  for (index_t row = 0; row < static_cast<index_t>(pieces.size()); ++row) {
    const index_t first = mode.piece_count;
    for (index_t piece = 0; piece < pieces[static_cast<std::size_t>(row)]; ++piece)
      mode.chunks.push_back({0, 1, row, row + 1, mode.piece_count++});
    mode.split_rows.push_back({row, first, mode.piece_count});
  }
  return plan;
}

}  // namespace vest
