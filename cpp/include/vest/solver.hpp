// The solver: plan, model and workspace together, one method per step of Algorithm 1.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "vest/big_vector.hpp"
#include "vest/model.hpp"
#include "vest/penalty.hpp"
#include "vest/plan.hpp"
#include "vest/sparse_tensor.hpp"

namespace vest {

struct KernelTable;
struct Workspace;

struct SolverOptions {
  PenaltyKind kind = PenaltyKind::kL1;
  double lambda = 0.0;  ///< As it enters the loss.
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

  [[nodiscard]] const TuckerModel& model() const { return model_; }
  /// Elements of each part that are pruned,
  [[nodiscard]] const std::vector<pos_t>& pruned() const { return pruned_; }
  /// that may be,
  [[nodiscard]] const std::vector<pos_t>& free() const { return free_; }
  /// and that are zero.
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
  void zero_pruned(std::size_t part);
  void count_marks(std::size_t part);

  SolverOptions options_;
  const KernelTable& kernels_;
  Team team_;
  Team steady_;  // the same threads, deaf to stop requests: for what must be done whole
  std::shared_ptr<const Plan> plan_;
  TuckerModel model_;
  double norm_;
  std::unique_ptr<Workspace> workspace_;
  std::vector<Penalty> penalties_;               // per part
  std::vector<std::vector<double>> row_weight_;  // what they refer to
  std::vector<pos_t> pruned_, free_;             // per part
  BigVector<double> responsibility_;             // one part's, or all; allocated when first needed
  ModelStamp judged_;  // of the model whose responsibilities it holds, those of the core's mode
};

}  // namespace vest
