__global__ void kernel(int* a) {
  int n = a[0];
  int local[n];
  local[0] = 1;
  a[1] = local[0];
}
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
