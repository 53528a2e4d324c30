// The choices of a plan: which mode to contract last, tables or not, and how to sweep the core.
#pragma once

#include <span>
#include <vector>

#include "engine/planning/distinct.hpp"
#include "vest/plan.hpp"

namespace vest {

/// What is chosen for one mode before any sorting is done.
struct ModeChoice {
  Mode last = 0;
  std::vector<Mode> tuple_modes;
  bool tabulated = true;
  double cost = 0.0;  ///< In multiply-adds or what a cache miss is worth of them.
};

struct Choices {
  std::vector<ModeChoice> modes;
  CorePlan core;
};

/// What the choices depend on.
struct TensorFacts {
  std::vector<pos_t> shape;
  pos_t entries = 0;
  std::vector<double>
      distinct;  ///< Of each of counted_sets, about how many combinations there are.
};

/// The sets of modes whose combinations are counted: all but one, of which entries share a table,
/// and all but two, the tuples; single modes need no counting.
[[nodiscard]] std::vector<ModeSet> counted_sets(std::size_t order);
[[nodiscard]] TensorFacts facts_of(const SparseTensor& x, const Team& team);

/// The most bytes that the tables of a mode may take.
[[nodiscard]] double table_limit(double entries);

/// The most trailing modes that a block may have.
[[nodiscard]] std::size_t most_trailing(std::span<const index_t> ranks);

/// Whether the Gram matrix of a core, with its partial sums, is of a size to consider.
[[nodiscard]] bool gram_fits(std::span<const index_t> ranks);

/// Whether any tensor could make blocks the cheaper way to sweep a core of these ranks.
[[nodiscard]] bool blocks_thinkable(std::span<const index_t> ranks);

/// What the two ways to sweep a core cost, as far as sizes tell before any tuple has been counted:
/// as if no two entries shared more than the dimensions make them.
struct RoughCosts {
  double gram = 0.0;
  double blocks = 0.0;
};
[[nodiscard]] RoughCosts rough_costs(std::span<const pos_t> shape, pos_t entries,
                                     std::span<const index_t> ranks);

[[nodiscard]] Choices choose(const TensorFacts& facts, std::span<const index_t> ranks,
                             const PlanOverrides& overrides);
[[nodiscard]] Choices choose(const SparseTensor& x, std::span<const index_t> ranks,
                             const Team& team, const PlanOverrides& overrides);

}  // namespace vest
