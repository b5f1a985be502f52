__global__ void kernel(int* a) {
  try {
    a[0] = 1;
  } catch (...) {
  }
}
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
