int scale = 3;
__global__ void kernel(int* a) {
  a[threadIdx.x] = scale;
}
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
