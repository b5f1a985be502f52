struct Maths {
  static int square(int x) { return x * x; }
};
__global__ void kernel(int* a) { a[0] = Maths::square(a[1]); }
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
