struct Counter {
  Counter() : n(1) {}
  int n;
};
__global__ void kernel(int* a) {
  Counter c;
  a[0] = c.n;
}
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
