// The loss of connectionist temporal classification, as cuDNN computes it.
#pragma once

#include "operator.h"

namespace simulated_gpu::ctc {

void cudnn(const Call& call);

} // namespace simulated_gpu::ctc
