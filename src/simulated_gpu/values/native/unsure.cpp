// Keeps the names of operators whose values a real GPU may give differently, for Python to read.
#include "unsure.h"

#include "runtime.h"

#include <deque>
#include <mutex>

namespace simulated_gpu {
namespace {

std::mutex lock_of_noted;
std::deque<std::string> noted; // a deque, so that the texts stay where they are

} // namespace

void note_unsure(const std::string& op) {
  std::lock_guard<std::mutex> guard(lock_of_noted);
  noted.push_back(op);
  runtime::unsure(op.c_str());
}

} // namespace simulated_gpu

extern "C" void simulated_gpu_values_note_unsure(const char* what) {
  simulated_gpu::note_unsure(what);
}

// How many were noted so far, in this process.
extern "C" size_t simulated_gpu_values_unsure_count() {
  std::lock_guard<std::mutex> guard(simulated_gpu::lock_of_noted);
  return simulated_gpu::noted.size();
}

extern "C" const char* simulated_gpu_values_unsure(size_t index) {
  std::lock_guard<std::mutex> guard(simulated_gpu::lock_of_noted);
  return simulated_gpu::noted[index].c_str();
}
