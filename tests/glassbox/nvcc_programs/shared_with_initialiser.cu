__global__ void kernel(int* a) {
  __shared__ int s = 1;
  a[0] = s;
}
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
