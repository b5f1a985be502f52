// Arrays that stand outside of functions and have no __device__ are the host's.
#include <cstdio>

int counts[32];
static float weights[32];
const int shifts[4] = {1, 2, 3, 4};
__device__ int on_device[32];
__constant__ float constants[32];
__managed__ int shared_with_host[32];

template <class T>
__global__ void add(T* out, const T* in) {
  out[threadIdx.x] = in[threadIdx.x] + 1;
}

__global__ void give_address(int** where) { *where = &on_device[0]; }

int main() {
  int* out;
  float* floats;
  cudaMalloc(&out, 32 * sizeof(int));
  cudaMalloc(&floats, 32 * sizeof(float));
#ifdef SOUND
  int* table;
  int** where;
  float* scale;
  cudaGetSymbolAddress((void**)&table, on_device);
  cudaGetSymbolAddress((void**)&scale, constants);
  cudaMallocManaged(&where, sizeof(int*));
  add<<<1, 32>>>(out, table);
  add<<<1, 32>>>(floats, scale);
  add<<<1, 32>>>(out, shared_with_host);
  add<<<1, 32>>>(shared_with_host, out);
  give_address<<<1, 1>>>(where);
  cudaDeviceSynchronize();
  add<<<1, 32>>>(out, *where);
  cudaHostRegister(counts, sizeof counts, 0);
  add<<<1, 32>>>(out, counts);
  cudaDeviceSynchronize();
  cudaHostUnregister(counts);
  cudaFree(where);
#elif defined(COUNTS)
  add<<<1, 32>>>(out, counts);
#elif defined(STORE)
  add<<<1, 32>>>(counts, out);
#elif defined(SHIFTS)
  add<int><<<1, 4>>>(out, shifts);
#else
  add<<<1, 32>>>(floats, weights);
#endif
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(out);
  cudaFree(floats);
}
