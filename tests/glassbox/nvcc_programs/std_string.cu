#include <string>
__global__ void kernel(int* a) {
  std::string s = "abc";
  a[0] = (int)s.size();
}
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
