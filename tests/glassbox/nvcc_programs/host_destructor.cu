struct Guard {
  int* p;
  ~Guard() { *p = 1; }
};
__global__ void kernel(int* a) {
  Guard g = {a};
}
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
