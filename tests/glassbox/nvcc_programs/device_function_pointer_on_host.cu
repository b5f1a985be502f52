// nvcc takes it, and a GPU stops where the kernel calls.
__device__ int twice(int x) { return 2 * x; }
template <class T>
__device__ T thrice(T x) {
  return 3 * x;
}
typedef int (*Function)(int);
__global__ void kernel(int* a, Function f) { a[0] = f(3); }
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  Function f = &twice;
  Function all[] = {twice, thrice<int>};
  kernel<<<1, 32>>>(a, f == twice ? all[1] : f);
  cudaDeviceSynchronize();
  cudaFree(a);
}
