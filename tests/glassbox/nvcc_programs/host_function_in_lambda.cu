int square(int x) { return x * x; }
__global__ void kernel(int* a) {
  auto f = [](int x) { return square(x); };
  a[0] = f(3);
}
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
