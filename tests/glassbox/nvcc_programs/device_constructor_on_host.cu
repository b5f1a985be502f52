struct Point {
  __device__ Point() : x(1) {}
  int x;
};
__global__ void kernel(int* a) { Point p; a[0] = p.x; }
int use() { Point p; return p.x; }
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
