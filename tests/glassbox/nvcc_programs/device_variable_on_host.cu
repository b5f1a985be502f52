__device__ int counter;
__global__ void kernel(int* a) { counter = 1; }
int use() { return counter; }
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
