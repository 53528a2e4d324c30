// Plans: of all entries, of a share of them, of none; and what solvers of these hand out and take.
#include "bind_plan.hpp"

#include <algorithm>
#include <string_view>

#include "numpy.hpp"
#include "vest/shard.hpp"

namespace vest {
namespace {

PlanOverrides overrides_for(bool sparse_core) {
  PlanOverrides overrides;
  if (sparse_core) {
    overrides.core = PlanOverrides::Core::kRuns;
    overrides.ones = true;
  }
  return overrides;
}

/// Sorts the entries once, for all solvers that take the plan.
std::shared_ptr<Plan> plan_entries(const SparseTensor& x, const std::vector<index_t>& ranks,
                                   int threads, bool sparse_core) {
  const GilRelease free;
  return std::make_shared<Plan>(
      make_plan(x, ranks, Team(threads, python_signals()), overrides_for(sparse_core)));
}

/// For each mode, which other one its passes contract last.
std::vector<Mode> last_modes(const Plan& plan) {
  std::vector<Mode> last;
  for (const ModePlan& mode : plan.modes) last.push_back(mode.last);
  return last;
}

std::shared_ptr<Plan> outline(const std::vector<pos_t>& shape, pos_t entries,
                              const Array<std::uint64_t>& counted,
                              const std::vector<Array<std::uint32_t>>& row_sizes,
                              const std::vector<index_t>& ranks, bool sparse_core) {
  std::vector<std::span<const std::uint32_t>> sizes;
  for (const Array<std::uint32_t>& each : row_sizes) sizes.push_back(span_of(each));
  return std::make_shared<Plan>(
      make_outline(shape, entries, span_of(counted), sizes, ranks, overrides_for(sparse_core)));
}

std::shared_ptr<Plan> shard(const Plan& outline, const SparseTensor* x, Mode mode, pos_t begin,
                            pos_t end, int threads) {
  const GilRelease free;
  return std::make_shared<Plan>(
      make_shard(x, outline, mode, begin, end, Team(threads, python_signals())));
}

/// Rows of numbers as an array.
template <class Rows, class Write>
Array<pos_t> table(const Rows& rows, std::size_t columns, Write&& write) {
  Array<pos_t> out({rows.size(), columns});
  pos_t* to = out.mutable_data();
  for (const auto& row : rows) {
    write(row, to);
    to += columns;
  }
  return out;
}

Array<pos_t> chunk_table(const Plan& plan, Mode mode) {
  return table(plan.modes.at(mode).chunks, 5, [](const Chunk& chunk, pos_t* to) {
    const pos_t row[] = {chunk.begin, chunk.end, chunk.row_begin, chunk.row_end, chunk.piece};
    std::ranges::copy(row, to);
  });
}

Array<pos_t> split_table(const Plan& plan, Mode mode) {
  return table(plan.modes.at(mode).split_rows, 4, [](const SplitRow& split, pos_t* to) {
    const pos_t row[] = {split.row, split.piece_begin, split.piece_end, split.open ? 1 : 0};
    std::ranges::copy(row, to);
  });
}

/// The modes by which the entries of a mode are sorted, the first one first.
std::vector<Mode> sort_modes(const Plan& plan, Mode mode) {
  const ModePlan& own = plan.modes.at(mode);
  std::vector<Mode> modes{mode};
  modes.insert(modes.end(), own.tuple_modes.begin(), own.tuple_modes.end());
  modes.push_back(own.last);
  return modes;
}

/// Columns of numbers as rows of an array, of which the first `size` are wanted.
Array<double> copied(const std::vector<std::span<const double>>& columns, std::size_t size) {
  Array<double> out({columns.size(), size});
  double* to = out.mutable_data();
  for (const std::span<const double> column : columns)
    to = std::ranges::copy(column.first(std::min(size, column.size())), to).out;
  return out;
}

Array<double> core_sums(Solver& solver, CoreSumKind kind, std::size_t size,
                        const Array<std::size_t>& elements, bool products, bool moments) {
  std::vector<std::span<const double>> columns;
  const auto some = span_of(elements);
  {
    const GilRelease free;
    columns = solver.core_sums({kind, some, products, moments});
  }
  return copied(columns, size);
}

/// `sums(kind, size, elements, products, moments)` returns an array of that size.
void set_elsewhere(Solver& solver, const py::function& sums) {
  const auto kept = keep_alive(sums);
  solver.set_elsewhere([kept](const CoreSum& which, std::span<double> total) {
    const GilHold gil;
    Array<std::size_t> elements(static_cast<py::ssize_t>(which.elements.size()));
    std::ranges::copy(which.elements, elements.mutable_data());
    const auto& ask = *static_cast<const py::function*>(kept.get());
    const auto found = ask(which.kind, total.size(), elements, which.products, which.moments)
                           .cast<Array<double>>();
    if (static_cast<std::size_t>(found.size()) != total.size())
      throw std::invalid_argument("these are not the sums that the core asked for");
    std::ranges::copy(span_of(found), total.begin());
  });
}

void prune_chosen(Solver& solver, const std::vector<Array<bool>>& chosen) {
  std::vector<std::span<const bool>> masks;
  for (const Array<bool>& each : chosen) masks.push_back(span_of(each));
  const GilRelease free;
  solver.prune_chosen(masks);
}

}  // namespace

void bind_plan(py::module_& m) {
  py::native_enum<CoreSumKind>(m, "CoreSumKind", "enum.Enum")
      .value("GRAM", CoreSumKind::kGram)
      .value("MOMENTS", CoreSumKind::kMoments)
      .value("SOME", CoreSumKind::kSome)
      .value("NON_ZERO", CoreSumKind::kNonZero)
      .value("BLOCK", CoreSumKind::kBlock)
      .finalize();
  py::class_<Plan, std::shared_ptr<Plan>>(m, "Plan")
      .def(py::init(&plan_entries), "tensor"_a, "ranks"_a, py::kw_only(), "threads"_a = 0,
           "sparse_core"_a = false)
      .def_property_readonly("last", &last_modes)
      .def_static("outline", &outline, "shape"_a, "nnz"_a, "counted"_a.noconvert(),
                  "row_sizes"_a.noconvert(), "ranks"_a, py::kw_only(), "sparse_core"_a = false)
      .def("shard", &shard, "tensor"_a.none(true), "mode"_a, "begin"_a, "end"_a, py::kw_only(),
           "threads"_a = 0)
      .def(
          "endings",
          [](const Plan& plan, Mode mode, const Array<index_t>& pieces) {
            return std::make_shared<Plan>(make_endings(plan, mode, span_of(pieces)));
          },
          "mode"_a, "pieces"_a.noconvert())
      .def("chunks", &chunk_table, "mode"_a)
      .def("split_rows", &split_table, "mode"_a)
      .def("sort_modes", &sort_modes, "mode"_a)
      .def_property_readonly("core_mode", [](const Plan& plan) { return plan.core.mode; })
      .def_property_readonly("chunks_per_slot",
                             [](const Plan& plan) { return plan.core.chunks_per_slot; })
      .def_property_readonly(
          "in_blocks", [](const Plan& plan) { return plan.core.strategy == CoreStrategy::kBlocks; })
      .def(
          "narrowed",
          [](const Plan& plan, Mode mode, pos_t begin, pos_t end) {
            return std::make_shared<Plan>(narrow_outline(plan, mode, begin, end));
          },
          "mode"_a, "begin"_a, "end"_a)
      .def_property_readonly("nbytes", &bytes_of)
      .def(py::pickle(
          [](const Plan& plan) {
            const std::vector<std::byte> bytes = pack_plan(plan);
            return py::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
          },
          [](const py::bytes& state) {
            const std::string_view bytes = state;
            return std::make_shared<Plan>(unpack_plan(std::as_bytes(std::span(bytes))));
          }))
      .def_property_readonly("first_row", [](const Plan& plan) { return plan.first_row; });
  m.def(
      "count_share",
      [](const SparseTensor& x, pos_t entries, int threads) {
        std::vector<std::uint64_t> counted;
        {
          const GilRelease free;
          counted = count_share(x, entries, Team(threads, python_signals()));
        }
        Array<std::uint64_t> out(static_cast<py::ssize_t>(counted.size()));
        std::ranges::copy(counted, out.mutable_data());
        return out;
      },
      "tensor"_a, "nnz"_a, py::kw_only(), "threads"_a = 0);
}

void bind_shares(py::class_<Solver>& solver) {
  solver.def("set_elsewhere", &set_elsewhere, "sums"_a)
      .def("core_sums", &core_sums, "kind"_a, "size"_a, "elements"_a, "products"_a, "moments"_a)
      .def("open_sums",
           [](const Solver& s) {
             const auto columns = s.open_sums();
             return copied(columns, columns.empty() ? 0 : columns.front().size());
           })
      .def(
          "give_sums", [](Solver& s, const Array<double>& sums) { s.give_sums(span_of(sums)); },
          "sums"_a.noconvert())
      .def("squares",
           [](const Solver& s) {
             const auto squares = s.squares();
             return copied({squares}, squares.size());
           })
      .def("rows_changed", &Solver::rows_changed, "mode"_a)
      .def("prune_chosen", &prune_chosen, "chosen"_a.noconvert());
}

}  // namespace vest
