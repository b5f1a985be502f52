struct Pair {
  int a = 1, b = 2;
  Pair() = default;
};
__global__ void kernel(int* a) { Pair p; Pair q = p; q = p; a[0] = q.a; }
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
