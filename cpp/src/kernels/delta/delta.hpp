// delta_alpha, the heart of the factor kernels: entry by entry, through the plan's tables.
//
// Of an entry of weight w it is sqrt(w) delta, beside the sqrt(w) x of the plan, and its variance
// is w Var delta.
#pragma once

#include <cstddef>
#include <span>

#include "kernels/delta/component_list.hpp"
#include "kernels/delta/contract.hpp"
#include "kernels/delta/run_delta.hpp"
#include "kernels/delta/tuple_tables.hpp"
#include "kernels/vectors/outer_sums.hpp"
#include "vest/plan.hpp"
#include "workspace/lookahead.hpp"
#include "workspace/workspace.hpp"

namespace vest::inline VEST_ISA {

/// Scratch that suffices for any pass over a mode: the levels of the contraction, and at most two
/// sets of outer products and a dozen vectors.
[[nodiscard]] inline std::size_t pass_scratch_size(const ModePlan& plan,
                                                   std::span<const index_t> ranks,
                                                   std::size_t core_size) {
  const auto rank = static_cast<std::size_t>(ranks[plan.mode]);
  if (plan.by_runs)
    return noisy_sums_size(rank, true) + OuterSums<kByRuns>::scratch_size(rank) +
           RunDelta::scratch_size(rank) + 20 * whole_vectors(rank);
  return PrefixContraction::scratch_size(ranks, plan.tuple_modes,
                                         padded_core_size(core_size, rank)) +
         2 * outer_size(rank) + 16 * padded(rank);
}

/// About how many operations a chunk of a pass over the entries takes, see worthwhile_chunks.
[[nodiscard]] inline double chunk_operations(const DeltaSource& source) {
  constexpr double kEach = 16.0;  // what an entry or a row costs whatever the ranks
  const std::size_t rank = source.rank();
  const std::size_t contraction = source.tables == nullptr ? source.core.size() : 0;
  const std::size_t each = source.runs == nullptr ? source.last_rank() * rank + contraction
                                                  : 2 * source.runs->values.size();
  const double entry = kEach + static_cast<double>(each);
  const double row = kEach + static_cast<double>(rank * rank);
  const double operations = entry * static_cast<double>(source.plan.value.size()) +
                            row * static_cast<double>(source.plan.row_size.size());
  return operations / static_cast<double>(source.plan.chunks.size());
}

/// Some components of delta, of one entry after the other: a(last)^T table.
class SomeDeltas {
 public:
  // Kernels are compiled for every rank. What is the same for all of them, and is not called for
  // each entry, is never inlined: it is compiled once.
  [[gnu::noinline]] SomeDeltas(const DeltaSource& source, Scratch& scratch)
      : plan_(source.plan),
        last_rank_(source.last_rank()),
        stride_(padded_rank(source.rank())),
        last_(source.model.values(plan_.last + 1).data()),
        tables_(source.tables),
        zero_(source.zero),
        roots_(plan_.roots()),
        empty_(source.empty),
        skips_(source.skips),
        lookahead_(plan_, source.model, source.empty, source.skips, source.tables == nullptr),
        contract_(source.model, plan_.tuple_modes, source.core, scratch),
        some_(scratch.take(source.rank())),
        some_variance_(scratch.take(source.rank())),
        model_(source.model) {}

  [[nodiscard]] std::size_t rank() const { return model_.rank(plan_.mode); }

  /// Calls body(x, some) for each entry, with the K components `chosen` of delta alone: what
  /// a sparse row needs. K = 0: as many as there are.
  template <int K, class Body, class Zero>
  [[gnu::always_inline]] void each_of(std::span<const std::size_t> chosen, pos_t begin, pos_t end,
                                      Body&& body, Zero&& zero) {
    const std::size_t count = K == 0 ? chosen.size() : std::size_t{K};
    walk(
        begin, end,
        [&](pos_t e, double x, const double* table, const double* a)
            __attribute__((always_inline)) {
              double fixed[K == 0 ? 1 : K];
              double* const some = K == 0 ? some_ : fixed;
              for (std::size_t k = 0; k < count; ++k) some[k] = 0.0;
              backwards(last_rank_, [&](std::size_t p) __attribute__((always_inline)) {
                for (std::size_t k = 0; k < count; ++k)
                  some[k] += a[p] * table[p * stride_ + chosen[k]];
              });
              if (roots_ != nullptr)
                for (std::size_t k = 0; k < count; ++k) some[k] *= roots_[e];
              body(x, static_cast<const double*>(some));
            },
        zero);
  }

  /// The same with the variances of these components: body(x, some, variances). Entries whose delta
  /// is zero are passed over.
  template <class Body>
  void each_of_noisy(std::span<const std::size_t> chosen, pos_t begin, pos_t end, Body&& body) {
    const std::size_t count = chosen.size();
    walk(
        begin, end,
        [&](pos_t e, double x, const double* table,
            const double* a) __attribute__((always_inline)) {
          const double* const s = variances_of(a);
          for (std::size_t k = 0; k < count; ++k) some_[k] = some_variance_[k] = 0.0;
          for (std::size_t p = 0; p < last_rank_; ++p)
            for (std::size_t k = 0; k < count; ++k) {
              const double t = table[p * stride_ + chosen[k]];
              some_[k] += a[p] * t;
              some_variance_[k] += s[p] * (t * t);
            }
          if (roots_ != nullptr)
            for (std::size_t k = 0; k < count; ++k) {
              some_[k] *= roots_[e];
              some_variance_[k] *= roots_[e] * roots_[e];
            }
          body(x, static_cast<const double*>(some_), static_cast<const double*>(some_variance_));
        },
        [](double) {});
  }

 protected:
  [[nodiscard]] std::size_t last_rank() const { return last_rank_; }
  [[nodiscard]] const double* roots() const { return roots_; }
  /// The variances of a row of the mode contracted last.
  [[nodiscard]] const double* variances_of(const double* a) const {
    return model_.variances(plan_.last + 1).data() + (a - last_);
  }

  /// Calls use(e, x, table, a) for each entry: J_last table rows, each J_n long and padded, and the
  /// entry's row of the mode contracted last; zero(x) where one of them is zero.
  /// Inlined always: what the caller sums stays in registers.
  template <class Use, class Zero>
  [[gnu::always_inline]] void walk(pos_t begin, pos_t end, Use&& use, Zero&& zero) {
    const index_t* const tuples = plan_.tuple.data();
    const index_t* const indices = plan_.last_index.data();
    const double* const values = plan_.value.data();
    const std::uint8_t* const empty = empty_[plan_.last].data();
    const std::size_t size = last_rank_ * stride_;
    for (pos_t e = begin; e < end; ++e) {
      lookahead_.at(e);
      const auto index = static_cast<std::size_t>(indices[e]);
      if (skips_ && (empty[index] || (zero_ && zero_[tuples[e]]))) {
        zero(values[e]);
        continue;
      }
      const double* table = nullptr;
      if (tables_ != nullptr)
        table = tables_ + static_cast<std::size_t>(tuples[e]) * size;
      else
        table = contracted(tuples[e]);
      if (table == nullptr)
        zero(values[e]);
      else
        use(e, values[e], table, last_ + index * last_rank_);
    }
  }

 private:
  /// The table of a tuple, on the fly; null if it is zero.
  [[nodiscard]] const double* contracted(const index_t& tuple) {
    if (tuple != tuple_) {
      tuple_ = tuple;
      const auto coords = plan_.coords_of(tuple_);
      table_ = skips_ && any_empty(empty_, plan_.tuple_modes, coords) ? nullptr : contract_(coords);
    }
    return table_;
  }

  const ModePlan& plan_;
  std::size_t last_rank_, stride_;
  const double* last_;
  const double* tables_;
  const std::uint8_t* zero_;
  const double* roots_;  // of the weights, if entries have any
  const EmptyRows& empty_;
  bool skips_;
  Lookahead lookahead_;
  PrefixContraction contract_;
  index_t tuple_ = -1;
  const double* table_ = nullptr;
  double* some_;
  double* some_variance_;
  const TuckerModel& model_;
};

/// All of delta, for a mode whose kernels are those of rank J.
template <int J>
class Deltas : public SomeDeltas {
 public:
  Deltas(const DeltaSource& source, Scratch& scratch)
      : SomeDeltas(source, scratch),
        delta_(source.rank(), scratch),
        variance_(source.rank(), scratch) {}

  /// Calls body(x, delta) for each entry, or zero(x) where a row that is all zero makes delta zero.
  template <class Body, class Zero>
  [[gnu::always_inline]] void each(pos_t begin, pos_t end, Body&& body, Zero&& zero) {
    const double* const roots = SomeDeltas::roots();
    walk(
        begin, end,
        [&](pos_t e, double x, const double* table, const double* a)
            __attribute__((always_inline)) {
              Row<J> delta = delta_;
              delta.contract(table, a, last_rank());
              if (roots != nullptr) delta.scale(roots[e]);
              body(x, delta);
            },
        zero);
  }

  /// Calls body(x, delta, variance) for each entry with the variance of delta that comes from the
  /// row contracted last: other modes are shorter, so their rows have seen more entries. Entries
  /// whose delta is zero are passed over.
  template <class Body>
  [[gnu::always_inline]] void each_noisy(pos_t begin, pos_t end, Body&& body) {
    const double* const roots = SomeDeltas::roots();
    walk(
        begin, end,
        [&](pos_t e, double x, const double* table, const double* a)
            __attribute__((always_inline)) {
              Row<J> delta = delta_;
              Row<J> variance = variance_;
              delta.contract(table, a, last_rank());
              variance.contract_squares(table, variances_of(a), last_rank());
              if (roots != nullptr) {
                delta.scale(roots[e]);
                variance.scale(roots[e] * roots[e]);
              }
              body(x, delta, variance);
            },
        [](double) {});
  }

 private:
  Row<J> delta_, variance_;
};

/// The same where the core is read by its non-zero elements.
template <>
class Deltas<kByRuns> {
 public:
  static constexpr std::size_t kTogether = 8;

  Deltas(const DeltaSource& source, Scratch& scratch)
      : plan_(source.plan),
        roots_(plan_.roots()),
        lookahead_(plan_, source.model, source.empty, false, true),
        find_(source, scratch),
        delta_(source.rank(), scratch.take(kTogether * whole_vectors(source.rank()))),
        variance_(source.rank(), scratch) {}

  /// Calls body(x, delta) for each entry.
  template <class Body, class Zero>
  void each(pos_t begin, pos_t end, Body&& body, Zero&&) {
    // A few at a time: what is read soon after it was written, and in other pieces, is waited for.
    for (pos_t e = begin; e < end; e += kTogether) {
      const pos_t stop = std::min(end, e + pos_t{kTogether});
      Row<kByRuns> delta = delta_;
      for (pos_t k = e; k < stop; ++k, delta.v += delta.stride()) into(k, delta.v);
      delta.v = delta_.v;
      for (pos_t k = e; k < stop; ++k, delta.v += delta.stride())
        body(plan_.value[static_cast<std::size_t>(k)], static_cast<const Row<kByRuns>&>(delta));
    }
  }
  /// Writes delta of an entry.
  [[gnu::always_inline]] void into(pos_t e, double* delta) {
    lookahead_.at(e);
    find_(e, delta);
    if (roots_ != nullptr) Row<kByRuns>(delta_.size(), delta).scale(roots_[e]);
  }
  /// Adds the variance of the same delta to sums.
  [[gnu::always_inline]] void add_variance(pos_t e, Row<kByRuns>& sums) {
    if (roots_ != nullptr) {
      variance_.clear();
      find_.add_variance(variance_.v);
      sums.add(roots_[e] * roots_[e], variance_);
    } else {
      find_.add_variance(sums.v);
    }
  }

 private:
  const ModePlan& plan_;
  const double* roots_;  // of the weights, if entries have any
  Lookahead lookahead_;
  RunDelta find_;
  Row<kByRuns> delta_, variance_;
};

}  // namespace vest::inline VEST_ISA
