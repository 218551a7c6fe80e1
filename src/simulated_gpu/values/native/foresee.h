// What the host code of some operators reads from the device while it runs.
#pragma once

#include "operator.h"

namespace simulated_gpu {

// nonzero reads how many elements are not zero, to allocate that many.
void foresee_nonzero(const Arguments& arguments);

// A decomposition reads whether it succeeded. Here it has; where it does not, the CPU says so afterwards.
void foresee_success(const Arguments& arguments);

// unique reads how many different values there are, in one wait, unless it gets none. What is read is not used.
void wait_for_a_length(const Arguments& arguments);

} // namespace simulated_gpu
