__global__ void kernel(int* a) { a[0] = 1; }
void use() { __syncthreads(); }
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
