// Which operators gave values that a real GPU may give differently.
#pragma once

#include <string>

namespace simulated_gpu {

void note_unsure(const std::string& op);

} // namespace simulated_gpu
