// What a pass over the entries of a mode reads: the core with its axes permuted and, where the plan
// has tables, its contraction with each distinct tuple of rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/vectors/components.hpp"
#include "vest/model.hpp"
#include "vest/plan.hpp"
#include "workspace/sizes.hpp"
#include "workspace/workspace.hpp"

namespace vest::inline VEST_ISA {

/// What a pass over mode n reads: the state of all other modes, prepared once per pass.
struct DeltaSource {
  const ModePlan& plan;
  const TuckerModel& model;
  std::span<const double> core;  ///< Axes: tuple modes, last, mode (padded).
  const double* tables;          ///< One J_last x J_n table per tuple; null: on the fly.
  const std::uint8_t* zero;      ///< Per tuple, whether its table is all zero; null: on the fly.
  const EmptyRows& empty;        ///< Rows that are all zero.
  bool skips;                    ///< Whether there is anything to skip at all.
  const ModeRuns* runs;          ///< The core by its non-zero elements; null: as tables.

  [[nodiscard]] std::size_t rank() const { return model.rank(plan.mode); }
  [[nodiscard]] std::size_t last_rank() const { return model.rank(plan.last); }
};

/// Calls body.template operator()<J>() with the J whose kernels read the source.
template <class Body>
void with_source(const DeltaSource& source, Body&& body) {
  if (source.runs != nullptr)
    body.template operator()<kByRuns>();
  else
    with_rank(source.rank(), std::forward<Body>(body));
}

/// The same with kernels that ranks share.
template <class Body>
void with_shared_source(const DeltaSource& source, Body&& body) {
  if (source.runs != nullptr)
    body.template operator()<kByRuns>();
  else
    with_shared_rank(source.rank(), std::forward<Body>(body));
}

/// Elements of a core of `core_size` with the axis of `rank` padded.
[[nodiscard]] constexpr std::size_t padded_core_size(std::size_t core_size, std::size_t rank) {
  return core_size / rank * padded_rank(rank);
}

/// Prepares the tables of a mode in the workspace, unless they are there already.
[[nodiscard]] DeltaSource prepare_delta(const ModePlan& plan, const TuckerModel& model,
                                        Workspace& ws);

}  // namespace vest::inline VEST_ISA
