// The steps of Algorithm 1, each a kernel call; pruning judges all parts before it changes any.
#include "vest/solver.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace vest {
namespace {

/// The start must fit the tensor before anything is planned or allocated.
TuckerModel&& check_start(const SparseTensor& x, TuckerModel&& start) {
  if (start.order() != x.order())
    throw std::invalid_argument("the tensor has " + std::to_string(x.order()) +
                                " modes but the start has " + std::to_string(start.order()));
  for (Mode n = 0; n < x.order(); ++n)
    if (start.factor(n).n_cols != static_cast<arma::uword>(x.dim(n)))
      throw std::invalid_argument(
          "factor " + std::to_string(n) + " has " + std::to_string(start.factor(n).n_cols) +
          " rows but the tensor's dimension is " + std::to_string(x.dim(n)));
  return std::move(start);
}

/// Marks `from` become `to`.
pos_t replace_marks(TuckerModel& model, Mark from, Mark to) {
  pos_t replaced = 0;
  for (std::size_t part = 0; part < model.parts(); ++part)
    for (Mark& mark : model.marks(part))
      if (mark == from) {
        mark = to;
        ++replaced;
      }
  return replaced;
}

/// Chosen elements become zero, and rows that have become empty are known to be.
void zero_chosen(TuckerModel& model, Workspace& ws) {
  for (std::size_t part = 0; part < model.parts(); ++part) {
    const std::span<const Mark> marks = model.marks(part);
    const std::span<double> values = model.values(part);
    for (std::size_t i = 0; i < marks.size(); ++i) {
      if (marks[i] != Mark::kChosen) continue;
      values[i] = 0.0;
      if (part > 0) ws.look_at_row(model, part - 1, static_cast<index_t>(i / model.rank(part - 1)));
    }
  }
}

}  // namespace

Solver::Solver(const SparseTensor& x, TuckerModel start, SolverOptions options)
    : options_(std::move(options)),
      kernels_(kernels_for(options_.isa)),
      team_(options_.threads, options_.stop),
      model_(check_start(x, std::move(start))),
      norm_(std::sqrt(x.norm2())),
      plan_(make_plan(x, model_.ranks(), team_, options_.plan)),
      workspace_(plan_, model_, team_) {}

void Solver::update_factor(Mode n) {
  judged_ = false;
  kernels_.update_factor(plan_.modes.at(n), options_.loss, options_.lambda, model_, workspace_);
}

void Solver::update_core() {
  judged_ = false;
  kernels_.update_core(plan_, options_.loss, options_.lambda, model_, workspace_);
}

double Solver::error(bool judge) {
  judged_ = false;
  if (!judge) return std::sqrt(kernels_.squared_error(plan_, model_, workspace_)) / norm_;
  const Mode n = plan_.core.mode;
  const double squares =
      kernels_.factor_responsibilities(plan_.modes[n], model_, workspace_, scores_of(n + 1));
  judged_ = true;
  return std::sqrt(squares) / norm_;
}

void Solver::responsibilities(std::size_t part, std::span<double> out) {
  if (part >= model_.parts() || out.size() != model_.marks(part).size())
    throw std::invalid_argument("no part " + std::to_string(part) + " of that size");
  if (part == 0)
    kernels_.core_responsibilities(plan_, model_, workspace_, out);
  else
    kernels_.factor_responsibilities(plan_.modes[part - 1], model_, workspace_, out);
}

/// Memory for one part's responsibilities at a time: parts are judged one after the other.
std::span<double> Solver::scores_of(std::size_t part) {
  std::size_t most = 0;
  for (std::size_t each = 0; each < model_.parts(); ++each)
    most = std::max(most, model_.marks(each).size());
  responsibility_.resize(most);
  return {responsibility_.data(), model_.marks(part).size()};
}

void Solver::prune(std::span<const pos_t> counts) {
  if (counts.size() != model_.parts())
    throw std::invalid_argument("prune needs one count per part, " +
                                std::to_string(model_.parts()) + " in all");
  for (std::size_t part = 0; part < counts.size(); ++part) {
    const auto free = std::ssize(model_.marks(part)) - model_.count_pruned(part);
    if (counts[part] < 0 || counts[part] > free)
      throw std::invalid_argument("cannot prune " + std::to_string(counts[part]) + " of the " +
                                  std::to_string(free) + " free elements of part " +
                                  std::to_string(part));
  }
  const auto choose = [&](std::size_t part) {
    if (counts[part] > 0) mark_least(scores_of(part), counts[part], team_, model_.marks(part));
  };
  try {
    const std::size_t first = plan_.core.mode + 1;  // error() may have judged it already
    if (judged_) choose(first);
    for (std::size_t part = 0; part < counts.size(); ++part) {
      if (counts[part] == 0 || (judged_ && part == first)) continue;
      responsibilities(part, scores_of(part));
      choose(part);
    }
  } catch (...) {  // interrupted: prune nothing rather than some of it
    judged_ = false;
    replace_marks(model_, Mark::kChosen, Mark::kFree);
    throw;
  }
  // Nothing below can be interrupted. Values change only now: all parts were judged at one state.
  replace_marks(model_, Mark::kLastBatch, Mark::kPruned);
  zero_chosen(model_, workspace_);
  replace_marks(model_, Mark::kChosen, Mark::kLastBatch);
  judged_ = false;
  workspace_.forget();
}

pos_t Solver::revive() { return replace_marks(model_, Mark::kLastBatch, Mark::kFree); }

void Solver::set_pruned(std::size_t part, std::span<const bool> mask) {
  if (part >= model_.parts() || mask.size() != model_.marks(part).size())
    throw std::invalid_argument("no part " + std::to_string(part) + " of that size");
  for (std::size_t i = 0; i < mask.size(); ++i) {
    model_.marks(part)[i] = mask[i] ? Mark::kPruned : Mark::kFree;
    if (mask[i]) model_.values(part)[i] = 0.0;
  }
  judged_ = false;
  workspace_.look_at(model_);
}

}  // namespace vest
