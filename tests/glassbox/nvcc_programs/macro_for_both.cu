#define BOTH __host__ __device__ inline
BOTH int square(int x) { return x * x; }
__global__ void kernel(int* a) { a[0] = square(3); }
int use() { return square(3); }
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
