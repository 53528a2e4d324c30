// Where NumPy meets the core: the only place an array becomes a span, or memory an array.
#pragma once

#include <pybind11/native_enum.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "gil.hpp"
#include "vest/parallel.hpp"

namespace vest {

using namespace py::literals;

/// C-contiguous arrays of exactly this type; arguments say .noconvert(), so nothing is copied
/// without being seen: the Python layer converts.
template <class T>
using Array = py::array_t<T, py::array::c_style>;

template <class T>
[[nodiscard]] std::span<const T> span_of(const Array<T>& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

template <class T>
[[nodiscard]] std::span<T> writable_span_of(Array<T>& array) {
  return {array.mutable_data(), static_cast<std::size_t>(array.size())};
}

/// Memory of `owner`, seen as an array that keeps the owner alive.
template <class T>
[[nodiscard]] py::array read_only_view(std::span<const T> memory, const std::vector<pos_t>& shape,
                                       py::handle owner) {
  py::array array(py::dtype::of<T>(), shape, memory.data(), owner);
  array.attr("setflags")("write"_a = false);
  return array;
}

/// Python objects kept alive by the core, which may let go of them without holding the GIL.
[[nodiscard]] inline std::shared_ptr<const void> keep_alive(py::object object) {
  return {new py::object(std::move(object)), [](const void* kept) {
            if (python_ends() && PyGILState_Check() == 0) return;  // nothing is freed any more
            const GilHold gil;
            delete static_cast<const py::object*>(kept);
          }};
}

/// Ctrl-C: runs Python's pending signal handlers; what they raise comes out of the step. A thread
/// that has outlived the interpreter has nobody to ask.
[[nodiscard]] inline StopCheck python_signals() {
  return [] {
    if (python_ends()) return false;
    const GilHold gil;
    return PyErr_CheckSignals() != 0;
  };
}

void bind_tensor(py::module_& m);
void bind_solver(py::module_& m);

}  // namespace vest
