// Checking cells before they are predicted.
#include "vest/predict.hpp"

#include <vector>

#include "engine/dispatch.hpp"
#include "vest/sparse_tensor.hpp"

namespace vest {
namespace {

std::vector<pos_t> shape_of(const TuckerModel& model) {
  std::vector<pos_t> shape;
  for (Mode n = 0; n < model.order(); ++n) shape.push_back(static_cast<pos_t>(model.rows(n)));
  return shape;
}

}  // namespace

void predict_cells(const TuckerModel& model, std::span<const index_t> coords, const Team& team,
                   std::span<double> out) {
  check_coords(coords, shape_of(model));
  kernels_for().predict(model, coords, team, out);
}

void predict_cell_variances(const TuckerModel& model, const TuckerModel& variances,
                            std::span<const index_t> coords, const Team& team,
                            std::span<double> out) {
  const std::vector<pos_t> shape = shape_of(model);
  if (variances.ranks() != model.ranks() || shape_of(variances) != shape)
    throw std::invalid_argument("the variances must have the shapes of the core and the factors");
  check_coords(coords, shape);
  kernels_for().predict_variances(model, variances, coords, team, out);
}

}  // namespace vest
