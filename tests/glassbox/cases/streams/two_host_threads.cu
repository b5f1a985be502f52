// Two threads of the host, each with a stream of its own and both with one array.
#include <cstdio>
#include <thread>
__global__ void fill(int* a, int value) { a[threadIdx.x] = value; }
int main() {
  int *a, h;
  cudaMalloc(&a, 256);
  std::thread other([&] {
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    fill<<<1, 32, 0, s>>>(a, 1);  // EARLIER
#ifdef SOUND
    cudaStreamSynchronize(s);
#endif
    cudaStreamDestroy(s);
  });
  other.join();
  cudaStream_t t;
  cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
  fill<<<1, 32, 0, t>>>(a, 2);  // LATER
  cudaDeviceSynchronize();
  cudaMemcpy(&h, a, 4, cudaMemcpyDeviceToHost);
  printf("%d\n", h);
  cudaFree(a);
  cudaStreamDestroy(t);
}
