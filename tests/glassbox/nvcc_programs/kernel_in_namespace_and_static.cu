namespace ours {
static __global__ void work(int* a) { a[0] = 1; }
}
static __global__ void __launch_bounds__(256) more(int* a) { a[0] = 1; }
__global__ void kernel(int* a) { a[0] = 1; }
void start(int* a) { ours::work<<<1, 1>>>(a); more<<<1, 1>>>(a); }
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
