#include <cstdlib>
#include <new>
__global__ void kernel(int* a) {
  int* p = (int*)malloc(16);
  int* q = new int[4];
  p[0] = q[0] = 1;
  a[0] = p[0] + q[0];
  free(p);
  delete[] q;
  char place[16];
  int* r = new (place) int(3);
  a[1] = *r;
}
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
