// The kernels: one per step of the paper. Each reads the state it is given and keeps none.
#pragma once

#include <span>

#include "vest/model.hpp"
#include "vest/penalty.hpp"
#include "vest/plan.hpp"
#include "vest/ranking.hpp"
#include "vest/row_systems.hpp"
#include "vest/shard.hpp"
#include "workspace/workspace.hpp"

namespace vest::inline VEST_ISA {

/// Algorithm "Parallel Element-Wise Factor Matrix Update", one mode: the update rule for factor
/// matrices with L_F or L1 regularization, one sweep over the unpruned elements of each row.
/// Where elements have variances, update_noisy_factor does it.
void update_factor(const ModePlan& plan, const Penalty& penalty, TuckerModel& model, Workspace& ws);

/// V = sum delta delta^T and b = sum x delta over the entries of each of `rows`, which ascend: all
/// that the row update needs of the entries. V is written in full, J x J, and zero where one of the
/// two components is pruned, like b.
void row_sums(const ModePlan& plan, const TuckerModel& model, std::span<const index_t> rows,
              Workspace& ws, std::span<double> v, std::span<double> b);

/// The steps of the row update, repeated until each of `rows` has settled, from V and b alone. The
/// rows hold the start, then the result.
void solve_rows(const RowSystems& systems, const Team& team, std::span<double> rows);

/// The update rule for the core tensor with L_F or L1 regularization: one Gauss-Seidel sweep over
/// the unpruned elements in C order. The order is the paper's; the sums are parallel.
void update_core(const Plan& plan, const Penalty& penalty, TuckerModel& model, Workspace& ws);

/// RE^2 ||X||^2 = sum over the entries of (x - B(alpha))^2.
[[nodiscard]] double squared_error(const Plan& plan, const TuckerModel& model, Workspace& ws);

/// The responsibility of each element of a factor, up to a positive factor and a constant that
/// order nothing: RE(e)^2 ||X||^2 - RE^2 ||X||^2 = 2e sum r f + e^2 sum f^2, with f the element's
/// feature and r the residual, summed over the entries it touches. Zero elements: 0.
/// (The paper's pruning listing forgets the square that its definition has.)
/// Returns the squared error, which falls out.
double factor_responsibilities(const ModePlan& plan, const TuckerModel& model, Workspace& ws,
                               std::span<double> out);

/// The same for the elements of the core.
void core_responsibilities(const Plan& plan, const TuckerModel& model, Workspace& ws,
                           std::span<double> out);

/// The sums over all entries that `which` names, slot by slot, into ws.slots: what the core's
/// update and responsibilities ask for where entries lie elsewhere. Throws std::invalid_argument
/// for sums that a share of the entries cannot make alone.
void core_sums(const Plan& plan, const TuckerModel& model, const CoreSum& which, Workspace& ws);

/// B(alpha) for any cells: `coords` is cells x order, already checked. A core with few non-zero
/// elements is a list of terms, any other is contracted as it is; only the core decides which.
void predict(const TuckerModel& model, std::span<const index_t> coords, const Team& team,
             std::span<double> out);

/// Var B(alpha) = sum over all elements e of s_e (dB(alpha)/de)^2, for the same cells; `variances`
/// has the s_e where the model has the elements.
void predict_variances(const TuckerModel& model, const TuckerModel& variances,
                       std::span<const index_t> coords, const Team& team, std::span<double> out);

/// The k items with the highest scores of each query, as vest/ranking.hpp says, already checked.
void top_k(const Ranking& ranking, const Team& team, std::span<index_t> items,
           std::span<double> scores);

}  // namespace vest::inline VEST_ISA
