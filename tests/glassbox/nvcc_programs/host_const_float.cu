const float kScale = 2.5f;
__global__ void kernel(int* a) { a[0] = int(kScale * a[1]); }
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
