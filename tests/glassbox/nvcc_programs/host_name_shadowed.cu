int n = 3;
int square(int x) { return x * x; }
__global__ void kernel(int* n) {
  auto square = [](int x) { return 2 * x; };
  n[0] = square(n[1]);
}
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
