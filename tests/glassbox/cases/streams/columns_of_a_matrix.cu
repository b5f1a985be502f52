// Each stream copies columns of its own into a matrix: sound if they do not overlap.
#include <cstdio>
int main() {
  constexpr int kRows = 8;
  char *a, *b;
  size_t pitch;
  cudaStream_t s, t;
  cudaStreamCreate(&s);
  cudaStreamCreate(&t);
  cudaMallocPitch(&a, &pitch, 64, kRows);
  cudaMallocHost(&b, 64 * kRows);
  for (int i = 0; i < 64 * kRows; ++i) b[i] = i % 100;
  cudaMemcpy2DAsync(a, pitch, b, 64, 32, kRows, cudaMemcpyHostToDevice, s);  // EARLIER
#ifdef SOUND
  cudaMemset2DAsync(a + 32, pitch, 1, 32, kRows, t);
#else
  cudaMemset2DAsync(a + 31, pitch, 1, 32, kRows, t);  // LATER
#endif
  cudaDeviceSynchronize();
  cudaMemcpy2D(b, 64, a, pitch, 64, kRows, cudaMemcpyDeviceToHost);
  printf("%d\n", b[31]);
  cudaFree(a);
  cudaFreeHost(b);
  cudaStreamDestroy(s);
  cudaStreamDestroy(t);
}
