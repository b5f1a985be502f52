__global__ void kernel(int* a) {
  struct Local { int x; __device__ int twice() const { return 2 * x; } };
  auto add = [&](int n) { return a[0] + n; };
  Local l = {3};
  a[1] = l.twice() + add(2);
}
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
