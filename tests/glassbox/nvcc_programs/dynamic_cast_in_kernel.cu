struct Base { __device__ virtual ~Base() {} };
struct Derived : Base {};
__global__ void kernel(int* a) {
  Base* b = new Derived;
  a[0] = dynamic_cast<Derived*>(b) != nullptr;
}
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
