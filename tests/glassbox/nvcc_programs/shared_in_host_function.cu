__global__ void kernel(int* a) { a[0] = 1; }
int use() { __shared__ int s[4]; s[0] = 1; return s[0]; }
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
