__device__ int twice(int x) { return 2 * x; }
__host__ __device__ int use(int x) { return twice(x); }
__global__ void kernel(int* a) { a[0] = use(3); }
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
