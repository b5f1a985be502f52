struct Point {
  int x, y;
};
Point operator+(Point a, Point b) { return {a.x + b.x, a.y + b.y}; }
__global__ void kernel(int* a) {
  Point p = {1, 2};
  p = p + p;
  a[0] = p.x;
}
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
