const int kScale = 2;
__device__ int read(const int& x) { return x; }
__global__ void kernel(int* a) { a[0] = read(kScale); }
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
