constexpr int square(int x) { return x * x; }
__global__ void kernel(int* a) {
  constexpr int n = square(3);
  int local[square(2)];
  local[0] = n;
  a[0] = local[0];
}
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
