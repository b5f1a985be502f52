// Functions of both sides that ask for __CUDA_ARCH__: kernels get the device's side of each.
#include <cstdio>
#include <stdexcept>

#define HD __host__ __device__

struct Counter {
  int first;
  HD Counter() : first{0} {
#ifdef __CUDA_ARCH__
    first = 100;
#endif
  }
  template <class T>
  HD T next(T step) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 500
    return first + step;
#else
    if (step < 0) throw std::invalid_argument("step");
    return first - step;
#endif
  }
};

__host__ __device__ inline int index() {
#ifdef __CUDA_ARCH__
  return threadIdx.x;
#else
  return 0;
#endif
}

__global__ void count(int* out, int n) {
  const Counter counter;
  out[index()] = counter.next(2);
#ifdef BROKEN
  if (index() == 1) out[n] = 0;  // beyond the end
#endif
}

int main() {
  const int n = 4;
  int* out;
  cudaMallocManaged(&out, n * sizeof(int));
  count<<<1, n>>>(out, n);
  cudaDeviceSynchronize();
  std::printf("%d %d, %d\n", out[0], out[3], Counter().next(2) + index());
  cudaFree(out);
}
