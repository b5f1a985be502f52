#include <string>
struct Name { std::string text; };
__global__ void take(Name n, int* a) { a[0] = 1; }
__global__ void kernel(int* a) {}
void start(int* a) { take<<<1, 1>>>(Name(), a); }
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
