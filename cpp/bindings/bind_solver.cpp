// Solver, rows from sums, and predict: the steps of a fit, with the GIL free while they run.
#include <algorithm>
#include <type_traits>

#include "bind_plan.hpp"
#include "numpy.hpp"
#include "vest/memory.hpp"
#include "vest/predict.hpp"
#include "vest/ranking.hpp"
#include "vest/row_systems.hpp"
#include "vest/solver.hpp"

namespace vest {
namespace {

using Factors = std::vector<Array<double>>;

/// A model over the arrays' own memory. It borrows through non-const pointers only, so who may
/// write is the caller's business.
TuckerModel borrow_model(const Array<double>& core, const Factors& factors,
                         std::vector<Array<double>> variances = {}) {
  const auto memory = [](const Array<double>& array) { return const_cast<double*>(array.data()); };
  std::vector<index_t> ranks;
  for (py::ssize_t n = 0; n < core.ndim(); ++n)
    ranks.push_back(static_cast<index_t>(core.shape(n)));
  std::vector<FactorArray> matrices;
  for (const Array<double>& factor : factors) {
    if (factor.ndim() != 2) throw std::invalid_argument("a factor must have two axes");
    matrices.push_back({memory(factor), static_cast<std::size_t>(factor.shape(0)),
                        static_cast<std::size_t>(factor.shape(1))});
  }
  std::vector<std::span<double>> spans;
  for (const Array<double>& each : variances)
    spans.emplace_back(memory(each), static_cast<std::size_t>(each.size()));
  TuckerModel model = TuckerModel::borrowing(
      std::move(ranks), {memory(core), static_cast<std::size_t>(core.size())}, matrices,
      keep_alive(py::make_tuple(core, factors, variances)));
  if (!spans.empty()) model.set_variances(std::move(spans));
  return model;
}

/// Throws if one of the arrays that a solver writes to is read-only: those of the rows of a shard,
/// or all of them.
template <class Entries>
void require_writable(const Entries& entries, Array<double>& core, Factors& factors,
                      std::vector<Array<double>>& variances) {
  if constexpr (std::is_same_v<Entries, std::shared_ptr<Plan>>)
    if (entries->holds == Holds::kShare) {
      (void)factors.at(entries->shared).mutable_data();
      if (!variances.empty()) (void)variances.at(entries->shared + 1).mutable_data();
      return;
    }
  (void)core.mutable_data();
  for (Array<double>& factor : factors) (void)factor.mutable_data();
  for (Array<double>& each : variances) (void)each.mutable_data();
}

/// The solver works in the caller's arrays: what they hold is the start, then the result. `Entries`
/// are a plan, or a tensor, of which the solver makes one.
template <class Entries>
std::unique_ptr<Solver> make_solver(const Entries& entries, Array<double> core, Factors factors,
                                    PenaltyKind kind, double lambda, int threads,
                                    Allocation allocation, double norm, std::string isa,
                                    std::vector<Array<double>> variances) {
  require_writable(entries, core, factors, variances);
  TuckerModel model = borrow_model(core, factors, variances);
  const GilRelease free;  // nothing below touches a Python object
  return std::make_unique<Solver>(
      entries, std::move(model),
      SolverOptions{kind, lambda, threads, allocation, norm, python_signals(), {}, std::move(isa)});
}

/// A constructor of the solver's Python class.
template <class Entries>
void def_solver(py::class_<Solver>& solver) {
  solver.def(py::init(&make_solver<Entries>), "entries"_a, "core"_a.noconvert(),
             "factors"_a.noconvert(), py::kw_only(), "kind"_a, "lam"_a, "threads"_a = 0,
             "allocation"_a = Allocation::kPerPart, "norm"_a = 0.0, "isa"_a = "",
             "variances"_a.noconvert() = std::vector<Array<double>>());
}

/// The array shape of a part: the core's ranks, or rows x columns of a factor.
std::vector<pos_t> part_shape(const TuckerModel& model, std::size_t part) {
  if (part == 0) return {model.ranks().begin(), model.ranks().end()};
  return {static_cast<pos_t>(model.rows(part - 1)), static_cast<pos_t>(model.rank(part - 1))};
}

std::size_t checked_part(const TuckerModel& model, std::size_t part) {
  if (part >= model.parts()) throw std::out_of_range("no part " + std::to_string(part));
  return part;
}

Mode checked_mode(const Solver& solver, Mode mode) {
  if (mode >= solver.model().order()) throw std::out_of_range("no mode " + std::to_string(mode));
  return mode;
}

py::array part_view(const py::object& self, std::size_t part) {
  const TuckerModel& model = self.cast<const Solver&>().model();
  return read_only_view(model.values(checked_part(model, part)), part_shape(model, part), self);
}

py::array marks_view(const py::object& self, std::size_t part) {
  const TuckerModel& model = self.cast<const Solver&>().model();
  const std::span<const Mark> marks = model.marks(checked_part(model, part));
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(marks.data()), marks.size());
  return read_only_view(bytes, part_shape(model, part), self);
}

Array<double> part_responsibilities(Solver& solver, std::size_t part) {
  Array<double> out(part_shape(solver.model(), checked_part(solver.model(), part)));
  const auto span = writable_span_of(out);
  const GilRelease free;
  solver.responsibilities(part, span);
  return out;
}

py::tuple sum_rows(Solver& solver, Mode mode, const Array<index_t>& rows) {
  const auto rank = static_cast<py::ssize_t>(solver.model().rank(checked_mode(solver, mode)));
  Array<double> v({rows.size(), rank, rank});
  Array<double> b({rows.size(), rank});
  const auto chosen = span_of(rows);
  const auto v_span = writable_span_of(v);
  const auto b_span = writable_span_of(b);
  {
    const GilRelease free;
    solver.row_sums(mode, chosen, v_span, b_span);
  }
  return py::make_tuple(v, b);
}

Array<bool> part_mask(const Solver& solver, std::size_t part) {
  Array<bool> out(part_shape(solver.model(), checked_part(solver.model(), part)));
  std::ranges::transform(solver.model().marks(part), writable_span_of(out).begin(), is_pruned);
  return out;
}

/// One number per part.
template <class Count>
std::vector<pos_t> per_part(const TuckerModel& model, Count&& count) {
  std::vector<pos_t> counts;
  for (std::size_t part = 0; part < model.parts(); ++part) counts.push_back(count(part));
  return counts;
}

/// Calls body(cells, team, out) for cells given as an array, with the GIL free.
template <class Body>
Array<double> per_cell(const TuckerModel& model, const Array<index_t>& coords, int threads,
                       Body&& body) {
  if (coords.ndim() != 2 || coords.shape(1) != static_cast<py::ssize_t>(model.order()))
    throw std::invalid_argument("coords must have one column per mode");
  Array<double> out(coords.shape(0));
  const auto cells = span_of(coords);
  const auto values = writable_span_of(out);
  const GilRelease free;
  body(cells, Team(threads, python_signals()), values);
  return out;
}

/// The start is copied: what comes back is an array of its own.
Array<double> solve_rows(const Array<double>& v, const Array<double>& b, const Array<double>& start,
                         const Array<bool>& may_move, PenaltyKind kind, const Array<double>& lambda,
                         bool nonnegative, const Array<double>& row_weight, int sweeps,
                         int threads) {
  const RowSystems systems{.rank = static_cast<std::size_t>(lambda.size()),
                           .v = span_of(v),
                           .b = span_of(b),
                           .free = span_of(may_move),
                           .lambda = span_of(lambda),
                           .row_weight = span_of(row_weight),
                           .kind = kind,
                           .nonnegative = nonnegative,
                           .most_sweeps = sweeps};
  Array<double> out(std::vector<py::ssize_t>(start.shape(), start.shape() + start.ndim()));
  const auto from = span_of(start);
  const auto rows = writable_span_of(out);
  const GilRelease free;
  std::ranges::copy(from, rows.begin());
  solve_row_systems(systems, Team(threads, python_signals()), rows);
  return out;
}

Array<double> predict(const Array<double>& core, const Factors& factors,
                      const Array<index_t>& coords, int threads) {
  const TuckerModel model = borrow_model(core, factors);
  return per_cell(model, coords, threads, [&](auto cells, const Team& team, auto out) {
    predict_cells(model, cells, team, out);
  });
}

Array<double> predict_variances(const Array<double>& core, const Factors& factors,
                                const Array<double>& core_variance, const Factors& factor_variances,
                                const Array<index_t>& coords, int threads) {
  const TuckerModel model = borrow_model(core, factors);
  const TuckerModel variances = borrow_model(core_variance, factor_variances);
  return per_cell(model, coords, threads, [&](auto cells, const Team& team, auto out) {
    predict_cell_variances(model, variances, cells, team, out);
  });
}

/// Items and scores, queries x k both.
py::tuple top_k(const Array<double>& queries, const Array<double>& items,
                const Array<double>& offsets, pos_t k, const Array<pos_t>& first,
                const Array<index_t>& excluded, int threads) {
  if (queries.ndim() != 2 || items.ndim() != 2 || queries.shape(1) != items.shape(1))
    throw std::invalid_argument("queries and items must have two axes, the second of one length");
  if (k < 0) throw std::invalid_argument("k must not be negative");
  const Ranking ranking{.rank = static_cast<std::size_t>(items.shape(1)),
                        .queries = span_of(queries),
                        .items = span_of(items),
                        .offsets = span_of(offsets),
                        .first = span_of(first),
                        .excluded = span_of(excluded),
                        .query_count = static_cast<std::size_t>(queries.shape(0)),
                        .item_count = static_cast<std::size_t>(items.shape(0)),
                        .k = static_cast<std::size_t>(k)};
  Array<index_t> best({queries.shape(0), static_cast<py::ssize_t>(k)});
  Array<double> scores({queries.shape(0), static_cast<py::ssize_t>(k)});
  const auto best_span = writable_span_of(best);
  const auto score_span = writable_span_of(scores);
  {
    const GilRelease free;
    rank_items(ranking, Team(threads, python_signals()), best_span, score_span);
  }
  return py::make_tuple(best, scores);
}

}  // namespace

void bind_solver(py::module_& m) {
  using Free = py::call_guard<GilRelease>;
  py::native_enum<PenaltyKind>(m, "PenaltyKind", "enum.Enum")
      .value("LF", PenaltyKind::kFrobenius)
      .value("L1", PenaltyKind::kL1)
      .value("NOISE", PenaltyKind::kNoise)
      .finalize();
  py::native_enum<Allocation>(m, "Allocation", "enum.Enum")
      .value("PER_PART", Allocation::kPerPart)
      .value("GLOBAL", Allocation::kGlobal)
      .finalize();
  bind_plan(m);
  py::class_<Solver> solver(m, "Solver");
  def_solver<std::shared_ptr<Plan>>(solver);
  def_solver<SparseTensor>(solver);
  solver.def_property_readonly("order", [](const Solver& s) { return s.model().order(); })
      .def_property_readonly("threads", &Solver::threads)
      .def_property_readonly("isa", &Solver::isa)
      .def("update_factor", &Solver::update_factor, "mode"_a, Free())
      .def(
          "update_factors",
          [](Solver& self, const std::vector<Mode>& modes) {
            for (const Mode mode : modes) self.update_factor(mode);
          },
          "modes"_a, Free())
      .def("row_sums", &sum_rows, "mode"_a, "rows"_a.noconvert())
      .def("update_core", &Solver::update_core, Free())
      .def("error", &Solver::error, "judge"_a = false, Free())
      .def("responsibilities", &part_responsibilities, "part"_a)
      .def(
          "prune", [](Solver& s, const std::vector<pos_t>& counts) { s.prune(counts); }, "counts"_a,
          Free())
      .def("revive", &Solver::revive, Free())
      .def("pruned", &part_mask, "part"_a)
      .def(
          "set_pruned",
          [](Solver& s, std::size_t part, const Array<bool>& mask) {
            s.set_pruned(part, span_of(mask));
          },
          "part"_a, "mask"_a.noconvert())
      .def("marks", &marks_view, "part"_a)
      .def(
          "set_marks",
          [](Solver& s, std::size_t part, const Array<std::uint8_t>& marks) {
            s.set_marks(part, span_of(marks));
          },
          "part"_a, "marks"_a.noconvert())
      .def(
          "set_kept",
          [](Solver& s, std::size_t part, const Array<bool>& mask) {
            s.set_kept(part, span_of(mask));
          },
          "part"_a, "mask"_a.noconvert())
      .def(
          "set_penalty",
          [](Solver& s, std::size_t part, double lambda, bool nonnegative,
             const Array<double>& weights) {
            const auto each = span_of(weights);
            s.set_penalty(part, lambda, nonnegative, {each.begin(), each.end()});
          },
          "part"_a, py::kw_only(), "lam"_a, "nonnegative"_a = false,
          "row_weight"_a.noconvert() = Array<double>())
      .def(
          "set_fixed",
          [](Solver& s, std::size_t part, const Array<bool>& mask) {
            s.set_fixed(part, span_of(mask));
          },
          "part"_a, "mask"_a.noconvert())
      .def("set_prior", &Solver::set_prior, "part"_a, py::kw_only(), "precision"_a, "noise"_a,
           "nonnegative"_a = false)
      .def("values_changed", &Solver::values_changed, Free())
      .def_property_readonly("n_pruned", &Solver::pruned)
      .def_property_readonly("n_free", &Solver::free)
      .def_property_readonly("n_zeros", &Solver::zeros)
      .def_property_readonly("sizes",
                             [](const Solver& s) {
                               return per_part(s.model(), [&](std::size_t p) {
                                 return std::ssize(s.model().marks(p));
                               });
                             })
      .def_property_readonly("core", [](const py::object& self) { return part_view(self, 0); })
      .def(
          "factor", [](const py::object& self, Mode mode) { return part_view(self, mode + 1); },
          "mode"_a);
  bind_shares(solver);
  m.def(
      "estimate_memory",
      [](const std::vector<pos_t>& shape, pos_t nnz, const std::vector<index_t>& ranks, int threads,
         Allocation allocation, bool weighted, bool noise, bool sparse_core) {
        const MemoryEstimate bytes = estimate_memory(shape, nnz, ranks, Team(threads).threads(),
                                                     allocation, {noise, sparse_core, weighted});
        return py::dict("tensor"_a = bytes.tensor, "model"_a = bytes.model, "plan"_a = bytes.plan,
                        "sorting"_a = bytes.sorting, "workspace"_a = bytes.workspace,
                        "peak"_a = bytes.peak());
      },
      "shape"_a, "nnz"_a, "ranks"_a, py::kw_only(), "threads"_a = 0,
      "allocation"_a = Allocation::kPerPart, "weighted"_a = false, "noise"_a = false,
      "sparse_core"_a = false);
  m.def("isas", &isas);
  m.def("solve_rows", &solve_rows, "V"_a.noconvert(), "b"_a.noconvert(), "start"_a.noconvert(),
        "free"_a.noconvert(), py::kw_only(), "kind"_a, "lam"_a.noconvert(), "nonnegative"_a = false,
        "row_weight"_a.noconvert() = Array<double>(), "sweeps"_a = RowSystems{}.most_sweeps,
        "threads"_a = 0);
  m.def("predict", &predict, "core"_a.noconvert(), "factors"_a.noconvert(), "coords"_a.noconvert(),
        py::kw_only(), "threads"_a = 0);
  m.def("predict_variances", &predict_variances, "core"_a.noconvert(), "factors"_a.noconvert(),
        "core_variance"_a.noconvert(), "factor_variances"_a.noconvert(), "coords"_a.noconvert(),
        py::kw_only(), "threads"_a = 0);
  m.def("top_k", &top_k, "queries"_a.noconvert(), "items"_a.noconvert(), "offsets"_a.noconvert(),
        "k"_a, "indptr"_a.noconvert() = Array<pos_t>(), "excluded"_a.noconvert() = Array<index_t>(),
        py::kw_only(), "threads"_a = 0);
}

}  // namespace vest
