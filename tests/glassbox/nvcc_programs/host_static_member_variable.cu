struct Settings {
  static int scale;
};
int Settings::scale = 2;
__global__ void kernel(int* a) { a[0] = Settings::scale; }
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
