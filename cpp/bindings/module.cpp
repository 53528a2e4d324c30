// The module vest_tucker._core: errors and a list of what is bound.
#include "numpy.hpp"

// Python without a GIL may load it as it is: nothing here or in the core is shared between calls
// but what their arguments share. A solver is for one thread at a time.
PYBIND11_MODULE(_core, m, pybind11::mod_gil_not_used()) {
  using namespace vest;
  m.attr("__version__") = VEST_VERSION;
#ifdef __clang__
  m.attr("__compiler__") = __VERSION__;  // names itself
#else
  m.attr("__compiler__") = "GCC " __VERSION__;
#endif
#ifdef _OPENMP
  m.attr("__openmp__") = std::to_string(_OPENMP);
#else
  m.attr("__openmp__") = "none";
#endif
  py::register_exception<CoordinateError>(m, "CoordinateError", PyExc_ValueError);
  py::register_exception<NonFiniteError>(m, "NonFiniteError", PyExc_ValueError);
  py::register_exception<WeightError>(m, "WeightError", PyExc_ValueError);
  py::register_local_exception_translator([](std::exception_ptr error) {
    try {
      if (error) std::rethrow_exception(error);
    } catch (const Interrupted&) {
      // The signal handler has raised already; a stop without one is a Ctrl-C all the same.
      if (!PyErr_Occurred()) PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
  });
  bind_tensor(m);
  bind_solver(m);
}
