int start() { return 3; }
__device__ int first = start();
__global__ void kernel(int* a) { a[0] = first; }
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
