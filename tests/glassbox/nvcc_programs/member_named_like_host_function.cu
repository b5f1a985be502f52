int size(int x) { return x; }
int total = 0;
struct Box {
  int total;
  __device__ int size(int x) const { return x + total; }
  __device__ int twice() const { return 2 * size(total); }
};
__global__ void kernel(int* a) { Box b = {3}; a[0] = b.size(1) + b.twice(); }
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
