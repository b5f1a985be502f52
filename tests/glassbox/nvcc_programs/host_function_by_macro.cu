#define HOST_ONLY __host__
HOST_ONLY int square(int x) { return x * x; }
#define SQUARE(x) square(x)
__global__ void kernel(int* a) { a[0] = SQUARE(a[1]); }
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
