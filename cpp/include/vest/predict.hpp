// Predictions of a model for any cells.
#pragma once

#include <span>

#include "vest/model.hpp"
#include "vest/parallel.hpp"

namespace vest {

/// B(alpha) for cells of `coords` (cells x order, row by row), into `out`, by the best kernels for
/// this processor. Throws CoordinateError if a cell lies outside the model.
void predict_cells(const TuckerModel& model, std::span<const index_t> coords, const Team& team,
                   std::span<double> out);

}  // namespace vest
