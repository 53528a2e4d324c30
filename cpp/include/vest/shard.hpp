// Shares of a tensor's entries, each with a plan of its own: a fit of entries that lie in several
// places, with the same bits.
//
// The chunks of a mode are found from how many entries its rows have, and the order of the entries
// from numbers that shares can count for themselves. So whoever knows these makes an *outline*: a
// plan with everything but entries. A *shard* is the plan of some neighbouring chunks of one mode,
// made from the outline and from the entries of these chunks alone. Its rows are numbered from 0:
// of its own mode a shard has, and needs, no others.
//
// What a solver sums over a shard has the bits that it has among all chunks, because chunks are
// what is summed in order: rows are whole but for those cut into pieces, whose sums are handed out
// (`SplitRow::open`), as are the slots of the core's sums and the squared residuals of each chunk.
// Bounds of shards of the core's mode are bounds of slots.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vest/parallel.hpp"
#include "vest/plan.hpp"
#include "vest/sparse_tensor.hpp"
#include "vest/types.hpp"

namespace vest {

/// What the order of the entries depends on, counted over a share of them: for all shares together
/// it is the "or" of theirs. `entries` is how many there are in all.
[[nodiscard]] std::vector<std::uint64_t> count_share(const SparseTensor& x, pos_t entries,
                                                     const Team& team);

/// A plan of all entries but without them; `row_sizes` has how many there are in each row of each
/// mode. Throws std::invalid_argument if sizes do not fit together.
[[nodiscard]] Plan make_outline(std::span<const pos_t> shape, pos_t entries,
                                std::span<const std::uint64_t> counted,
                                std::span<const std::span<const std::uint32_t>> row_sizes,
                                std::span<const index_t> ranks, const PlanOverrides& overrides);

/// The plan of the chunks [begin, end) of mode n. The tensor has their entries and no others, in
/// the order in which the whole one has them; null: their rows have none. Throws
/// std::invalid_argument if it has not.
[[nodiscard]] Plan make_shard(const SparseTensor* x, const Plan& outline, Mode n, pos_t begin,
                              pos_t end, const Team& team);

/// As much of an outline as the shard of these chunks of mode n needs, where they are all there is.
[[nodiscard]] Plan narrow_outline(const Plan& outline, Mode n, pos_t begin, pos_t end);

/// Bytes of the entries of a plan, and of all that is kept beside them.
[[nodiscard]] std::size_t bytes_of(const Plan& plan);

/// A plan as bytes, for a machine of the same kind, and back. Throws std::invalid_argument if they
/// are not those of a plan.
[[nodiscard]] std::vector<std::byte> pack_plan(const Plan& plan);
[[nodiscard]] Plan unpack_plan(std::span<const std::byte> bytes);

/// A plan of rows of mode n whose pieces have been summed elsewhere: how many each of them has.
/// Its passes end these rows, and read no entry.
[[nodiscard]] Plan make_endings(const Plan& outline, Mode n, std::span<const index_t> pieces);

/// Which sums over all entries the core asks for.
enum class CoreSumKind {
  kGram,     ///< Products of pairs of its features, then of features with the values.
  kMoments,  ///< Second moments of all features.
  kSome,     ///< Of some elements: inner products, products with residuals, second moments.
  kNonZero,  ///< Of all that are not zero: products with residuals, then squares.
  kBlock     ///< Those of a pass that changes residuals on its way.
};
struct CoreSum {
  CoreSumKind kind = CoreSumKind::kGram;
  std::span<const std::size_t> elements = {};  ///< kSome: which.
  bool products = false;                       ///< kSome: all inner products, or squares alone.
  bool moments = false;                        ///< kSome: with second moments.
};

}  // namespace vest
