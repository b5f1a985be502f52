// A function of the host within a graph says how far the graph is, and what it has stored.
#include <condition_variable>
#include <cstdio>
#include <mutex>
struct Done {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_there = false;
  int* own = nullptr;
};
__global__ void fill(int* a, int factor) { a[threadIdx.x] = factor * threadIdx.x; }
void CUDART_CB signal(void* data) {
  Done& done = *static_cast<Done*>(data);
  done.own[0] = 7;
  const std::lock_guard<std::mutex> lock(done.mutex);
  done.is_there = true;
  done.changed.notify_one();
}
int main() {
  int *a, *h;
  Done done;
  cudaStream_t s;
  cudaGraph_t graph;
  cudaGraphExec_t all;
  cudaStreamCreate(&s);
  cudaMalloc(&a, 128);
  cudaMallocHost(&h, 128);
  cudaMallocHost(&done.own, 4);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  fill<<<1, 32, 0, s>>>(a, 3);
  cudaMemcpyAsync(h, a, 128, cudaMemcpyDeviceToHost, s);
  cudaLaunchHostFunc(s, signal, &done);
  fill<<<1, 32, 0, s>>>(a, 4);
  cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiate(&all, graph, 0);
  cudaGraphLaunch(all, s);
  std::unique_lock<std::mutex> lock(done.mutex);
  done.changed.wait(lock, [&] { return done.is_there; });
  printf("%d %d\n", h[5], done.own[0]);
  cudaStreamSynchronize(s);
  cudaGraphExecDestroy(all);
  cudaGraphDestroy(graph);
  cudaFree(a);
  cudaFreeHost(h);
  cudaFreeHost(done.own);
  cudaStreamDestroy(s);
}
