// SparseTensor: borrows two or three arrays and checks them.
#include <cmath>

#include "numpy.hpp"
#include "vest/sparse_tensor.hpp"

namespace vest {
namespace {

std::unique_ptr<SparseTensor> make_tensor(const Array<index_t>& coords, const Array<double>& values,
                                          std::vector<pos_t> shape,
                                          const std::optional<Array<double>>& weights) {
  const auto owner = keep_alive(py::make_tuple(coords, values, weights));
  const auto coord_span = span_of(coords);
  const auto value_span = span_of(values);
  const auto weight_span = weights ? span_of(*weights) : std::span<const double>();
  const GilRelease free;
  return std::make_unique<SparseTensor>(coord_span, value_span, std::move(shape), owner,
                                        weight_span);
}

/// The arrays that hold the coordinates stay alive with the new tensor, too.
std::unique_ptr<SparseTensor> with_values(const SparseTensor& x, const Array<double>& values) {
  const auto owner = keep_alive(values);
  const auto span = span_of(values);
  const GilRelease free;
  return std::make_unique<SparseTensor>(x.with_values(span, owner));
}

}  // namespace

void bind_tensor(py::module_& m) {
  m.def("max_threads", &max_threads);
  m.def("thread_limits", [] {
    const ThreadLimits limits = thread_limits();
    return py::dict("processors"_a = limits.processors, "said"_a = limits.said,
                    "openmp"_a = limits.openmp, "limit"_a = limits.limit);
  });
  py::class_<SparseTensor>(m, "SparseTensor")
      .def(py::init(&make_tensor), "coords"_a.noconvert(), "values"_a.noconvert(), "shape"_a,
           "weights"_a.noconvert() = py::none())
      .def_property_readonly("order", &SparseTensor::order)
      .def_property_readonly("nnz", &SparseTensor::nnz)
      .def_property_readonly("shape",
                             [](const SparseTensor& x) { return py::tuple(py::cast(x.shape())); })
      .def_property_readonly("norm", [](const SparseTensor& x) { return std::sqrt(x.norm2()); })
      .def("with_values", &with_values, "values"_a.noconvert())
      .def("is_unchanged", &SparseTensor::is_unchanged, py::call_guard<GilRelease>())
      .def(
          "find_duplicate",
          [](const SparseTensor& x) { return x.find_duplicate(Team(1, python_signals())); },
          py::call_guard<GilRelease>());
}

}  // namespace vest
