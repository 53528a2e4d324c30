// The solver: plan, model and workspace together, one method per step of Algorithm 1.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "vest/big_vector.hpp"
#include "vest/model.hpp"
#include "vest/penalty.hpp"
#include "vest/plan.hpp"
#include "vest/shard.hpp"
#include "vest/sparse_tensor.hpp"

namespace vest {

struct KernelTable;
struct Workspace;

struct SolverOptions {
  PenaltyKind kind = PenaltyKind::kL1;
  double lambda = 0.0;  ///< As it enters what is minimised.
  int threads = 0;
  Allocation allocation = Allocation::kPerPart;
  double norm = 0.0;  ///< What RE is relative to; 0: the norm of the tensor.
  StopCheck stop;
  PlanOverrides plan;  ///< For a solver that makes its own.
  std::string isa;     ///< Which build of the kernels; empty: the best for this processor.
};

/// The builds of the kernels that this processor can run, the best one first.
[[nodiscard]] std::vector<std::string> isas();

class Solver {
 public:
  /// Makes all memory that iterations need, but for responsibilities, one per element that competes
  /// with others, which the first pruning allocates. Solvers may share a plan, also at the same
  /// time. Throws std::invalid_argument if the start does not fit the plan.
  Solver(std::shared_ptr<const Plan> plan, TuckerModel start, SolverOptions options);
  /// Makes a plan of its own. The tensor is read here only.
  Solver(const SparseTensor& x, TuckerModel start, SolverOptions options);
  ~Solver();
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  void update_factor(Mode n);
  /// V and b of some rows of a mode at the present state, without an update: the first half of
  /// update_factor, of which solve_row_systems is the other. Sums of several solvers, each with its
  /// share of the entries, may be added. `rows` ascend; `v` has J x J numbers for each of them and
  /// `b` has J. Throws std::invalid_argument if sizes or rows do not fit.
  void row_sums(Mode n, std::span<const index_t> rows, std::span<double> v, std::span<double> b);
  void update_core();
  /// RE: the norm of the residual over the norm of the tensor. With `judge`, the responsibilities
  /// of one mode are computed in the same pass, for a prune that may follow.
  [[nodiscard]] double error(bool judge = false);
  /// Into `out`, one number per element of the part.
  void responsibilities(std::size_t part, std::span<double> out);
  /// Prunes elements of least responsibility, all judged at the same state: counts[part] from each
  /// part, or counts[0] of all if the allocation is global. They become the last batch.
  void prune(std::span<const pos_t> counts);
  /// Unmarks the last batch; its values stay zero until the next update. How many there were.
  pos_t revive();
  /// Sets a part's marking table: masked elements become zero and stay so.
  void set_pruned(std::size_t part, std::span<const bool> mask);
  /// Of the elements that are not pruned, those masked will not be, and the others may.
  void set_kept(std::size_t part, std::span<const bool> mask);
  /// Of the elements that are not pruned, those masked keep the value that they have. Only where
  /// elements have variances; theirs become zero.
  void set_fixed(std::size_t part, std::span<const bool> mask);
  /// Sets all marks of a part at once, the last batch among them, as `model().marks(part)` once
  /// had them: a fit goes on where another solver stopped. Pruned elements become zero.
  void set_marks(std::size_t part, std::span<const std::uint8_t> marks);
  /// To be called after the caller has changed the model's arrays: what was computed from them is
  /// no longer right. Pruned elements become zero again.
  void values_changed();
  /// Replaces what the elements of a part pay; of a factor, `row_weight` has one number for each
  /// row, or none.
  void set_penalty(std::size_t part, double lambda, bool nonnegative,
                   std::vector<double> row_weight);

  /// Replaces the priors of a part where elements have variances: one precision for each column of
  /// a factor, or one for the core; and the variance of the noise. All must be positive.
  void set_prior(std::size_t part, std::vector<double> precision, double noise, bool nonnegative);

  // A fit whose entries lie elsewhere. The solver of a shard works on the rows of its own mode, as
  // always, and hands out what it has summed for others; that of an outline has the model and all
  // that needs no entry, and is told the rest.

  /// Where a solver without entries gets sums over all of them, see CoreSum.
  void set_elsewhere(std::function<void(const CoreSum&, std::span<double>)> sums);
  /// The core's sums over a shard, one column for each slot; they stay until the next call.
  [[nodiscard]] std::vector<std::span<const double>> core_sums(const CoreSum& which);
  /// The sums of the pieces of rows that end elsewhere, after a pass over the shard's mode; they
  /// stay until the next call.
  [[nodiscard]] std::vector<std::span<const double>> open_sums() const;
  /// The same sums, given to a solver that ends such rows, in order.
  void give_sums(std::span<const double> sums);
  /// The squared residuals of each chunk, after error() or responsibilities().
  [[nodiscard]] std::span<const double> squares() const;
  /// To be called after the caller has changed rows of a factor by what a fit may change.
  void rows_changed(Mode n);
  /// Prunes the elements for which `chosen`, one mask for each part, says so: they become the last
  /// batch. Throws std::invalid_argument if one of them is not free.
  void prune_chosen(std::span<const std::span<const bool>> chosen);

  [[nodiscard]] const TuckerModel& model() const { return model_; }
  /// How many elements of each part are pruned.
  [[nodiscard]] const std::vector<pos_t>& pruned() const { return pruned_; }
  /// How many elements of each part may be pruned.
  [[nodiscard]] const std::vector<pos_t>& free() const { return free_; }
  /// How many elements of each part are zero, whether pruned or not.
  [[nodiscard]] std::vector<pos_t> zeros() const;
  [[nodiscard]] const Plan& plan() const { return *plan_; }
  [[nodiscard]] const char* isa() const;
  [[nodiscard]] int threads() const { return team_.threads(); }

 private:
  [[nodiscard]] std::span<double> scores_of(std::size_t part);
  void check_part(std::size_t part, std::size_t size) const;
  void check_counts(std::span<const pos_t> counts) const;
  void choose(std::span<const pos_t> counts);
  void settle(std::size_t part);
  void settle_all();
  void zero_pruned(std::size_t part);
  void count_marks(std::size_t part);

  SolverOptions options_;
  const KernelTable& kernels_;
  Team team_;
  Team steady_;  // The same threads for work that no stop request may leave half done.
  std::shared_ptr<const Plan> plan_;
  TuckerModel model_;
  double norm_;
  std::unique_ptr<Workspace> workspace_;
  std::vector<Penalty> penalties_;               // Per part.
  std::vector<std::vector<double>> row_weight_;  // Per part: the weights its penalty refers to.
  std::vector<std::vector<double>> prior_;
  std::vector<pos_t> pruned_, free_;  // Counts per part.
  // Responsibilities of one part, or of all that compete; allocated when first needed.
  BigVector<double> responsibility_;
  // The state at which error() judged the core's mode, if responsibility_ still holds the result.
  ModelStamp judged_;
};

}  // namespace vest
