#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e = (x); if (e) printf("%s\n", cudaGetErrorName(e)); } while (0)
#define ALLOC(p, n) CK(cudaMalloc((void**)&(p), n))
#define ALLOC2(ptr, n) \
  do { ALLOC(ptr, n); } while (0)
#define BOTH(x, y) do { if ((x) || (y)) return 1; } while (0)
struct Pair { float *first, *second; };
struct Net { Pair layer[3]; float* p; void init() { CK(cudaMalloc(&p, 64)); CK(cudaMalloc(&this->layer[2].first, 4)); } };
__global__ void k() {}
template <class T> void alloc(T** p, size_t n) { CK(cudaMalloc((void**)p, n * sizeof(T))); }
template <class T> T* make(size_t n) { T* p; cudaMalloc(&p, n * sizeof(T)); return p; }
int main() {
  float *a, *b, *c, *rows[3]; Pair s; Pair* q = &s; double* w[2];
  k<<<1, 1>>>(); cudaMalloc(&a, 4); k<<<1, 1>>>(); cudaMalloc(&b, 8); CK(cudaMalloc(&c, 12));
  for (int i = 0; i < 3; ++i) CK(cudaMalloc(&rows[i], 16)); CK(cudaMalloc((void**)&s.first, 20)); CK(cudaMalloc(reinterpret_cast<void**>(&q->second), 24));
  ALLOC(a, 28); ALLOC2(b, 32); cudaMalloc(&w[0], 36); cudaMalloc(&w[1], 40);
  BOTH(cudaMalloc(&a, 44), cudaMalloc(&b, 48));
  CK(
    cudaMalloc(
      &c, 52));
  if (cudaMalloc(&a, 56) != cudaSuccess || cudaMalloc(&b, 60)) return 1;
  CK(cudaMallocManaged(&c, 64)); CK(cudaMallocHost(&a, 68)); Net n; n.init();
  alloc(&a, 72); alloc(&b, 76); c = make<float>(20); double* z = make<double>(21);
}
