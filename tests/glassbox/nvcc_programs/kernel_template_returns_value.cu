template <class T>
__global__ T scale(T* a) { return a[0]; }
__global__ void kernel(int* a) {}
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
