// Sums of outer products of rows through the tree of entries, against plain loops over the entries.
#include "kernels/core/fiber_sum.hpp"

#include "problem.hpp"

using namespace vest;

namespace {

constexpr PlanOverrides kBlocks{PlanOverrides::Force::kAuto, PlanOverrides::Core::kBlocks};

/// sum x phi, phi the outer product of an entry's rows or of their squares, in C order.
std::vector<double> plain_sums(const test::Problem& problem, bool squares) {
  const TuckerModel& model = problem.model;
  std::vector<double> sums(model.values(0).size());
  for (std::size_t e = 0; e < problem.entries.values.size(); ++e)
    for (std::size_t i = 0; i < sums.size(); ++i) {
      double product = problem.entries.values[e];
      for (Mode n = 0; n < model.order(); ++n) {
        const double a = model.row(
            n, problem.entries
                   .coords[e * model.order() + n])[i / model.core_stride(n) % model.rank(n)];
        product *= squares ? a * a : a;
      }
      sums[i] += product;
    }
  return sums;
}

template <Feature F>
std::vector<double> tree_sums(test::Rig& rig) {
  const ModePlan& mode = rig.plan.modes[rig.plan.core.mode];
  const Path path(mode);
  const TuckerModel& model = rig.model;
  const std::size_t size = FiberSum<F>::total_size(model.ranks(), path);
  sum_over_slots(
      rig.ws.slots, {}, mode.chunks, size, rig.team,
      [&](double* column, std::span<const Chunk> chunks, int thread) {
        Scratch scratch = rig.ws.scratch(thread);
        FiberSum<F> sum(model, path, column, scratch);
        walk_tree(
            mode, chunks,
            [&](index_t, pos_t begin, pos_t end) {
              for (auto e = static_cast<std::size_t>(begin); e < static_cast<std::size_t>(end); ++e)
                for_features<F>(model, mode.last, mode.last_index[e], [&](std::size_t u, double f) {
                  sum.leaf()[u] += mode.value[e] * f;
                });
            },
            [&](std::size_t depth, index_t index) { sum.end(depth, index); });
        sum.finish();
      });
  std::vector<double> out(model.values(0).size());
  to_core_order({rig.ws.slots.total.data(), size}, path, model, out);
  return out;
}

void sums_are_those_of_plain_loops(const test::Problem& problem) {
  const std::vector<double> values = plain_sums(problem, false);
  const std::vector<double> squares = plain_sums(problem, true);
  std::vector<double> first;
  for (const int threads : test::kThreads) {
    test::Rig rig(problem.tensor(), problem.model, threads, kBlocks);
    const std::vector<double> got = tree_sums<Feature::kValues>(rig);
    if (threads == 1) first = got;
    CHECK_CLOSE(test::apart(got, values), 0.0, test::kTol);
    CHECK(test::same_bits(got, first));
    CHECK_CLOSE(test::apart(tree_sums<Feature::kSquares>(rig), squares), 0.0, test::kTol);
  }
}

}  // namespace

int main() {
  for (const test::Case& c : test::cases())
    check::run(c.name.c_str(), [&] { sums_are_those_of_plain_loops(test::make_problem(c)); });
  return check::report();
}
