int square(int x) { return x * x; }
template <class T>
__global__ void never(T* a) { a[0] = square(a[1]); }
__global__ void kernel(int* a) { a[0] = 1; }
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
