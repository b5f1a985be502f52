// A function of the host starts a thread that reads what the stream has copied before.
#include <cstdio>
#include <thread>
__global__ void fill(int* a) { a[threadIdx.x] = 3 * threadIdx.x; }
void CUDART_CB go_on(cudaStream_t, cudaError_t, void* h) {
  std::thread reader([h] { printf("%d\n", static_cast<int*>(h)[5]); });
  reader.join();
}
int main() {
  int *a, *h;
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaMalloc(&a, 128);
  cudaMallocHost(&h, 128);
  fill<<<1, 32, 0, s>>>(a);
  cudaMemcpyAsync(h, a, 128, cudaMemcpyDeviceToHost, s);
  cudaStreamAddCallback(s, go_on, h, 0);
  cudaStreamSynchronize(s);
  cudaFree(a);
  cudaFreeHost(h);
  cudaStreamDestroy(s);
}
