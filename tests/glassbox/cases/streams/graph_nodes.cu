// A graph made of nodes: the copy back does not need the kernel.
#include <cstdio>
__global__ void twice(int* a) { a[threadIdx.x] *= 2; }
int main() {
  int *a, *h;
  cudaMalloc(&a, 128);
  cudaMallocHost(&h, 128);
  for (int i = 0; i < 32; ++i) h[i] = i;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphNode_t in, kernel, out;
  cudaGraphCreate(&graph, 0);
  cudaGraphAddMemcpyNode1D(&in, graph, nullptr, 0, a, h, 128, cudaMemcpyHostToDevice);
  void* arguments[] = {&a};
  cudaKernelNodeParams p = {};
  p.func = (void*)twice;
  p.gridDim = dim3(1);
  p.blockDim = dim3(32);
  p.kernelParams = arguments;
  cudaGraphAddKernelNode(&kernel, graph, &in, 1, &p);  // EARLIER
#ifdef SOUND
  cudaGraphNode_t before = kernel;
#else
  cudaGraphNode_t before = in;
#endif
  cudaGraphAddMemcpyNode1D(&out, graph, &before, 1, h, a, 128, cudaMemcpyDeviceToHost);  // LATER
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, 0);
  cudaDeviceSynchronize();
  printf("%d\n", h[5]);
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
  cudaFree(a);
  cudaFreeHost(h);
}
