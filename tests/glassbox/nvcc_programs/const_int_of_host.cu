const int kScale = 3;
constexpr float kHalf = 0.5f;
static constexpr int kMany = 4;
enum { kFew = 2 };
__global__ void kernel(int* a) { a[0] = int(kScale * kHalf) + kMany + kFew; }
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
