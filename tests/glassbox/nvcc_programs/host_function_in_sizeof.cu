int square(int x) { return x * x; }
__global__ void kernel(int* a) { a[0] = (int)sizeof(square(3)) + (int)sizeof(decltype(square(1))); }
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
