// The values of embedding bags.
#pragma once

#include "operator.h"

namespace simulated_gpu::bags {

void forward(const Call& call);

} // namespace simulated_gpu::bags
