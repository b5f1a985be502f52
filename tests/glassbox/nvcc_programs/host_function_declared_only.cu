int next(int x);
__global__ void kernel(int* a) {
  a[threadIdx.x] = next(3);
}
int next(int x) { return x + 1; }
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
