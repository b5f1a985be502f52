#include <cstring>
__global__ void kernel(int* a) { a[0] = (int)strlen("four"); }
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
