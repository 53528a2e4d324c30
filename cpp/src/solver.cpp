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

void zero_chosen(TuckerModel& model) {
  for (std::size_t part = 0; part < model.parts(); ++part) {
    const std::span<const Mark> marks = model.marks(part);
    const std::span<double> values = model.values(part);
    for (std::size_t i = 0; i < marks.size(); ++i)
      if (marks[i] == Mark::kChosen) values[i] = 0.0;
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
  kernels_.update_factor(plan_.modes.at(n), options_.loss, options_.lambda, model_, workspace_);
}

void Solver::update_core() {
  kernels_.update_core(plan_, options_.loss, options_.lambda, model_, workspace_);
}

double Solver::error() {
  return std::sqrt(kernels_.squared_error(plan_, model_, workspace_)) / norm_;
}

void Solver::responsibilities(std::size_t part, std::span<double> out) {
  if (part >= model_.parts() || out.size() != model_.marks(part).size())
    throw std::invalid_argument("no part " + std::to_string(part) + " of that size");
  kernels_.responsibilities(plan_, part, model_, workspace_, out);
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
  std::size_t most = 0;
  for (std::size_t part = 0; part < counts.size(); ++part)
    most = std::max(most, model_.marks(part).size());
  responsibility_.resize(most);
  try {
    for (std::size_t part = 0; part < counts.size(); ++part) {
      if (counts[part] == 0) continue;
      const std::span<double> scores(responsibility_.data(), model_.marks(part).size());
      kernels_.responsibilities(plan_, part, model_, workspace_, scores);
      mark_least(scores, counts[part], team_, model_.marks(part));
    }
  } catch (...) {  // interrupted: prune nothing rather than some of it
    replace_marks(model_, Mark::kChosen, Mark::kFree);
    throw;
  }
  // Nothing below can be interrupted. Values change only now: all parts were judged at one state.
  workspace_.prepared = nullptr;
  replace_marks(model_, Mark::kLastBatch, Mark::kPruned);
  zero_chosen(model_);
  replace_marks(model_, Mark::kChosen, Mark::kLastBatch);
}

pos_t Solver::revive() { return replace_marks(model_, Mark::kLastBatch, Mark::kFree); }

void Solver::set_pruned(std::size_t part, std::span<const bool> mask) {
  if (part >= model_.parts() || mask.size() != model_.marks(part).size())
    throw std::invalid_argument("no part " + std::to_string(part) + " of that size");
  workspace_.prepared = nullptr;
  for (std::size_t i = 0; i < mask.size(); ++i) {
    model_.marks(part)[i] = mask[i] ? Mark::kPruned : Mark::kFree;
    if (mask[i]) model_.values(part)[i] = 0.0;
  }
}

}  // namespace vest
