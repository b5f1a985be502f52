// A function of both sides with a goto: the host's side is taken, and the note says so.
#include <cstdio>

__host__ __device__ int side(int n) {
again:
#ifdef __CUDA_ARCH__
  n += 10;
#else
  n += 1;
#endif
  if (n < 2) goto again;
  return n;
}

__global__ void tell(int* out) { *out = side(0); }

int main() {
  int* out;
  cudaMallocManaged(&out, sizeof(int));
  tell<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  std::printf("%d\n", *out);
  cudaFree(out);
}
