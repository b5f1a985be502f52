// A kernel in another stream does not wait for the graph.
#include <cstdio>

__global__ void produce(int* a) { a[threadIdx.x] = threadIdx.x; }
__global__ void consume(const int* a, int* b) { b[threadIdx.x] = 2 * a[threadIdx.x]; }

int main() {
  int *a, *b, h[32];
  cudaStream_t s, t;
  cudaEvent_t e;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamCreate(&s);
  cudaStreamCreate(&t);
  cudaEventCreate(&e);
  cudaMalloc(&a, 128);
  cudaMalloc(&b, 128);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  produce<<<1, 32, 0, s>>>(a);  // EARLIER
  cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, s);
#ifdef SOUND
  cudaEventRecord(e, s);
  cudaStreamWaitEvent(t, e, 0);
#endif
  consume<<<1, 32, 0, t>>>(a, b);  // LATER
  cudaMemcpy(h, b, 128, cudaMemcpyDeviceToHost);
  printf("%d\n", h[5]);
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
  cudaFree(a);
  cudaFree(b);
  cudaEventDestroy(e);
  cudaStreamDestroy(s);
  cudaStreamDestroy(t);
}
