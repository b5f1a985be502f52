// SPDX-License-Identifier: MIT
// Inline PTX of the commonest forms; prints numbers that a GPU prints as well, by the bit.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstring>

#define CP_ASYNC_16(to, from) \
  asm volatile("cp.async.cg.shared.global [%0], [%1], %2;\n" ::"r"(to), "l"(from), "n"(16))

__device__ __forceinline__ uint32_t lop3_xor(uint32_t a, uint32_t b, uint32_t c) {
  uint32_t d;
  asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}

__device__ uint32_t shared_address(const void* p) {
  uint32_t a;
  asm("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }" : "=r"(a) : "l"(p));
  return a;
}

__global__ void arithmetic(uint32_t* out, const uint32_t* in) {
  const int t = threadIdx.x;
  const uint32_t a = in[t], b = in[t + 32], c = in[t + 64];
  uint32_t r[24] = {};
  asm("add.u32 %0, %1, %2;" : "=r"(r[0]) : "r"(a), "r"(b));
  asm("mad.lo.s32 %0, %1, %2, %3;" : "=r"(r[1]) : "r"(a), "r"(b), "r"(c));
  asm("mul.hi.u32 %0, %1, %2;" : "=r"(r[2]) : "r"(a), "r"(b));
  r[3] = lop3_xor(a, b, c);
  asm("prmt.b32 %0, %1, %2, 0x5410;" : "=r"(r[4]) : "r"(a), "r"(b));
  asm("bfe.u32 %0, %1, 5, 9;" : "=r"(r[5]) : "r"(a));
  asm("bfe.s32 %0, %1, %2, %3;" : "=r"(r[6]) : "r"(a), "r"(b & 31), "r"(c & 31));
  asm("bfi.b32 %0, %1, %2, 7, 11;" : "=r"(r[7]) : "r"(a), "r"(b));
  asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(r[8]) : "r"(a), "r"(b), "r"(c));
  asm("shf.r.clamp.b32 %0, %1, %2, %3;" : "=r"(r[9]) : "r"(a), "r"(b), "r"(c & 63));
  asm("brev.b32 %0, %1;" : "=r"(r[10]) : "r"(a));
  asm("clz.b32 %0, %1;" : "=r"(r[11]) : "r"(a));
  asm("popc.b32 %0, %1;" : "=r"(r[12]) : "r"(a));
  uint64_t wide;
  asm("mul.wide.u32 %0, %1, %2;" : "=l"(wide) : "r"(a), "r"(b));
  asm("mov.b64 {%0, %1}, %2;" : "=r"(r[13]), "=r"(r[14]) : "l"(wide));
  asm("add.cc.u32 %0, %2, %3;\n\t"
      "addc.u32 %1, %4, 0;"
      : "=&r"(r[15]), "=r"(r[16])
      : "r"(a), "r"(b), "r"(c));
  asm("{\n"
      "  .reg .pred p;   // a comment\n"
      "  setp.lt.u32 p, %1, %2;\n"
      "  selp.u32 %0, %1, %2, p;\n"
      "  @p add.u32 %0, %0, 1;\n"
      "}"
      : "=r"(r[17])
      : "r"(a), "r"(b));
  asm("mov.u32 %0, %%laneid;" : "=r"(r[18]));
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(r[19]));
  asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(r[20]));
  asm("min.s32 %0, %1, %2;" : "=r"(r[21]) : "r"(a), "r"(b));
  asm("shl.b32 %0, %1, %2;" : "=r"(r[22]) : "r"(a), "r"(c & 63));
  asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(r[23]) : "r"(a), "r"(b), "r"(c));
  for (int i = 0; i < 24; ++i)
    out[i * 32 + t] = r[i];
}

__global__ void memory(float* out, const float* in, unsigned* counter) {
  __shared__ float tile[128];
  const int t = threadIdx.x;
  float4 v;
  asm volatile("ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "l"(in + 4 * t));
  asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(shared_address(tile + 4 * t)),
               "f"(v.w), "f"(v.z), "f"(v.y), "f"(v.x)
               : "memory");
  asm volatile("bar.sync 0;" ::: "memory");
  float x;
  asm volatile("ld.shared.f32 %0, [%1+16];" : "=f"(x) : "r"(shared_address(tile) + 4 * (t ^ 3)));
  float y;
  asm("fma.rn.f32 %0, %1, %2, 0f3F800000;" : "=f"(y) : "f"(x), "f"(2.0f));
  __syncthreads();
  CP_ASYNC_16(shared_address(tile + 4 * t), in + 4 * (31 - t));
  asm volatile("cp.async.commit_group;\n" ::);
  asm volatile("cp.async.wait_group %0;\n" ::"n"(0));
  __syncthreads();
  asm volatile("st.global.cs.f32 [%0], %1;" ::"l"(out + t), "f"(y + tile[t]) : "memory");
  asm volatile("red.global.add.u32 [%0], %1;" ::"l"(counter), "r"(t) : "memory");
  unsigned old;
  asm volatile("atom.global.max.u32 %0, [%1], %2;" : "=r"(old) : "l"(counter + 1), "r"(t));
}

__global__ void products(float* out, const unsigned short* in) {
  __shared__ __align__(16) unsigned short a[16 * 16], b[16 * 8];
  const int t = threadIdx.x;
  for (int i = t; i < 256; i += 32)
    a[i] = in[i];
  for (int i = t; i < 128; i += 32)
    b[i] = in[256 + i];
  __syncwarp();
  uint32_t ra[4], rb[2];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3])
               : "r"(shared_address(a + (t % 16) * 16 + t / 16 * 8)));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
               : "=r"(rb[0]), "=r"(rb[1])
               : "r"(shared_address(b + (t % 16) * 8)));
  float c[4] = {1, 2, 3, 4};
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  for (int i = 0; i < 4; ++i)
    out[4 * t + i] = c[i];
}

template <class T>
void print(const char* name, const T* x, int n) {
  uint64_t sum = 14695981039346656037ull;
  for (int i = 0; i < n; ++i) {
    uint32_t bits;
    memcpy(&bits, x + i, 4);
    sum = (sum ^ bits) * 1099511628211ull;
  }
  printf("%s %016llx\n", name, (unsigned long long)sum);
}

int main() {
  uint32_t *in, *out;
  cudaMallocManaged(&in, 96 * 4);
  cudaMallocManaged(&out, 24 * 32 * 4);
  uint32_t seed = 1;
  for (int i = 0; i < 96; ++i)
    in[i] = seed = seed * 1664525u + 1013904223u;
  arithmetic<<<1, 32>>>(out, in);
  cudaDeviceSynchronize();
  for (int i = 0; i < 24; ++i) {
    printf("%2d ", i);
    print("", out + 32 * i, 32);
  }
  float *from, *to;
  unsigned* counter;
  cudaMallocManaged(&from, 512);
  cudaMallocManaged(&to, 512);
  cudaMallocManaged(&counter, 8);
  counter[0] = counter[1] = 0;
  for (int i = 0; i < 128; ++i)
    from[i] = i * 0.5f;
  memory<<<1, 32>>>(to, from, counter);
  cudaDeviceSynchronize();
  print("memory", to, 28);
  printf("counters %u %u\n", counter[0], counter[1]);
  unsigned short* halves;
  cudaMallocManaged(&halves, 384 * 2);
  for (int i = 0; i < 384; ++i)
    halves[i] = 0x3C00 + (i * 37 % 1024);
  products<<<1, 32>>>(to, halves);
  cudaDeviceSynchronize();
  print("products", to, 128);
  cudaFree(in), cudaFree(out), cudaFree(from), cudaFree(to), cudaFree(counter), cudaFree(halves);
}
