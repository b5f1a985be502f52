// Kernels are given memory of the host: of the stack, of a vector, in a structure. Pinned and
// registered memory is theirs.
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
struct View { int n; float* data; };
__global__ void read(const float* in, float* out) { out[threadIdx.x] = in[threadIdx.x]; }
__global__ void clear(View v) { v.data[threadIdx.x + 4] = 0; }
int main(int argc, char** argv) {
  const int which = argc > 1 ? atoi(argv[1]) : 0;
  float on_stack[64] = {}, *out, *pinned;
  std::vector<float> values(100000, 1.0f), registered(1024, 2.0f);
  cudaMalloc(&out, 128);
  cudaMallocHost(&pinned, 128);
  cudaHostRegister(registered.data(), 4096, cudaHostRegisterDefault);
  for (int i = 0; i < 32; ++i) pinned[i] = i;
  if (which == 1) read<<<1, 32>>>(on_stack, out);
  if (which == 2) read<<<1, 32>>>(values.data(), out);
  if (which == 3) clear<<<1, 32>>>(View{3, values.data()});
  if (which == 4) read<<<1, 32>>>(new float[32](), out);
  read<<<1, 32>>>(pinned, out);
  read<<<1, 32>>>(registered.data(), out);
  cudaDeviceSynchronize();
  cudaHostUnregister(registered.data());
  cudaFreeHost(pinned); cudaFree(out);
}
