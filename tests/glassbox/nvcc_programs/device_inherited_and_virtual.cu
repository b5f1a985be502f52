struct Base {
  __device__ Base(int n) : n(n) {}
  __device__ virtual int value() const { return n; }
  __device__ virtual ~Base() {}
  int n;
};
struct Derived : Base {
  using Base::Base;
  __device__ int value() const override { return 2 * n; }
};
__global__ void kernel(int* a) { Derived d(3); Base& b = d; a[0] = b.value(); }
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
