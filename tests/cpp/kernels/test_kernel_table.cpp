// Tables of kernels: each holds its own build of every kernel, in the right place.
#include "kernels/kernel_table.hpp"

#include "problem.hpp"

using namespace vest;

namespace {

void the_base_table_holds_the_functions_of_that_name() {
  const KernelTable& base = kernels_for("base");
  CHECK(base.workspace_sizes == &workspace_sizes);
  CHECK(base.update_factor == &update_factor);
  CHECK(base.row_sums == &row_sums);
  CHECK(base.solve_rows == &solve_rows);
  CHECK(base.update_core == &update_core);
  CHECK(base.squared_error == &squared_error);
  CHECK(base.factor_responsibilities == &factor_responsibilities);
  CHECK(base.core_responsibilities == &core_responsibilities);
  CHECK(base.predict == &predict);
  CHECK(base.predict_variances == &predict_variances);
}

void builds_share_no_kernel() {
  for (const KernelTable* a : kernel_tables())
    for (const KernelTable* b : kernel_tables())
      if (a != b) {
        CHECK(a->workspace_sizes != b->workspace_sizes);
        CHECK(a->update_factor != b->update_factor);
        CHECK(a->row_sums != b->row_sums);
        CHECK(a->solve_rows != b->solve_rows);
        CHECK(a->update_core != b->update_core);
        CHECK(a->squared_error != b->squared_error);
        CHECK(a->factor_responsibilities != b->factor_responsibilities);
        CHECK(a->core_responsibilities != b->core_responsibilities);
        CHECK(a->predict != b->predict);
        CHECK(a->predict_variances != b->predict_variances);
      }
}

}  // namespace

int main() {
  RUN(the_base_table_holds_the_functions_of_that_name);
  RUN(builds_share_no_kernel);
  return check::report();
}
