// Likewise, and the order that the glass box runs the nodes in gives the right result.
#include <cstdio>
__global__ void set(int* p, int v) { *p = v; }
__global__ void nop() {}
__global__ void copy(const int* p, int* q) { *q = *p; }
int main() {
  int *x, *y, h;
  cudaStream_t s, t;
  cudaEvent_t fork, join;
  cudaGraph_t g;
  cudaGraphExec_t e;
  cudaMalloc(&x, 4);
  cudaMalloc(&y, 4);
  cudaMemset(x, 0, 4);
  cudaMemset(y, 0, 4);
  cudaStreamCreate(&s);
  cudaStreamCreate(&t);
  cudaEventCreate(&fork);
  cudaEventCreate(&join);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(fork, s);
  cudaStreamWaitEvent(t, fork, 0);
  nop<<<1, 1, 0, s>>>();
  set<<<1, 1, 0, t>>>(x, 42);  // EARLIER
  cudaEventRecord(join, t);
#ifdef SOUND
  cudaStreamWaitEvent(s, join, 0);
#endif
  copy<<<1, 1, 0, s>>>(x, y);  // LATER
  cudaStreamWaitEvent(s, join, 0);
  cudaStreamEndCapture(s, &g);
  cudaGraphInstantiate(&e, g, 0);
  for (int i = 0; i < 2; ++i) cudaGraphLaunch(e, s);
  cudaStreamSynchronize(s);
  cudaMemcpy(&h, y, 4, cudaMemcpyDeviceToHost);
  printf("%d\n", h);
  cudaGraphExecDestroy(e);
  cudaGraphDestroy(g);
  cudaEventDestroy(fork);
  cudaEventDestroy(join);
  cudaStreamDestroy(s);
  cudaStreamDestroy(t);
  cudaFree(x);
  cudaFree(y);
}
