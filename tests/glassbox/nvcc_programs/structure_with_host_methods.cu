#include <cstdio>
#include <vector>
struct Matrix {
  int* data;
  int rows;
  void print() const { printf("%d", rows); }
  std::vector<int> copy() const { return std::vector<int>(rows); }
  __host__ __device__ int size() const { return rows; }
};
__global__ void use(Matrix m) { m.data[0] = m.size() + m.rows; }
__global__ void kernel(int* a) { a[0] = 1; }
void start(int* a) { Matrix m = {a, 1}; use<<<1, 1>>>(m); m.print(); }
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
