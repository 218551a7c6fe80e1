// What the kernel of torch.cuda.jiterator needs on the CPU: CUDA's names, PyTorch's conversions, and the loop.
// It is compiled in front of the program's own code, as C++17, which is what NVRTC takes.
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

#include <complex>
#include <cstdint>
#include <type_traits>

#define __host__
#define __device__
#define __forceinline__ inline
#define POS_INFINITY INFINITY
#define NEG_INFINITY (-INFINITY)

// CUDA's functions of the global namespace that C++ has not. Its min and max return the number where one is NaN.
template <class A, class B, class T = std::common_type_t<A, B>>
T min(A a, B b) {
  if constexpr (std::is_floating_point_v<T>)
    return std::fmin(T(a), T(b));
  else
    return T(b) < T(a) ? T(b) : T(a);
}
template <class A, class B, class T = std::common_type_t<A, B>>
T max(A a, B b) {
  if constexpr (std::is_floating_point_v<T>)
    return std::fmax(T(a), T(b));
  else
    return T(a) < T(b) ? T(b) : T(a);
}
inline float rsqrt(float x) {
  return 1 / std::sqrt(x);
}
inline double rsqrt(double x) {
  return 1 / std::sqrt(x);
}

namespace simulated_gpu {

struct ComplexHalf {
  c10::Half real, imag;
};

// The dtype in which PyTorch computes one that it stores.
template <class T>
auto wide(T value) {
  if constexpr (std::is_same_v<T, c10::Half> || std::is_same_v<T, c10::BFloat16>)
    return float(value);
  else if constexpr (std::is_same_v<T, ComplexHalf>)
    return std::complex<float>(value.real, value.imag);
  else
    return value;
}
template <class T>
using Wide = decltype(wide(T{}));

template <class T>
T narrow(Wide<T> value) {
  if constexpr (std::is_same_v<T, ComplexHalf>)
    return {value.real(), value.imag()};
  else
    return value;
}

template <class T>
T read(const char* from) {
  if constexpr (std::is_same_v<T, bool>)
    return *from != 0;
  else
    return *reinterpret_cast<const T*>(from);
}

// An input, rounded to the dtype that all inputs have in common.
template <class Common, class Stored>
Wide<Common> load(const char* from) {
  return wide(narrow<Common>(static_cast<Wide<Common>>(wide(read<Stored>(from)))));
}

template <class Common>
void store(char* to, Wide<Common> value) {
  *reinterpret_cast<Common*>(to) = narrow<Common>(value);
}

constexpr int DIMENSIONS = 64, OPERANDS = 16, EXTRAS = 64;

// Where the elements are. `Loop` of compiled.py has the same layout.
struct Loop {
  int64_t elements, dimensions, operands;
  int64_t sizes[DIMENSIONS];
  int64_t strides[DIMENSIONS][OPERANDS]; // in bytes; outputs come first
  char* data[OPERANDS];
  double extras[EXTRAS][2]; // room for a complex number
};

template <class T>
T extra(const Loop& loop, int index) {
  return *reinterpret_cast<const T*>(loop.extras[index]);
}

template <class Body>
void each(const Loop& loop, const Body& body) {
  int64_t index[DIMENSIONS] = {};
  char* at[OPERANDS];
  for (int i = 0; i < loop.operands; ++i)
    at[i] = loop.data[i];
  for (int64_t left = loop.elements; left > 0; --left) {
    body(at);
    for (int64_t dim = loop.dimensions - 1; dim >= 0; --dim) {
      bool carry = ++index[dim] == loop.sizes[dim];
      for (int i = 0; i < loop.operands; ++i)
        at[i] += loop.strides[dim][i] * (carry ? 1 - loop.sizes[dim] : 1);
      if (!carry)
        break;
      index[dim] = 0;
    }
  }
}

// An integer that is divided by zero is an unknown number on a GPU, and the end of the process on a CPU. The compiler is
// asked to trap there on every processor.
constexpr int TRAPS[] = {SIGFPE, SIGILL, SIGTRAP};
inline thread_local sigjmp_buf trapped;
inline void leave(int) {
  siglongjmp(trapped, 1);
}

// Returns whether it came to its end.
template <class Body>
bool guarded(const Loop& loop, const Body& body) {
  struct sigaction before[3], leaving = {};
  leaving.sa_handler = leave;
  for (int i = 0; i < 3; ++i)
    sigaction(TRAPS[i], &leaving, &before[i]);
  volatile bool done = false;
  if (sigsetjmp(trapped, 1) == 0) {
    each(loop, body);
    done = true;
  }
  for (int i = 0; i < 3; ++i)
    sigaction(TRAPS[i], &before[i], nullptr);
  return done;
}

} // namespace simulated_gpu

extern "C" bool simulated_gpu_kernel(const simulated_gpu::Loop* loop);

// A node of a CUDA graph, which needs no Python.
extern "C" void simulated_gpu_node(void* loop) {
  constexpr int LAUNCH_FAILED = 719;
  if (!simulated_gpu_kernel(static_cast<simulated_gpu::Loop*>(loop)))
    reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "simgpu_fail"))(LAUNCH_FAILED);
}
extern "C" void* simulated_gpu_keep(const simulated_gpu::Loop* loop) {
  return new simulated_gpu::Loop(*loop);
}
extern "C" void simulated_gpu_drop(void* loop) {
  delete static_cast<simulated_gpu::Loop*>(loop);
}
