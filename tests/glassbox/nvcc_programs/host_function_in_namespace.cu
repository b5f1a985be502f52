namespace maths {
int cube(int x) { return x * x * x; }
}
__global__ void kernel(int* a) { a[0] = maths::cube(3); }
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
