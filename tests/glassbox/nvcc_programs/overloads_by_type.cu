int size(int x) { return x; }
__device__ int size(float x) { return (int)x; }
__global__ void kernel(int* a) { a[0] = size(2.5f); }
int use() { return size(3); }
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
