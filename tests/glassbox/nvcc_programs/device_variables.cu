__device__ int counter;
__constant__ float weights[4];
__managed__ int both;
__global__ void kernel(int* a) { counter = both; a[0] = (int)weights[1] + counter; }
int use() { return both; }
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
