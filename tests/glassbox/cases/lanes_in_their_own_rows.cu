// Each lane has a row of its own, an allocation each: what the first kernel stores is written when
// the second one reads it. FAULT: thread 39 of 40 rows stores one element beyond its row.
#include <cstdio>
__global__ void start(float** row, int n) {
  const int r = threadIdx.x;
  if (r < n) row[r][0] = r;
#ifndef SOUND
  if (r == n - 1) row[r][64] = 0;
#endif
}
__global__ void add(float** row, int n, float* sum) {
  const int r = threadIdx.x;
  if (r < n) atomicAdd(sum, row[r][0]);
}
int main() {
  const int n = 40;
  float *h[n], **row, *sum, all;
  for (float*& p : h) cudaMalloc(&p, 256);
  cudaMalloc(&row, sizeof h);
  cudaMalloc(&sum, 4);
  cudaMemset(sum, 0, 4);
  cudaMemcpy(row, h, sizeof h, cudaMemcpyHostToDevice);
  start<<<1, 64>>>(row, n);
  add<<<1, 64>>>(row, n, sum);
  cudaMemcpy(&all, sum, 4, cudaMemcpyDeviceToHost);
  printf("%g\n", all);
  for (float* p : h) cudaFree(p);
  cudaFree(row);
  cudaFree(sum);
}
