int square(int x) { return x * x; }
template <class T>
__host__ __device__ T use(T x) { return square(x); }
__global__ void kernel(int* a) { a[0] = 1; }
int other() { return use(3); }
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
