__host__ __device__ int square(int x) { return x * x; }
__global__ void kernel(int* a) { a[threadIdx.x] = square(a[threadIdx.x]); }
int use() { return square(3); }
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
