struct Point {
  int x;
  __device__ int twice() const { return 2 * x; }
};
__global__ void kernel(int* a) { Point p = {1}; a[0] = p.twice(); }
int use() { Point p = {2}; return p.twice(); }
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
