__device__ int square(int x);
__global__ void kernel(int* a) { a[0] = square(3); }
int square(int x) { return x * x; }
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
