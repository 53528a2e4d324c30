// Checking rows before they are solved for.
#include "vest/row_systems.hpp"

#include <stdexcept>

#include "engine/dispatch.hpp"

namespace vest {

void solve_row_systems(const RowSystems& systems, const Team& team, std::span<double> rows) {
  const std::size_t rank = systems.rank;
  if (rank == 0 || rows.size() % rank != 0)
    throw std::invalid_argument("rows must be of a rank of at least 1");
  const std::size_t weights = systems.row_weight.size();
  if (systems.b.size() != rows.size() || systems.free.size() != rows.size() ||
      systems.v.size() != rows.size() * rank || systems.lambda.size() != rank ||
      (weights != 0 && weights != rows.size() / rank))
    throw std::invalid_argument("V, b, free, lambda and weights must fit the rows");
  kernels_for().solve_rows(systems, team, rows);
}

}  // namespace vest
