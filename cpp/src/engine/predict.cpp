// Checking cells before they are predicted.
#include "vest/predict.hpp"

#include <vector>

#include "engine/dispatch.hpp"
#include "vest/sparse_tensor.hpp"

namespace vest {

void predict_cells(const TuckerModel& model, std::span<const index_t> coords, const Team& team,
                   std::span<double> out) {
  std::vector<pos_t> shape;
  for (Mode n = 0; n < model.order(); ++n)
    shape.push_back(static_cast<pos_t>(model.factor(n).n_cols));
  check_coords(coords, shape);
  kernels_for().predict(model, coords, team, out);
}

}  // namespace vest
