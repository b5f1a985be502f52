template <class T>
T half_of(T x) { return x / 2; }
__global__ void kernel(int* a) { a[0] = half_of(a[1]); }
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
