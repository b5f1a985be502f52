"""What nvcc_stages.py compiles: small sources, phases, ways to name an architecture."""

ARCH = "-arch=sm_90"

SOURCES = {
    "scale.cu": """__global__ void scale(int n, float factor, float* x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor;
}

int main() {
  float* x = nullptr;
  cudaMalloc(&x, 4096 * sizeof(float));
  scale<<<32, 128>>>(4096, 2.0f, x);
  const cudaError_t error = cudaDeviceSynchronize();
  cudaFree(x);
  return error == cudaSuccess ? 0 : 1;
}
""",
    "scratch.cu": """__global__ void scratch(const int* index, float* x) {
  float line[64];  // (64)  indexed by numbers that only the run knows: cannot lie in registers
  for (int i = 0; i < 64; ++i) line[index[i]] = x[i];
  x[threadIdx.x] = line[index[threadIdx.x]];
}

__global__ void __launch_bounds__(1024, 2) squeezed(const float* x, float* y) {
  float sum[48];  // (48)  wants more than the 32 registers that two blocks of 1024 leave a thread
  for (int i = 0; i < 48; ++i) sum[i] = x[i * 1024 + threadIdx.x];
  __syncthreads();
  for (int i = 0; i < 48; ++i) y[i * 1024 + threadIdx.x] = sum[i] * sum[(i + 7) % 48];
}
""",
    "hopper.cu": """__global__ void __launch_bounds__(128) hopper() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
}
""",
    "window_call.cu": """void keep(cudaStream_t stream, cudaAccessPolicyWindow window) {
  cudaStreamSetAccessPolicyWindow(stream, &window);
}
""",
    "window_attribute.cu": """void keep(cudaStream_t stream, cudaAccessPolicyWindow window) {
  cudaStreamAttrValue value = {};
  value.accessPolicyWindow = window;
  cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value);
}
""",
    "twice.cu": "__device__ float twice(float x) { return 2.0f * x; }\n",
    "main.cu": """__device__ float twice(float x);
__global__ void scale(float* x) { x[threadIdx.x] = twice(x[threadIdx.x]); }
int main() {
  scale<<<1, 32>>>(nullptr);
  return 0;
}
""",
    "macros.cu": "".join(
        f'"{name}" = {name}\n'
        for name in (
            "__NVCC__",
            "__CUDACC__",
            "__CUDACC_RDC__",
            "__CUDA_ARCH__",
            "__CUDA_ARCH_LIST__",
            "__CUDACC_VER_MAJOR__",
        )
    ),
}
SOURCES["macros.cpp"] = SOURCES["macros.cu"]

# phase, options, inputs, the file that must appear
PHASES = (
    ("preprocess CUDA for the host", ["--cuda"], ["scale.cu"], "scale.cu.cpp.ii"),
    ("preprocess", ["--preprocess"], ["scale.cu"], "standard output"),
    ("compile to PTX", ["--ptx"], ["scale.cu"], "scale.ptx"),
    ("compile to machine code", ["--cubin"], ["scale.cu"], "scale.cubin"),
    ("assemble PTX", ["--cubin"], ["scale.ptx"], "scale.cubin"),
    ("pack a fat binary", ["--fatbin"], ["scale.cu"], "scale.fatbin"),
    ("compile to an object", ["--compile"], ["scale.cu"], "scale.o"),
    ("object with relocatable device code", ["--device-c"], ["twice.cu"], "twice.o"),
    ("object with linked device code", ["--device-w"], ["scale.cu"], "scale.o"),
    ("link device code", ["--device-link"], ["main.o", "twice.o"], "a_dlink.o"),
    ("link to machine code", ["--device-link", "--cubin"], ["main.o", "twice.o"], "a_dlink.cubin"),
    (
        "link to a fat binary",
        ["--device-link", "--fatbin"],
        ["main.o", "twice.o"],
        "a_dlink.fatbin",
    ),
    ("make a library", ["--lib"], ["scale.cu"], "a.a"),
    ("make a program and run it", ["--run"], ["scale.cu"], "a.out"),
    ("make a program", [], ["scale.cu"], "a.out"),
)
ARCHITECTURES = (
    [],
    ["-arch=sm_90"],
    ["-arch=compute_90"],
    ["-arch=sm_90a"],
    ["-gencode", "arch=compute_90a,code=sm_90a"],
    [
        "-gencode",
        "arch=compute_80,code=sm_80",
        "-gencode",
        "arch=compute_90,code=[sm_90,compute_90]",
    ],
    ["-arch=all-major"],
    ["-arch=sm_52"],
)
SUFFIXES = (
    "cu",
    "c",
    "cc",
    "cxx",
    "cpp",
    "i",
    "ii",
    "ptx",
    "cubin",
    "fatbin",
    "gpu",
    "o",
    "obj",
    "a",
    "lib",
    "res",
    "so",
)
