// Objects that are copied whole may have padding, and members that nobody set.
#include <cuda_runtime.h>
struct Tagged { double value; char tag; };
struct Wide { double a[3]; int n; short s; };
__global__ void copies(const float* in, Tagged* tagged, Wide* wide, float4* points, float* out) {
  __shared__ Tagged st[32];
  __shared__ Wide sw[32];
  __shared__ float4 sp[32];
  __shared__ int2 pairs[32];
  const int t = threadIdx.x, u = 31 - t;
  st[t].value = in[t]; st[t].tag = 'a';
  sw[t].a[0] = sw[t].a[1] = sw[t].a[2] = in[t]; sw[t].n = t; sw[t].s = 3;
  sp[t].x = sp[t].y = sp[t].z = in[t];
  pairs[t].x = t;
  __syncthreads();
  const Tagged mine = st[u];
  tagged[t] = mine;
  wide[t] = sw[u];
  points[t] = sp[u];
  const int2 pair = pairs[u];
  out[t] = pair.x + sp[u].x;
}
__global__ void read(const float4* points, float* out) {
  const float4 p = points[threadIdx.x];
  out[threadIdx.x] = p.x + p.y + p.z;
}
__global__ void member(float* out) {
  __shared__ float4 sp[32];
  sp[threadIdx.x].x = 1;
  __syncthreads();
  out[threadIdx.x] = sp[31 - threadIdx.x].x;
#ifndef SOUND
  out[threadIdx.x] = sp[31 - threadIdx.x].w;
#endif
}
__global__ void tail(const float* in, float* out) {
  __shared__ __align__(16) float s[128];
  const int t = threadIdx.x;
  for (int i = t; i < 128; i += 32) {
#ifndef SOUND
    if (i == 127) break;
#endif
    s[i] = in[i % 32];
  }
  __syncthreads();
  const float4 v = reinterpret_cast<const float4*>(s)[t];
  out[t] = v.x + v.y + v.z + v.w;
}
int main() {
  float *in, *out; float4* points; Tagged* tagged; Wide* wide;
  cudaMalloc(&in, 128); cudaMalloc(&out, 128); cudaMalloc(&points, 512);
  cudaMalloc(&tagged, 32 * sizeof(Tagged)); cudaMalloc(&wide, 32 * sizeof(Wide));
  cudaMemset(in, 0, 128);
  copies<<<1, 32>>>(in, tagged, wide, points, out);
  read<<<1, 32>>>(points, out);
  member<<<1, 32>>>(out);
  tail<<<1, 32>>>(in, out);
  cudaFree(in); cudaFree(out); cudaFree(points); cudaFree(tagged); cudaFree(wide);
}
