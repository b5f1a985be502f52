struct Point {
  int x, y;
  int sum() const { return x + y; }
};
__global__ void kernel(int* a) {
  Point p = {1, 2};
  a[0] = p.sum();
}
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
