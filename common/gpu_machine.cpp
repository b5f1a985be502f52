// SPDX-License-Identifier: MIT
/// \file  common/gpu_machine.cpp
/// \brief A CUDA device: its memory, and verification done on the device.
#include <cublas_v2.h>
#include <fmt/format.h>

#include "common/check.hpp"
#include "common/cublaslt_gemm.hpp"
#include "common/gpu_kernels.hpp"
#include "common/machine.hpp"

namespace ladder {
namespace {

/// 13000 is "13.0"
std::string cuda_version(int number) {
  return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

class GpuMachine final : public Machine {
 public:
  explicit GpuMachine(int device) : device_(device) {
    check(cudaSetDevice(device));
    check(cublasCreate(&cublas_));
  }
  ~GpuMachine() override { cublasDestroy(cublas_); }

  bool is_gpu() const override { return true; }
  std::string name() const override {
    cudaDeviceProp properties;
    check(cudaGetDeviceProperties(&properties, device_));
    return properties.name;
  }
  std::size_t free_bytes() const override {
    std::size_t free = 0;
    std::size_t total = 0;
    check(cudaMemGetInfo(&free, &total));
    return free;
  }

  int compute_capability() const override {
    return 10 * attribute(cudaDevAttrComputeCapabilityMajor) +
           attribute(cudaDevAttrComputeCapabilityMinor);
  }
  std::size_t l2_bytes() const override { return attribute(cudaDevAttrL2CacheSize); }
  std::optional<Roof> roof() const override {
    // FP32 units per SM: CUDA Programming Guide, "Throughput of Native Arithmetic Instructions".
    const int capability = compute_capability();
    const double lanes = capability == 75 || capability == 80 ? 64 : 128;
    const double clock_ghz = attribute(cudaDevAttrClockRate) * 1e-6;
    const double memory_clock_ghz = attribute(cudaDevAttrMemoryClockRate) * 1e-6;
    const double bus_bytes = attribute(cudaDevAttrGlobalMemoryBusWidth) / 8.0;
    const double sm_ghz = attribute(cudaDevAttrMultiProcessorCount) * clock_ghz;
    Roof roof{.fp32_tflops = sm_ghz * lanes * 2 * 1e-3,
              .dram_gbps = memory_clock_ghz * 2 * bus_bytes};
    // BF16 operations per SM and cycle: whitepapers of the A100 and the H100. GPUs of 8.6 and 8.9
    // differ among each other. TF32 runs at half the rate.
    if (capability == 80 || capability == 90) {
      roof.bf16_tflops = sm_ghz * (capability == 80 ? 2048 : 4096) * 1e-3;
      roof.tf32_tflops = *roof.bf16_tflops / 2;
    }
    return roof;
  }

  std::map<std::string, std::string> versions() const override {
    int driver = 0;
    int library = 0;
    check(cudaDriverGetVersion(&driver));
    check(cublasGetVersion(cublas_, &library));
    return {{"cuda_driver", cuda_version(driver)},
            {"cuda_toolkit", cuda_version(CUDART_VERSION)},
            {"cublas", fmt::format("{}", library)},
            {"compute_capability", fmt::format("{:.1f}", compute_capability() / 10.0)},
            {"sms", fmt::format("{}", attribute(cudaDevAttrMultiProcessorCount))},
            {"highest_sm_mhz", fmt::format("{}", attribute(cudaDevAttrClockRate) / 1000)},
            {"memory_mhz", fmt::format("{}", attribute(cudaDevAttrMemoryClockRate) / 1000)}};
  }

  std::unique_ptr<Stopwatch> make_stopwatch() override { return make_gpu_stopwatch(); }

  Run tuned_vendor_gemm(const Precision& precision, const GemmOf& gemm_of,
                        Stopwatch& stopwatch) override {
    const auto tuned = std::make_shared<CublasLtGemm>(precision, gemm_of, stopwatch);
    return with_element_of(precision.stored, [&]<class T>(T) -> Run {
      return [tuned](const Gemm<T>& call, Stream stream) { tuned->run(call, stream); };
    });
  }

  void* allocate(std::size_t bytes) override {
    void* memory = nullptr;
    if (cudaMalloc(&memory, bytes) != cudaSuccess) {
      cudaGetLastError();
      throw MachineError(fmt::format("out of GPU memory: {} bytes asked for", bytes));
    }
    return memory;
  }
  void release(void* memory) noexcept override { cudaFree(memory); }
  std::uint16_t unwritten_half() const override {
    return 0xffff;  // a GPU's arithmetic gives 0x7fffffff for every NaN, or 0x7fff
  }
  void fill_unwritten(void* memory, std::size_t bytes) override {
    check(cudaMemset(memory, 0xff, bytes));
  }
  void copy_to_host(void* host, const void* memory, std::size_t bytes) override {
    check(cudaMemcpy(host, memory, bytes, cudaMemcpyDeviceToHost));
  }
  void copy_from_host(void* memory, const void* host, std::size_t bytes) override {
    check(cudaMemcpy(memory, host, bytes, cudaMemcpyHostToDevice));
  }
  void synchronize() override { check(cudaDeviceSynchronize()); }

  void fill_random(Elements array, std::size_t count, RandomArray random) override {
    std::visit([&](auto* elements) { gpu::fill_random(elements, count, random); }, array);
  }

  std::int64_t changed_elements(ConstElements array, std::size_t count,
                                RandomArray random) override {
    return std::visit(
        [&](const auto* elements) { return gpu::changed_elements(elements, count, random); },
        array);
  }

  void compute_reference(const Shape& shape, ConstElements A, ConstElements B, double* product,
                         double* scale) override {
    const int M = shape.M;
    const int N = shape.N;
    const int K = shape.K;
    const MachineArray<double> a(*this, static_cast<std::size_t>(M) * K);
    const MachineArray<double> b(*this, static_cast<std::size_t>(K) * N);
    const auto multiply = [&](double* c) {
      // cuBLAS is column-major: C = A*B row-major is C' = B'*A' to it.
      const double one = 1.0;
      const double zero = 0.0;
      check(cublasDgemm(cublas_, CUBLAS_OP_N, CUBLAS_OP_N, N, M, K, &one, b.data(), N, a.data(), K,
                        &zero, c, N));
    };
    std::visit([&](const auto* from) { gpu::to_double(a.data(), from, a.size()); }, A);
    std::visit([&](const auto* from) { gpu::to_double(b.data(), from, b.size()); }, B);
    multiply(product);
    gpu::square(a.data(), a.size());
    gpu::square(b.data(), b.size());
    multiply(scale);
    gpu::square_root(scale, static_cast<std::size_t>(M) * N);
    synchronize();
  }

  Comparison compare(ConstElements C, const Expectation& expected) override {
    return std::visit([&](const auto* elements) { return gpu::compare(elements, expected); }, C);
  }

  double relative_difference(ConstElements C, ConstElements D, std::size_t count) override {
    return std::visit(
        [&]<class T>(const T* c) {
          return gpu::relative_difference(c, std::get<const T*>(D), count);
        },
        C);
  }

 private:
  int attribute(cudaDeviceAttr which) const {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, which, device_));
    return value;
  }

  int device_;
  cublasHandle_t cublas_ = nullptr;
};

/// Why there is no usable GPU, from what cudaGetDeviceCount answered; empty when there is one.
std::string gpu_trouble(cudaError_t status, int devices) {
  if (status == cudaErrorInsufficientDriver) {
    int driver = 0;
    cudaDriverGetVersion(&driver);
    if (driver == 0) return "no NVIDIA driver was found";
    return fmt::format(
        "the NVIDIA driver knows CUDA {}, which is too old for this program, built with CUDA {}: "
        "update the driver or build with an older toolkit",
        cuda_version(driver), cuda_version(CUDART_VERSION));
  }
  if (status == cudaErrorNoDevice || (status == cudaSuccess && devices == 0)) {
    return "no NVIDIA GPU was found";
  }
  if (status != cudaSuccess) return fmt::format("CUDA fails: {}", cudaGetErrorString(status));
  return "";
}

}  // namespace

bool has_gpu_code() {
  return true;
}

std::unique_ptr<Machine> make_gpu_machine(int device) {
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (const std::string trouble = gpu_trouble(status, devices); !trouble.empty()) {
    throw MachineError(trouble);
  }
  if (device >= devices) {
    throw MachineError(fmt::format(
        "GPU {} was asked for, and there {}", device,
        devices == 1 ? "is only one GPU, number 0" : fmt::format("are only {} GPUs", devices)));
  }
  return std::make_unique<GpuMachine>(device);
}

}  // namespace ladder
