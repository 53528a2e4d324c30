// The solver: tensor, plan, model and workspace together, one method per step of Algorithm 1.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vest/dispatch.hpp"
#include "vest/kernels.hpp"
#include "vest/loss.hpp"
#include "vest/model.hpp"
#include "vest/plan.hpp"
#include "vest/sparse_tensor.hpp"
#include "vest/workspace.hpp"

namespace vest {

struct SolverOptions {
  Loss loss = Loss::kL1;
  double lambda = 0.0;  ///< As it enters the loss.
  int threads = 0;
  StopCheck stop;
  PlanOverrides plan;
  std::string isa;  ///< Which build of the kernels; empty: the best for this processor.
};

class Solver {
 public:
  /// Makes the plan and all memory that iterations need, but for one responsibility per element,
  /// which the first pruning allocates. The tensor is read here only.
  Solver(const SparseTensor& x, TuckerModel start, SolverOptions options);
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  void update_factor(Mode n);
  void update_core();
  /// RE: the norm of the residual over the norm of the tensor. With `judge`, the responsibilities
  /// of one mode are computed in the same pass, for a prune that may follow.
  [[nodiscard]] double error(bool judge = false);
  /// Into `out`, one number per element of the part.
  void responsibilities(std::size_t part, std::span<double> out);
  /// Prunes counts[part] elements of least responsibility from each part, all judged at the same
  /// state. They become the last batch.
  void prune(std::span<const pos_t> counts);
  /// Unmarks the last batch; its values stay zero until the next update. How many there were.
  pos_t revive();
  /// Sets a part's marking table: masked elements become zero and stay so.
  void set_pruned(std::size_t part, std::span<const bool> mask);

  [[nodiscard]] const TuckerModel& model() const { return model_; }
  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] const char* isa() const { return kernels_.isa; }
  [[nodiscard]] int threads() const { return team_.threads(); }

 private:
  [[nodiscard]] std::span<double> scores_of(std::size_t part);

  SolverOptions options_;
  const KernelTable& kernels_;
  Team team_;
  TuckerModel model_;
  double norm_;
  Plan plan_;
  Workspace workspace_;
  std::vector<double> responsibility_;  // one part's; allocated when first needed
  bool judged_ = false;  // whether it holds those of the core's mode, at the present state
};

}  // namespace vest
