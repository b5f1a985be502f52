// Calls that make the host wait without saying so: copies to memory that is not pinned, copies
// without a stream, cudaMemset of managed memory, cudaFree.
#include <cstdio>
#include <vector>
__global__ void twice(int* a) { a[threadIdx.x] *= 2; }
int main() {
  int *a, *b, *c;
  std::vector<int> h(32, 1);
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaMallocManaged(&a, 128);
  cudaMalloc(&b, 128);
  cudaMalloc(&c, 128);
  cudaMemset(a, 0, 128);
  a[3] = 5;
  cudaMemcpyAsync(b, h.data(), 128, cudaMemcpyHostToDevice, s);
  h[7] = 9;
  twice<<<1, 32, 0, s>>>(a);
  cudaMemcpyAsync(h.data(), b, 128, cudaMemcpyDeviceToHost, s);
  printf("%d %d", h[7], a[3]);
  twice<<<1, 32>>>(a);
  cudaMemcpy(h.data(), a, 128, cudaMemcpyDefault);
  printf(" %d", a[3]);
  twice<<<1, 32, 0, s>>>(a);
  cudaFree(c);
  printf(" %d\n", a[3]);
  cudaFree(a);
  cudaFree(b);
  cudaStreamDestroy(s);
}
