// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/gpu_registers.cu
/// \brief Runs programs of FFMAs on a GPU.
#include "bench/labs/instruments/gpu_registers.cuh"

#include <algorithm>
#include <array>
#include <iterator>

#include "bench/labs/instruments/ffma_loop_cubin.hpp"  // bin2c wrote it: kernels/ffma_loop.cu
#include "bench/labs/instruments/gpu_memory.cuh"
#include "common/launch.cuh"

namespace ladder::labs {
namespace {

constexpr int kTrips = 64;
constexpr int kFfmasBetween = 256;  // from one kernel to the other
constexpr std::array kKernels = {"ffma_256", "ffma_512"};
constexpr int kSchedulers = 4;
constexpr int kLanes = 32;
constexpr int kMostThreads = 512;

/// A cubin on the GPU.
class Library {
 public:
  explicit Library(const std::vector<char>& cubin) {
    check(cudaLibraryLoadData(&library_, cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() { cudaLibraryUnload(library_); }
  cudaKernel_t kernel(const char* name) const {
    cudaKernel_t kernel = nullptr;
    check(cudaLibraryGetKernel(&kernel, library_, name));
    return kernel;
  }

 private:
  cudaLibrary_t library_ = nullptr;
};

class GpuRegisters final : public RegisterInstrument {
 public:
  std::vector<int> registers() override {
    std::vector<int> both;
    const std::vector<int> first = free_registers(cubin_, kKernels[0]);
    const std::vector<int> second = free_registers(cubin_, kKernels[1]);
    std::ranges::set_intersection(first, second, std::back_inserter(both));
    return both;
  }

  std::vector<double> cycles(const FfmaProgram& program, int warps, int repeats) override {
    std::vector<char> cubin = cubin_;
    for (const char* const kernel : kKernels)
      cubin = with_program(std::move(cubin), kernel, program);
    const Library library(cubin);
    std::vector<double> cycles;
    for (int repeat = -1; repeat < repeats; ++repeat) {
      std::array<double, 2> took{};
      for (std::size_t i = 0; i < kKernels.size(); ++i)
        took[i] = launch_cycles(library.kernel(kKernels[i]), warps * kSchedulers);
      // The first one fetches the instructions.
      if (repeat >= 0) cycles.push_back((took[1] - took[0]) / (kTrips * kFfmasBetween));
    }
    return cycles;
  }

 private:
  double launch_cycles(cudaKernel_t kernel, int warps) {
    using Loop = void (*)(int, float*, long long*);
    // CUDA takes the handle of a kernel where it takes the address of a function.
    launch(reinterpret_cast<Loop>(kernel),
           {.grid = dim3(1), .block = dim3(static_cast<unsigned>(warps * kLanes))}, kTrips,
           sums_.data(), times_.data());
    std::array<long long, 2 * kMostThreads / kLanes> seen{};
    check(cudaMemcpy(seen.data(), times_.data(), sizeof seen, cudaMemcpyDeviceToHost));
    long long begin = seen[0];
    long long end = seen[1];
    for (std::size_t warp = 0; warp < static_cast<std::size_t>(warps); ++warp) {
      begin = std::min(begin, seen[2 * warp]);
      end = std::max(end, seen[2 * warp + 1]);
    }
    return static_cast<double>(end - begin);
  }

  std::vector<char> cubin_{std::begin(ffma_loop_cubin), std::end(ffma_loop_cubin)};
  GpuArray<float> sums_{kMostThreads};
  GpuArray<long long> times_{2 * kMostThreads / kLanes};
};

}  // namespace

std::unique_ptr<RegisterInstrument> make_gpu_registers() {
  return std::make_unique<GpuRegisters>();
}

}  // namespace ladder::labs
