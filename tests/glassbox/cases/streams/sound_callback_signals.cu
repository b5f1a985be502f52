// The host waits for a function of its own, by a condition variable.
#include <condition_variable>
#include <cstdio>
#include <mutex>
struct Done {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_there = false;
};
__global__ void fill(int* a) { a[threadIdx.x] = 3 * threadIdx.x; }
void CUDART_CB signal(void* data) {
  Done& done = *static_cast<Done*>(data);
  const std::lock_guard<std::mutex> lock(done.mutex);
  done.is_there = true;
  done.changed.notify_one();
}
int main() {
  int *a, *h;
  Done done;
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaMalloc(&a, 128);
  cudaMallocHost(&h, 128);
  fill<<<1, 32, 0, s>>>(a);
  cudaMemcpyAsync(h, a, 128, cudaMemcpyDeviceToHost, s);
  cudaLaunchHostFunc(s, signal, &done);
  std::unique_lock<std::mutex> lock(done.mutex);
  done.changed.wait(lock, [&] { return done.is_there; });
  printf("%d\n", h[5]);
  cudaFree(a);
  cudaFreeHost(h);
  cudaStreamDestroy(s);
}
