// delta_alpha, the heart of both factor kernels: entry by entry, through the plan's tables.
#pragma once

#include <cstddef>

#include "contract.hpp"
#include "vest/plan.hpp"
#include "vest/workspace.hpp"

namespace vest {

/// The largest rank with kernels of its own; the loops over such a rank unroll.
inline constexpr int kFixedRanks = 12;

/// Calls body.template operator()<J>() with J = rank if it has kernels of its own, else J = 0.
template <int J = kFixedRanks, class Body>
void with_rank(std::size_t rank, Body&& body) {
  if constexpr (J == 0) {
    body.template operator()<0>();
  } else {
    if (rank == static_cast<std::size_t>(J))
      body.template operator()<J>();
    else
      with_rank<J - 1>(rank, std::forward<Body>(body));
  }
}

/// What a pass over mode n reads: the state of all other modes, prepared once per pass.
struct DeltaSource {
  const ModePlan& plan;
  const TuckerModel& model;
  const double* core;    ///< Axes: tuple modes, last, mode.
  const double* tables;  ///< One J_last x J_n table per tuple; null: contract on the fly.
};

/// Prepares the tables of a mode in the workspace.
[[nodiscard]] DeltaSource prepare_delta(const ModePlan& plan, const TuckerModel& model,
                                        Workspace& ws);

/// Computes delta for one entry after the other of a chunk. J: the rank of the mode, or 0.
template <int J>
class DeltaCursor {
 public:
  DeltaCursor(const DeltaSource& source, Scratch& scratch)
      : plan_(source.plan),
        rank_(source.model.rank(plan_.mode)),
        last_rank_(source.model.rank(plan_.last)),
        last_(source.model.factor(plan_.last).memptr()),
        tables_(source.tables),
        contract_(source.model, plan_.tuple_modes, source.core,
                  scratch.take(PrefixContraction::scratch_size(source.model, plan_.tuple_modes))),
        delta_(J > 0 ? fixed_ : scratch.take(rank_)) {}

  DeltaCursor(const DeltaCursor&) = delete;
  DeltaCursor& operator=(const DeltaCursor&) = delete;

  [[nodiscard]] std::size_t rank() const { return J > 0 ? static_cast<std::size_t>(J) : rank_; }

  [[nodiscard]] const double* operator()(pos_t entry) {
    const auto e = static_cast<std::size_t>(entry);
    if (plan_.tuple[e] != tuple_) {
      tuple_ = plan_.tuple[e];
      table_ = tables_ ? tables_ + static_cast<std::size_t>(tuple_) * last_rank_ * rank()
                       : contract_(plan_.coords_of(tuple_));
    }
    contract_leading(table_, last_ + static_cast<std::size_t>(plan_.last_index[e]) * last_rank_,
                     last_rank_, rank(), delta_);
    return delta_;
  }

 private:
  const ModePlan& plan_;
  std::size_t rank_, last_rank_;
  const double* last_;
  const double* tables_;
  PrefixContraction contract_;
  double fixed_[J > 0 ? J : 1];
  double* delta_;
  index_t tuple_ = -1;
  const double* table_ = nullptr;
};

}  // namespace vest
