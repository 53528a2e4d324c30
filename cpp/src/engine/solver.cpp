// The steps of Algorithm 1, each a kernel call; pruning judges all parts before it changes any.
#include "vest/solver.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>

#include "engine/dispatch.hpp"
#include "engine/prune.hpp"
#include "workspace/workspace.hpp"

namespace vest {
namespace {

/// A start must fit what it is to be fitted to before anything is sorted or allocated. `Entries`
/// are a tensor or the plan of one.
template <class Entries>
const TuckerModel& check_start(const Entries& x, const TuckerModel& start) {
  if (start.order() != x.order())
    throw std::invalid_argument("the tensor has " + std::to_string(x.order()) +
                                " modes but the start has " + std::to_string(start.order()));
  for (Mode n = 0; n < x.order(); ++n)
    if (start.rows(n) != static_cast<std::size_t>(x.dim(n)))
      throw std::invalid_argument(
          "factor " + std::to_string(n) + " has " + std::to_string(start.rows(n)) +
          " rows but the tensor's dimension is " + std::to_string(x.dim(n)));
  return start;
}

std::shared_ptr<const Plan> plan_for(const SparseTensor& x, const TuckerModel& start,
                                     const SolverOptions& options) {
  return std::make_shared<const Plan>(make_plan(x, check_start(x, start).ranks(),
                                                Team(options.threads, options.stop), options.plan));
}

std::shared_ptr<const Plan>&& check_plan(std::shared_ptr<const Plan>&& plan,
                                         const TuckerModel& start) {
  if (plan->ranks != check_start(*plan, start).ranks())
    throw std::invalid_argument("the plan was made for other ranks than those of the start");
  return std::move(plan);
}

/// Adds to a count that several threads add to: whole numbers, so the order does not matter.
void add(pos_t& count, pos_t more) {
  std::atomic_ref(count).fetch_add(more, std::memory_order_relaxed);
}

template <class T, class Holds>
pos_t count_in(std::span<const T> all, const Team& team, Holds&& holds) {
  pos_t total = 0;
  const Cut cut{std::ssize(all), kElementsPerChunk};
  team.for_chunks(cut.count(), [&](pos_t chunk, int) {
    add(total, std::count_if(all.begin() + cut.begin(chunk), all.begin() + cut.end(chunk), holds));
  });
  return total;
}

/// Marks `from` become `to`; how many there were.
pos_t replace_marks(std::span<Mark> marks, Mark from, Mark to, const Team& team) {
  pos_t replaced = 0;
  const Cut cut{std::ssize(marks), kElementsPerChunk};
  team.for_chunks(cut.count(), [&](pos_t chunk, int) {
    pos_t count = 0;
    for (pos_t i = cut.begin(chunk); i < cut.end(chunk); ++i) {
      Mark& mark = marks[static_cast<std::size_t>(i)];
      if (mark != from) continue;
      mark = to;
      ++count;
    }
    add(replaced, count);
  });
  return replaced;
}

}  // namespace

Solver::Solver(const SparseTensor& x, TuckerModel start, SolverOptions options)
    : Solver{plan_for(x, start, options), std::move(start), std::move(options)} {}  // in this order

Solver::Solver(std::shared_ptr<const Plan> plan, TuckerModel start, SolverOptions options)
    : options_(std::move(options)),
      kernels_(kernels_for(options_.isa)),
      team_(options_.threads, options_.stop),
      steady_(team_.steady()),
      plan_(check_plan(std::move(plan), start)),
      model_(std::move(start)),
      norm_(options_.norm > 0.0 ? options_.norm : std::sqrt(plan_->norm2)),
      workspace_(
          std::make_unique<Workspace>(*plan_, model_, team_, kernels_.workspace_sizes(*plan_))),
      penalties_(model_.parts(), {.kind = options_.kind, .lambda = options_.lambda}),
      row_weight_(model_.parts()),
      prior_(model_.parts()),
      pruned_(model_.parts()),
      free_(model_.parts()) {
  if ((options_.kind == PenaltyKind::kNoise) != model_.has_variances())
    throw std::invalid_argument("variances and the penalty of noise go together");
  for (std::size_t part = 0; part < model_.parts(); ++part) {
    count_marks(part);
    if (model_.has_variances())
      set_prior(part, std::vector<double>(part == 0 ? 1 : model_.rank(part - 1), 1.0), 1.0, false);
  }
}

Solver::~Solver() = default;

std::vector<std::string> isas() {
  std::vector<std::string> names;
  for (const KernelTable* table : kernel_tables()) names.emplace_back(table->isa);
  return names;
}

const char* Solver::isa() const { return kernels_.isa; }

void Solver::update_factor(Mode n) {
  kernels_.update_factor(plan_->modes.at(n), penalties_[n + 1], model_, *workspace_);
}

void Solver::row_sums(Mode n, std::span<const index_t> rows, std::span<double> v,
                      std::span<double> b) {
  const ModePlan& mode = plan_->modes.at(n);
  const std::size_t rank = model_.rank(n);
  if (b.size() != rows.size() * rank || v.size() != b.size() * rank)
    throw std::invalid_argument("V and b must have room for " + std::to_string(rows.size()) +
                                " rows of rank " + std::to_string(rank));
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i] < 0 || rows[i] >= plan_->dim(n) || (i > 0 && rows[i] <= rows[i - 1]))
      throw std::invalid_argument("row " + std::to_string(rows[i]) + " of mode " +
                                  std::to_string(n) + " is not one of its " +
                                  std::to_string(plan_->dim(n)) + " or not above the one before");
  kernels_.row_sums(mode, model_, rows, *workspace_, v, b);
}

void Solver::update_core() { kernels_.update_core(*plan_, penalties_[0], model_, *workspace_); }

double Solver::error(bool judge) {
  if (!judge) return std::sqrt(kernels_.squared_error(*plan_, model_, *workspace_)) / norm_;
  const Mode n = plan_->core.mode;
  judged_.clear();
  const double squares =
      kernels_.factor_responsibilities(plan_->modes[n], model_, *workspace_, scores_of(n + 1));
  judged_.set(model_);
  return std::sqrt(squares) / norm_;
}

void Solver::check_part(std::size_t part, std::size_t size) const {
  if (part >= model_.parts() || size != model_.marks(part).size())
    throw std::invalid_argument("no part " + std::to_string(part) + " of that size");
}

void Solver::responsibilities(std::size_t part, std::span<double> out) {
  check_part(part, out.size());
  if (part == 0)
    kernels_.core_responsibilities(*plan_, model_, *workspace_, out);
  else
    kernels_.factor_responsibilities(plan_->modes[part - 1], model_, *workspace_, out);
}

/// Memory for responsibilities: parts that do not compete are judged one after the other, in the
/// same memory.
std::span<double> Solver::scores_of(std::size_t part) {
  const bool pooled = options_.allocation == Allocation::kGlobal;
  std::size_t before = 0;
  std::size_t size = 0;
  for (std::size_t each = 0; each < model_.parts(); ++each) {
    if (pooled && each == part) before = size;
    size = pooled ? size + model_.marks(each).size() : std::max(size, model_.marks(each).size());
  }
  responsibility_.resize(size);
  return {responsibility_.data() + before, model_.marks(part).size()};
}

void Solver::check_counts(std::span<const pos_t> counts) const {
  const auto check = [](pos_t count, pos_t free, const std::string& where) {
    if (count < 0 || count > free)
      throw std::invalid_argument("cannot prune " + std::to_string(count) + " of the " +
                                  std::to_string(free) + " free elements of " + where);
  };
  const bool pooled = options_.allocation == Allocation::kGlobal;
  if (counts.size() != (pooled ? 1 : model_.parts()))
    throw std::invalid_argument(pooled ? "prune needs one count for all parts together"
                                       : "prune needs one count per part, " +
                                             std::to_string(model_.parts()) + " in all");
  if (pooled)
    return check(counts[0], std::accumulate(free_.begin(), free_.end(), pos_t{0}), "the model");
  for (std::size_t part = 0; part < counts.size(); ++part)
    check(counts[part], free_[part], "part " + std::to_string(part));
}

/// Judges who competes with whom, and marks the least responsible as chosen.
void Solver::choose(std::span<const pos_t> counts) {
  const std::size_t first = plan_->core.mode + 1;  // error() may have judged it already
  const bool pooled = options_.allocation == Allocation::kGlobal;
  const bool judged = judged_.fits(model_);
  judged_.clear();  // other parts will use the same memory
  const auto judge = [&](std::size_t part) {
    if (!judged || part != first) responsibilities(part, scores_of(part));
    return Ranked{scores_of(part), model_.marks(part)};
  };
  if (pooled) {
    Ranked pool[kMaxOrder + 1];
    std::size_t size = 0;
    for (std::size_t part = 0; part < model_.parts(); ++part)
      if (counts[0] > 0 && free_[part] > 0) pool[size++] = judge(part);
    return mark_least({pool, size}, counts[0], team_);
  }
  const auto mark = [&](std::size_t part) {
    if (counts[part] == 0) return;
    const Ranked ranked = judge(part);
    mark_least({&ranked, 1}, counts[part], team_);
  };
  if (judged) mark(first);  // before the others use its memory
  for (std::size_t part = 0; part < model_.parts(); ++part)
    if (!judged || part != first) mark(part);
}

/// Chosen elements become zero and the last batch; rows that have become empty are known to be.
void Solver::settle(std::size_t part) {
  const std::span<Mark> marks = model_.marks(part);
  const std::span<double> values = model_.edit(part);
  const std::size_t width = part == 0 ? 1 : model_.rank(part - 1);
  const auto rows = static_cast<pos_t>(marks.size() / width);
  const Cut cut{rows, std::max<pos_t>(1, kElementsPerChunk / static_cast<pos_t>(width))};
  pos_t settled = 0;
  steady_.for_chunks(cut.count(), [&](pos_t chunk, int) {
    pos_t count = 0;
    for (pos_t row = cut.begin(chunk); row < cut.end(chunk); ++row) {
      const pos_t before = count;
      for (std::size_t i = static_cast<std::size_t>(row) * width, end = i + width; i < end; ++i) {
        if (marks[i] == Mark::kLastBatch) marks[i] = Mark::kPruned;
        if (marks[i] != Mark::kChosen) continue;
        values[i] = 0.0;
        if (model_.has_variances()) model_.variances(part)[i] = 0.0;
        marks[i] = Mark::kLastBatch;
        ++count;
      }
      if (part > 0 && count > before)
        workspace_->empty.look_at(model_, part - 1, static_cast<index_t>(row));
    }
    add(settled, count);
  });
  if (part > 0) workspace_->empty.looked_at(model_, part - 1);
  pruned_[part] += settled;
  free_[part] -= settled;
}

void Solver::prune(std::span<const pos_t> counts) {
  check_counts(counts);
  try {
    choose(counts);
  } catch (...) {  // interrupted: prune nothing rather than some of it
    for (std::size_t part = 0; part < model_.parts(); ++part)
      replace_marks(model_.marks(part), Mark::kChosen, Mark::kFree, steady_);
    throw;
  }
  settle_all();
}

/// Nothing here can be interrupted. Values change only now: all parts were judged at one state.
void Solver::settle_all() {
  workspace_->empty.update(model_, steady_);
  for (std::size_t part = 0; part < model_.parts(); ++part) settle(part);
}

void Solver::prune_chosen(std::span<const std::span<const bool>> chosen) {
  if (chosen.size() != model_.parts()) throw std::invalid_argument("prune needs one mask per part");
  for (std::size_t part = 0; part < model_.parts(); ++part) {
    check_part(part, chosen[part].size());
    for (std::size_t i = 0; i < chosen[part].size(); ++i)
      if (chosen[part][i] && model_.marks(part)[i] != Mark::kFree)
        throw std::invalid_argument("element " + std::to_string(i) + " of part " +
                                    std::to_string(part) + " is not free");
  }
  for (std::size_t part = 0; part < model_.parts(); ++part)
    for (std::size_t i = 0; i < chosen[part].size(); ++i)
      if (chosen[part][i]) model_.marks(part)[i] = Mark::kChosen;
  settle_all();
}

void Solver::set_elsewhere(std::function<void(const CoreSum&, std::span<double>)> sums) {
  if (plan_->holds != Holds::kNone)
    throw std::invalid_argument("this solver has the entries itself");
  workspace_->slots.elsewhere = std::move(sums);
}

std::vector<std::span<const double>> Solver::core_sums(const CoreSum& which) {
  if (plan_->holds != Holds::kShare || plan_->shared != plan_->core.mode)
    throw std::invalid_argument("only shards of the core's mode have its sums");
  kernels_.core_sums(*plan_, model_, which, *workspace_);
  std::vector<std::span<const double>> columns;
  const Unfilled& partial = workspace_->slots.partial;
  for (std::size_t slot = 0; slot < partial.columns(); ++slot)
    columns.emplace_back(partial.column(slot), partial.rows());
  return columns;
}

std::vector<std::span<const double>> Solver::open_sums() const {
  std::vector<std::span<const double>> columns;
  const Unfilled& pieces = workspace_->pass.pieces;
  for (const SplitRow& row : plan_->modes[plan_->shared].split_rows)
    for (index_t piece = row.piece_begin; row.open && piece < row.piece_end; ++piece)
      columns.emplace_back(pieces.column(static_cast<std::size_t>(piece)), pieces.rows());
  return columns;
}

void Solver::give_sums(std::span<const double> sums) {
  Unfilled& pieces = workspace_->pass.pieces;
  if (!plan_->modes[plan_->shared].summed || sums.size() != pieces.size())
    throw std::invalid_argument("these are not the sums of the rows' pieces");
  std::ranges::copy(sums, pieces.data());
}

std::span<const double> Solver::squares() const {
  const Mode n = plan_->holds == Holds::kShare ? plan_->shared : plan_->core.mode;
  return {workspace_->pass.squares.data(), plan_->modes[n].chunks.size()};
}

void Solver::rows_changed(Mode n) { (void)model_.edit(n + 1); }

pos_t Solver::revive() {
  pos_t total = 0;
  for (std::size_t part = 0; part < model_.parts(); ++part) {
    const pos_t revived = replace_marks(model_.marks(part), Mark::kLastBatch, Mark::kFree, steady_);
    pruned_[part] -= revived;
    free_[part] += revived;
    total += revived;
  }
  return total;
}

void Solver::set_pruned(std::size_t part, std::span<const bool> mask) {
  check_part(part, mask.size());
  for (std::size_t i = 0; i < mask.size(); ++i)
    model_.marks(part)[i] = mask[i] ? Mark::kPruned : Mark::kFree;
  zero_pruned(part);
  count_marks(part);
}

void Solver::set_kept(std::size_t part, std::span<const bool> mask) {
  check_part(part, mask.size());
  for (std::size_t i = 0; i < mask.size(); ++i)
    if (Mark& mark = model_.marks(part)[i]; is_live(mark))
      mark = mask[i] ? Mark::kKept : Mark::kFree;
  count_marks(part);
}

void Solver::set_fixed(std::size_t part, std::span<const bool> mask) {
  check_part(part, mask.size());
  if (!model_.has_variances())
    throw std::invalid_argument("single elements can be fixed only where they have variances");
  for (std::size_t i = 0; i < mask.size(); ++i)
    if (mask[i] && !is_pruned(model_.marks(part)[i])) model_.marks(part)[i] = Mark::kFixed;
  zero_pruned(part);
  count_marks(part);
}

void Solver::set_marks(std::size_t part, std::span<const std::uint8_t> marks) {
  check_part(part, marks.size());
  const auto last =
      static_cast<std::uint8_t>(model_.has_variances() ? Mark::kFixed : Mark::kLastBatch);
  if (std::ranges::any_of(marks, [&](std::uint8_t mark) { return mark > last; }))
    throw std::invalid_argument("part " + std::to_string(part) + " has a mark above " +
                                std::to_string(last));
  std::ranges::transform(marks, model_.marks(part).begin(),
                         [](std::uint8_t mark) { return static_cast<Mark>(mark); });
  zero_pruned(part);
  count_marks(part);
}

void Solver::zero_pruned(std::size_t part) {
  const std::span<const Mark> marks = model_.marks(part);
  const std::span<double> values = model_.edit(part);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (is_pruned(marks[i])) values[i] = 0.0;
  if (!model_.has_variances()) return;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!is_live(marks[i])) model_.variances(part)[i] = 0.0;
}

void Solver::values_changed() {
  for (std::size_t part = 0; part < model_.parts(); ++part) zero_pruned(part);
}

void Solver::set_penalty(std::size_t part, double lambda, bool nonnegative,
                         std::vector<double> row_weight) {
  const auto rows = part == 0 || part >= model_.parts() ? 0 : model_.rows(part - 1);
  if (part >= model_.parts() || (!row_weight.empty() && row_weight.size() != rows))
    throw std::invalid_argument("part " + std::to_string(part) + " does not have " +
                                std::to_string(row_weight.size()) + " rows");
  if (model_.has_variances())
    throw std::invalid_argument("where elements have variances, they pay by their priors");
  row_weight_[part] = std::move(row_weight);
  penalties_[part] = {options_.kind, lambda, nonnegative, row_weight_[part], {}, 0.0};
}

void Solver::set_prior(std::size_t part, std::vector<double> precision, double noise,
                       bool nonnegative) {
  const std::size_t columns = part == 0 || part >= model_.parts() ? 1 : model_.rank(part - 1);
  if (part >= model_.parts() || precision.size() != columns)
    throw std::invalid_argument("part " + std::to_string(part) + " does not have " +
                                std::to_string(precision.size()) + " priors");
  if (!model_.has_variances())
    throw std::invalid_argument("only elements with variances have priors");
  if (!(noise > 0.0) || !std::ranges::all_of(precision, [](double each) { return each > 0.0; }))
    throw std::invalid_argument("priors and noise must be positive");
  prior_[part] = std::move(precision);
  penalties_[part] = {options_.kind, 0.0, nonnegative, {}, prior_[part], noise};
}

std::vector<pos_t> Solver::zeros() const {
  std::vector<pos_t> counts;
  for (std::size_t part = 0; part < model_.parts(); ++part)
    counts.push_back(
        count_in(model_.values(part), steady_, [](double value) { return value == 0.0; }));
  return counts;
}

void Solver::count_marks(std::size_t part) {
  const std::span<const Mark> marks = model_.marks(part);
  // As they are where nothing is pruned yet, and in the solver of each shard for all parts but one.
  if (marks.front() == Mark::kFree &&
      std::memcmp(marks.data(), marks.data() + 1, marks.size() - 1) == 0) {
    pruned_[part] = 0;
    free_[part] = std::ssize(marks);
    return;
  }
  pruned_[part] = count_in(marks, steady_, [](Mark mark) { return is_pruned(mark); });
  free_[part] = count_in(marks, steady_, [](Mark mark) { return mark == Mark::kFree; });
}

}  // namespace vest
