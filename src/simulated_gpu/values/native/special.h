// Which operators need more than the CPU's kernel of the same name.
#pragma once

#include "operator.h"

namespace simulated_gpu {

Special special(const c10::OperatorHandle& op);

} // namespace simulated_gpu
