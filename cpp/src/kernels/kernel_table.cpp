// The kernels of one instruction set, as the dispatcher sees them.
#include "kernels/kernel_table.hpp"

namespace vest::inline VEST_ISA {

#define VEST_NAME_OF(text) #text
#define VEST_NAME(text) VEST_NAME_OF(text)

constinit const KernelTable kernel_table = {VEST_NAME(VEST_ISA),
                                            &workspace_sizes,
                                            &update_factor,
                                            &row_sums,
                                            &solve_rows,
                                            &update_core,
                                            &squared_error,
                                            &factor_responsibilities,
                                            &core_responsibilities,
                                            &core_sums,
                                            &predict,
                                            &predict_variances,
                                            &top_k};

}  // namespace vest::inline VEST_ISA
