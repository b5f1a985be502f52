int scale = 3;
float values[8];
__global__ void kernel(int* a) {
  int scale = 2, values[2] = {1, 2};
  for (int n = 0; n < 2; ++n) a[n] = scale * values[n];
}
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
