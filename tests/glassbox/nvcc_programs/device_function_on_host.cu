__device__ int twice(int x) { return 2 * x; }
__global__ void kernel(int* a) { a[0] = twice(a[1]); }
int use() {
  return twice(3);
}
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
