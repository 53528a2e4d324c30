// Predictions of a model for any cells, and how uncertain they are.
#pragma once

#include <span>

#include "vest/model.hpp"
#include "vest/parallel.hpp"

namespace vest {

/// B(alpha) for cells of `coords` (cells x order, row by row), into `out`, by the best kernels for
/// this processor. Throws CoordinateError if a cell lies outside the model.
void predict_cells(const TuckerModel& model, std::span<const index_t> coords, const Team& team,
                   std::span<double> out);

/// Var B(alpha) for the same cells, to first order. `variances` has the variance of each element
/// where the model has the element. Throws std::invalid_argument if their shapes differ.
void predict_cell_variances(const TuckerModel& model, const TuckerModel& variances,
                            std::span<const index_t> coords, const Team& team,
                            std::span<double> out);

}  // namespace vest
