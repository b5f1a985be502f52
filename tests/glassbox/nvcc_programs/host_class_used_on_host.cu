#include <iostream>
#include <string>
#include <vector>
#include <algorithm>
#include <random>
__global__ void kernel(int* a) { a[threadIdx.x] = 1; }
void use() {
  std::vector<int> v(4);
  std::sort(v.begin(), v.end(), [](int x, int y) { return x < y; });
  std::mt19937 generator(1);
  std::cout << v.size() << std::string("abc") << generator() << rand() << std::endl;
}
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
