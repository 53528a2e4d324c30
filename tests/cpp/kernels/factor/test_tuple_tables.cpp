// Contractions: axes in the right places, and deltas equal to the paper's definition.
#include "kernels/factor/tuple_tables.hpp"

#include <algorithm>
#include <numeric>

#include "kernels/factor/contract.hpp"
#include "kernels/factor/delta.hpp"
#include "kernels/vectors/copy_strided.hpp"
#include "problem.hpp"

using namespace vest;

namespace {

void the_leading_axis_goes() {
  const std::vector<double> in{1, 2, 3, 4, 5, 6};
  const std::vector<double> a{10.0, 0.0, 100.0};  // a zero is skipped
  std::vector<double> out{test::kNaN, test::kNaN};
  contract_leading(in.data(), a.data(), 3, 2, out.data());
  CHECK(out == std::vector<double>({510.0, 620.0}));
}

/// Every order of four axes: element by element from its indices.
void axes_are_permuted() {
  const std::vector<index_t> dims{2, 3, 1, 4};
  std::vector<double> in(24);
  std::iota(in.begin(), in.end(), 0.0);
  std::vector<Mode> axes{0, 1, 2, 3};
  do {
    std::vector<double> out(24, test::kNaN);
    const std::size_t strides[] = {12, 4, 4, 1};
    std::vector<index_t> out_dims;
    std::vector<std::size_t> out_strides;
    for (const Mode axis : axes) {
      out_dims.push_back(dims[axis]);
      out_strides.push_back(strides[axis]);
    }
    copy_strided(in, out_dims, out_strides, out);
    std::vector<double> want;
    std::size_t i[4];
    for (i[0] = 0; i[0] < static_cast<std::size_t>(dims[axes[0]]); ++i[0])
      for (i[1] = 0; i[1] < static_cast<std::size_t>(dims[axes[1]]); ++i[1])
        for (i[2] = 0; i[2] < static_cast<std::size_t>(dims[axes[2]]); ++i[2])
          for (i[3] = 0; i[3] < static_cast<std::size_t>(dims[axes[3]]); ++i[3]) {
            std::size_t at[4];
            for (std::size_t k = 0; k < 4; ++k) at[axes[k]] = i[k];
            want.push_back(in[((at[0] * 3 + at[1]) * 1 + at[2]) * 4 + at[3]]);
          }
    CHECK(out == want);
  } while (std::ranges::next_permutation(axes).found);
}

/// Whatever prefix a call shares with the one before, B(alpha) comes out.
void shared_prefixes_change_nothing(const test::Problem& problem) {
  const TuckerModel& model = problem.model;
  std::vector<Mode> modes(model.order());
  std::iota(modes.begin(), modes.end(), Mode{0});
  std::vector<double> memory(
      PrefixContraction::scratch_size(model.ranks(), modes, model.values(0).size()), test::kNaN);
  Scratch scratch(memory);
  PrefixContraction contract(model, modes, model.values(0), scratch);
  const literal::CoreIndices j(model);
  test::Random random(5);
  std::vector<index_t> alpha(model.order(), 0);
  std::vector<double> got;
  std::vector<double> want;
  for (int call = 0; call < 60; ++call) {
    for (Mode n = static_cast<Mode>(random.below(std::ssize(alpha) + 1)); n < alpha.size(); ++n)
      alpha[n] = random.below(problem.entries.shape[n]);  // from a random mode on
    got.push_back(*contract(alpha));
    want.push_back(literal::reconstruct(model, j, alpha.data()));
  }
  CHECK_CLOSE(test::apart(got, want), 0.0, test::kTol);
}

void no_modes_leave_the_core() {
  const TuckerModel model = test::make_problem(test::cases()[0]).model;
  Scratch nothing({});
  CHECK(PrefixContraction::scratch_size(model.ranks(), {}, model.values(0).size()) == 0);
  PrefixContraction contract(model, {}, model.values(0), nothing);
  CHECK(contract({}) == model.values(0).data());
}

/// All deltas of a mode, in the plan's order of entries, with a row of the given kind.
template <int J>
std::vector<double> deltas(test::Rig& rig, const ModePlan& plan) {
  const DeltaSource source = prepare_delta(plan, rig.model, rig.ws);
  Scratch scratch = rig.ws.scratch(0);
  Deltas<J> walk(source, scratch);
  std::vector<double> all;
  walk.each(
      0, std::ssize(plan.value),
      [&](double x, const Row<J>& delta) {
        CHECK(x == plan.value[all.size() / source.rank()]);
        for (std::size_t j = 0; j < source.rank(); ++j) all.push_back(delta[j]);
      },
      [&](double) { all.resize(all.size() + source.rank(), 0.0); });
  return all;
}

/// The last K components alone (K = 0: every second one), the others filled in from `all`.
template <int J, int K>
std::vector<double> some_deltas(test::Rig& rig, const ModePlan& plan, std::vector<double> all) {
  const DeltaSource source = prepare_delta(plan, rig.model, rig.ws);
  const std::size_t rank = source.rank();
  if (rank < K) return all;
  Scratch scratch = rig.ws.scratch(0);
  Deltas<J> walk(source, scratch);
  ComponentList components(rank, scratch);
  const auto chosen =
      components.choose([&](std::size_t j) { return K == 0 ? j % 2 == 1 : j + K >= rank; });
  std::size_t e = 0;
  walk.template each_of<K>(
      chosen, 0, std::ssize(plan.value),
      [&](double, const double* some) {
        for (std::size_t k = 0; k < chosen.size(); ++k) all[e * rank + chosen[k]] = some[k];
        ++e;
      },
      [&](double) {
        for (const std::size_t j : chosen) all[e * rank + j] = 0.0;
        ++e;
      });
  return all;
}

/// The definition: sum over the core elements with j_n = j of G times the others' rows; times the
/// root of the entry's weight.
std::vector<double> defined_deltas(const TuckerModel& model, const ModePlan& plan) {
  const literal::CoreIndices j(model);
  std::vector<double> all;
  std::vector<index_t> alpha(model.order());
  for (const Chunk& chunk : plan.chunks)
    plan.for_rows(chunk, [&](index_t row, pos_t begin, pos_t end) {
      for (pos_t entry = begin; entry < end; ++entry) {
        const auto e = static_cast<std::size_t>(entry);
        alpha[plan.mode] = row;
        alpha[plan.last] = plan.last_index[e];
        const index_t& tuple = plan.tuple[e];
        for (std::size_t k = 0; k < plan.tuple_modes.size(); ++k)
          alpha[plan.tuple_modes[k]] = plan.coords_of(tuple)[k];
        const double root = plan.weighted() ? plan.root_weight[e] : 1.0;
        const std::size_t at = all.size();
        all.resize(at + model.rank(plan.mode), 0.0);
        for (std::size_t beta = 0; beta < j.count(); ++beta)
          all[at + static_cast<std::size_t>(j[beta][plan.mode])] +=
              root * model.values(0)[beta] *
              literal::product(model, alpha.data(), j[beta], plan.mode);
      }
    });
  return all;
}

void deltas_are_the_papers(const test::Problem& problem) {
  using Force = PlanOverrides::Force;
  const SparseTensor x = problem.tensor();
  for (Mode n = 0; n < x.order(); ++n)
    for (const Force tables : {Force::kTables, Force::kOnTheFly})
      for (const int threads : {1, 3}) {
        test::Rig rig(x, problem.model, threads, {tables});
        const ModePlan& plan = rig.plan.modes[n];
        const std::vector<double> want = defined_deltas(rig.model, plan);
        with_rank(rig.model.rank(n), [&]<int J>() {
          CHECK_CLOSE(test::apart(deltas<J>(rig, plan), want), 0.0, test::kTol);
          const auto few_are_the_same = [&]<int K>() {
            CHECK_CLOSE(test::apart(some_deltas<J, K>(rig, plan, want), want), 0.0, test::kTol);
          };
          few_are_the_same.template operator()<0>();
          few_are_the_same.template operator()<1>();
          few_are_the_same.template operator()<2>();
        });
      }
}

/// Rows that are all zero, in whatever mode, are skipped and yet count as the zeros they are.
void empty_rows_are_skipped() {
  for (Mode emptied = 0; emptied < 4; ++emptied) {
    test::Problem problem = test::make_problem({"", {9, 8, 7, 6}, {3, 2, 6, 2}, 300});
    for (const index_t row : {0, 2, 5})  // enough of them to be worth skipping
      std::fill_n(test::edit_row(problem.model, emptied, row), problem.model.rank(emptied), 0.0);
    deltas_are_the_papers(problem);
  }
}

/// Tables are kept until the model changes, but for their own mode, or another mode needs theirs.
void tables_are_prepared_once() {
  const test::Problem problem = test::make_problem(test::cases()[4]);
  for (const auto tables : {PlanOverrides::Force::kTables, PlanOverrides::Force::kOnTheFly}) {
    test::Rig rig(problem.tensor(), problem.model, 1, {tables});
    const ModePlan& plan = rig.plan.modes[1];
    const std::vector<double> before = deltas<0>(rig, rig.plan.modes[2]);
    static_cast<void>(prepare_delta(plan, rig.model, rig.ws));
    CHECK(rig.ws.pass.prepared == &plan);
    for (std::size_t part = 0; part < rig.model.parts(); ++part) {
      rig.ws.pass.core[0] = 1234.5;  // a mark to find again
      static_cast<void>(prepare_delta(plan, rig.model, rig.ws));
      CHECK(rig.ws.pass.core[0] == 1234.5);
      static_cast<void>(rig.model.edit(part));
      static_cast<void>(prepare_delta(plan, rig.model, rig.ws));
      CHECK((rig.ws.pass.core[0] == 1234.5) == (part == plan.mode + 1));
    }
    CHECK(test::same_bits(deltas<0>(rig, rig.plan.modes[2]), before));
    CHECK(rig.ws.pass.prepared == &rig.plan.modes[2]);
  }
}

void fixed_ranks_are_dispatched() {
  for (std::size_t rank = 1; rank <= kFixedRanks + 2; ++rank) {
    int got = -1;
    with_rank(rank, [&]<int J>() { got = J; });
    CHECK(got == kernel_rank(rank));
    CHECK(rank > kFixedRanks ? got == 0 : got >= static_cast<int>(rank));
  }
}

}  // namespace

int main() {
  RUN(the_leading_axis_goes);
  RUN(axes_are_permuted);
  test::for_cases("prefixes", shared_prefixes_change_nothing);
  RUN(no_modes_leave_the_core);
  test::for_cases("deltas", deltas_are_the_papers, 5000);
  RUN(empty_rows_are_skipped);
  RUN(tables_are_prepared_once);
  RUN(fixed_ranks_are_dispatched);
  return check::report();
}
