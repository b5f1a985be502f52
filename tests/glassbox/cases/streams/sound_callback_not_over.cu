// A thread of the host reads as soon as the callback says so, while that one still runs.
#include <atomic>
#include <cstdio>
#include <thread>
std::atomic<int> done{0}, seen{0};
__global__ void fill(int* a) { a[threadIdx.x] = 3 * threadIdx.x; }
void CUDART_CB signal(cudaStream_t, cudaError_t, void*) {
  done.store(1);
  while (seen.load() == 0) {
  }
}
int main() {
  int* a;
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaMallocManaged(&a, 128);
  std::thread reader([a] {
    while (done.load() == 0) {
    }
    printf("%d\n", a[5]);
    seen.store(1);
  });
  fill<<<1, 32, 0, s>>>(a);
  cudaStreamAddCallback(s, signal, nullptr, 0);
  cudaDeviceSynchronize();
  reader.join();
  cudaFree(a);
  cudaStreamDestroy(s);
}
