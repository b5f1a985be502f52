int convert(double x) { return (int)x; }
template <class T>
__device__ int convert(T x) { return (int)x; }
__global__ void kernel(int* a) { a[0] = convert(2.5f) + convert(3); }
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
