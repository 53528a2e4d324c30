// Finding the runs: from each element not yet in one, the longest run in any direction.
#include "workspace/core_runs.hpp"

#include <algorithm>
#include <unordered_set>

namespace vest {
namespace {

/// Makes the runs of one mode.
class RunMaker {
 public:
  RunMaker(const TuckerModel& model, std::span<const std::size_t> pattern, Mode mode, bool ones)
      : model_(model), pattern_(pattern), mode_(mode), ones_(ones) {}

  [[nodiscard]] ModeRuns make() {
    left_.insert(pattern_.begin(), pattern_.end());
    for (const std::size_t element : pattern_)
      if (left_.contains(element)) add(element);
    sort();
    return std::move(made_);
  }

 private:
  [[nodiscard]] std::size_t index(std::size_t element, Mode n) const {
    return element / model_.core_stride(n) % model_.rank(n);
  }
  [[nodiscard]] bool is_factor(std::size_t element, Mode n) const {
    return n != mode_ && !(ones_ && index(element, n) == 0);
  }

  /// How long a run is whose moving modes are the bits of `moving`.
  [[nodiscard]] std::size_t length(std::size_t element, std::uint64_t moving) const {
    std::size_t step = 0;
    std::size_t most = SIZE_MAX;
    for (Mode n = 0; n < model_.order(); ++n)
      if (moving >> n & 1) {
        step += model_.core_stride(n);
        most = std::min(most, model_.rank(n) - index(element, n));
      }
    std::size_t count = 1;
    while (count < most && left_.contains(element + count * step)) ++count;
    return count;
  }

  void add(std::size_t element) {
    Mode may_move[kMaxOrder];
    std::size_t modes = 0;
    for (Mode n = 0; n < model_.order(); ++n)
      if (n == mode_ || is_factor(element, n)) may_move[modes++] = n;
    std::uint64_t best = 0;
    std::size_t longest = 1;
    constexpr std::size_t kMostModes = 6;  // more directions than these are not worth a look
    for (std::uint64_t choice = 1; choice < std::uint64_t{1} << std::min(modes, kMostModes);
         ++choice) {
      std::uint64_t moving = 0;
      for (std::size_t k = 0; k < modes; ++k)
        if (choice >> k & 1) moving |= std::uint64_t{1} << may_move[k];
      if (const std::size_t found = length(element, moving); found > longest) {
        longest = found;
        best = moving;
      }
    }
    write(element, best, longest);
  }

  void write(std::size_t element, std::uint64_t moving, std::size_t length) {
    CoreRun run{};
    run.length = static_cast<std::uint32_t>(length);
    run.first = static_cast<std::uint32_t>(made_.elements.size());
    run.target = static_cast<std::uint32_t>(index(element, mode_));
    run.target_moves = (moving >> mode_ & 1) != 0;
    run.factors = static_cast<std::uint32_t>(made_.factors.size());
    std::size_t step = 0;
    for (const bool moves : {false, true})
      for (Mode n = 0; n < model_.order(); ++n) {
        if (moves && (moving >> n & 1)) step += model_.core_stride(n);
        if (!is_factor(element, n) || ((moving >> n & 1) != 0) != moves) continue;
        made_.factors.push_back(
            {static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(index(element, n))});
        ++(moves ? run.moving : run.staying);
      }
    for (std::size_t k = 0; k < length; ++k) {
      made_.elements.push_back(element + k * step);
      left_.erase(element + k * step);
    }
    made_.runs.push_back(run);
  }

  void sort() {
    std::ranges::stable_sort(made_.runs, {}, &CoreRun::length);
    std::ranges::stable_sort(made_.runs, {}, &CoreRun::target);
    std::ranges::stable_sort(made_.runs, {}, &CoreRun::kind);
    for (std::size_t i = 0; i < made_.runs.size(); ++i) {
      CoreRun& run = made_.runs[i];
      for (std::size_t k = static_cast<std::size_t>(run.kind()) + 1; k <= kRunKinds; ++k)
        made_.kinds[k] = static_cast<std::uint32_t>(i + 1);
      const CoreRun* const next = i + 1 < made_.runs.size() ? &made_.runs[i + 1] : nullptr;
      run.ends_target = next == nullptr || next->kind() != run.kind() || next->target != run.target;
    }
    for (std::size_t i = made_.runs.size(); i-- > 0;) {
      CoreRun& run = made_.runs[i];
      const CoreRun* const next = run.ends_target ? nullptr : &made_.runs[i + 1];
      run.together = next != nullptr && next->length == run.length ? next->together + 1 : 1;
    }
  }

  const TuckerModel& model_;
  std::span<const std::size_t> pattern_;
  Mode mode_;
  bool ones_;
  std::unordered_set<std::size_t> left_;
  ModeRuns made_;
};

}  // namespace

RunKind CoreRun::kind() const {
  if (staying + moving == 0) return RunKind::kConstant;
  if (length == 1) return RunKind::kSingle;
  if (staying > 0 || moving > 2) return RunKind::kOther;
  if (moving == 1) return target_moves ? RunKind::kScaled : RunKind::kDot;
  return moving == 2 && !target_moves ? RunKind::kDot : RunKind::kOther;
}

void CoreRuns::update(const TuckerModel& model, bool ones) {
  if (version_ == model.version(0) && ones_ == ones) return;
  const std::span<const double> core = model.values(0);
  std::vector<std::size_t> pattern;
  for (std::size_t i = 0; i < core.size(); ++i)
    if (core[i] != 0.0) pattern.push_back(i);
  if (modes_.empty() || pattern != pattern_ || ones_ != ones) {
    modes_.clear();
    for (Mode n = 0; n < model.order(); ++n)
      modes_.push_back(RunMaker(model, pattern, n, ones).make());
    pattern_ = std::move(pattern);
    ones_ = ones;
  }
  for (ModeRuns& mode : modes_) {
    mode.values.resize(mode.elements.size());
    std::ranges::transform(mode.elements, mode.values.begin(),
                           [&](std::size_t element) { return core[element]; });
    for (CoreRun& run : mode.runs)
      run.unit =
          std::all_of(mode.values.begin() + run.first, mode.values.begin() + run.first + run.length,
                      [](double value) { return value == 1.0; });
  }
  version_ = model.version(0);
}

}  // namespace vest
