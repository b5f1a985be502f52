__device__ auto twice(int x) -> int { return 2 * x; }
template <int N>
__device__ __forceinline__ int times(int x) { return N * x; }
__device__ __noinline__ static int more(int x) { return x + 1; }
extern "C" __device__ int c_name(int x) { return x; }
extern "C" __global__ void c_kernel(int* a) { a[0] = c_name(1); }
__global__ void kernel(int* a) { a[0] = twice(1) + times<3>(2) + more(1); }
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
