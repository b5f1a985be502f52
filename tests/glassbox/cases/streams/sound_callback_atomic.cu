// Likewise by an atomic.
#include <atomic>
#include <cstdio>
std::atomic<int> done{0};
__global__ void fill(int* a) { a[threadIdx.x] = 3 * threadIdx.x; }
void CUDART_CB signal(cudaStream_t, cudaError_t, void*) { done.store(1); }
int main() {
  int* a;
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaMallocManaged(&a, 128);
  fill<<<1, 32, 0, s>>>(a);
  cudaStreamAddCallback(s, signal, nullptr, 0);
  while (done.load() == 0) {
  }
  printf("%d\n", a[5]);
  cudaDeviceSynchronize();
  cudaFree(a);
  cudaStreamDestroy(s);
}
