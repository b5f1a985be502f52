__shared__ int s[4];
int use() { return s[0]; }
__global__ void kernel(int* a) { s[0] = 1; a[0] = s[0]; }
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
