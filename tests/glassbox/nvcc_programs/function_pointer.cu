__device__ int twice(int x) { return 2 * x; }
typedef int (*Function)(int);
__device__ Function chosen = twice;
__global__ void kernel(int* a) { a[0] = chosen(3); }
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
