// Each step moves what a lane holds to the other half of an array; steps are not separated.
#ifdef SOUND
#define STEP_IS_OVER __syncwarp()
#else
#define STEP_IS_OVER
#endif
__global__ void rotate(int* a) {
  __shared__ volatile int s[64];
  s[threadIdx.x] = a[threadIdx.x];
  int half = 0;
  for (int step = 0; step < 4; ++step) {
    STEP_IS_OVER;
    const int mine = s[half + (threadIdx.x + step + 1) % 32];
    half ^= 32;
    s[half + (threadIdx.x + step) % 32] = mine;
  }
  STEP_IS_OVER;
  a[threadIdx.x] = s[half + threadIdx.x];
}
int main() {
  int* a;
  cudaMalloc(&a, 128);
  int h[32];
  for (int i = 0; i < 32; ++i) h[i] = i;
  cudaMemcpy(a, h, 128, cudaMemcpyHostToDevice);
  rotate<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
