// Copies and fills of rows that go beyond the end of an array of 4 rows.
#include <vector>
#include <cuda_runtime.h>
int main() {
  char* d;
  std::vector<char> h(1 << 20);
  cudaMalloc(&d, 4 * 512);
#ifdef SOUND
  const int rows = 4;
#else
  const int rows = 9000;
#endif
  cudaMemset2D(d, 512, 0, 100, rows);
  cudaMemcpy2D(d, 512, h.data(), 100, 100, rows, cudaMemcpyHostToDevice);
  cudaMemcpy2D(h.data(), 100, d, 512, 100, rows, cudaMemcpyDeviceToHost);
  cudaFree(d);
}
