// Plans in Python, and what solvers of a share of the entries have beside others.
#pragma once

#include <pybind11/pybind11.h>

#include "vest/solver.hpp"

namespace vest {

void bind_plan(pybind11::module_& m);
void bind_shares(pybind11::class_<Solver>& solver);

}  // namespace vest
