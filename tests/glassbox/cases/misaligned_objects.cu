// Objects of 8 and 16 bytes at addresses that are no multiples of that, whatever the compiler makes
// of the accesses. memcpy, and structures of floats without an alignment of their own, are fine.
#include <cstring>
#include <cuda_runtime.h>
struct alignas(16) Quad { float a, b, c, d; };
struct alignas(8) Pair { int a, b; };
struct Plain { float a, b, c, d; };
__global__ void k(const float* in, float* out, int offset) {
  __shared__ __align__(16) float s[64];
  const int t = threadIdx.x;
  s[t] = in[t]; s[t + 32] = in[t];
  __syncthreads();
  const float* const p = in + offset;
  float* const q = out + offset;
  const Quad quad = *reinterpret_cast<const Quad*>(p + 4 * t);
  const Pair pair = *reinterpret_cast<const Pair*>(p + 2 * t);
  const float4& vector = *reinterpret_cast<const float4*>(p + 4 * t);
  float sum = quad.a + quad.b + quad.c + quad.d + pair.a + pair.b + vector.x + vector.y;
  if (t > 23) sum += reinterpret_cast<const Quad*>(s + offset + 4 * (t - 24))->b;
  float local[12];
  for (int i = 0; i < 12; ++i) local[i] = in[i + t];
  const float4 four = *reinterpret_cast<const float4*>(local + 4 * (t & 1) + offset);
  float4 copy;
  memcpy(&copy, in + 1, 16);
  const Plain plain = *reinterpret_cast<const Plain*>(in + 3);
  q[4 * t] = sum + four.x + four.w + copy.y + plain.a + plain.d;
  *reinterpret_cast<Quad*>(q + 4 * t) = Quad{1, 2, 3, 4};
}
int main() {
  float *a, *b;
  cudaMalloc(&a, 4096); cudaMalloc(&b, 4096);
  cudaMemset(a, 0, 4096); cudaMemset(b, 0, 4096);
#ifdef SOUND
  k<<<1, 32>>>(a, b, 4);
#else
  k<<<1, 32>>>(a, b, 1);
#endif
  cudaFree(a); cudaFree(b);
}
