struct Tile {
  static constexpr int kRows = 8;
  static const int kColumns = 4;
};
__global__ void kernel(int* a) { a[0] = Tile::kRows * Tile::kColumns; }
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
