// SPDX-License-Identifier: MIT
#include <cublas_v2.h>

#include "bench/benchmark/split_times.hpp"
#include "common/check.hpp"

namespace ladder::bench {

#if CUBLAS_VERSION >= 120900
namespace {

/// A handle that may emulate, also where cuBLAS expects no gain.
cublasHandle_t emulating_handle() {
  static const cublasHandle_t handle = [] {
    cublasHandle_t fresh = nullptr;
    check(cublasCreate(&fresh));
    check(cublasSetEmulationStrategy(fresh, CUBLAS_EMULATION_STRATEGY_EAGER));
    return fresh;
  }();
  return handle;
}

/// Takes operands swapped, as rung 00 does: cuBLAS reads matrices by columns.
void multiply(const Gemm<float>& gemm, Stream stream) {
  check(cublasSetStream(emulating_handle(), stream));
  check(cublasGemmEx(emulating_handle(), CUBLAS_OP_N, CUBLAS_OP_N, gemm.N, gemm.M, gemm.K,
                     &gemm.alpha, gemm.B, CUDA_R_32F, gemm.N, gemm.A, CUDA_R_32F, gemm.K,
                     &gemm.beta, gemm.C, CUDA_R_32F, gemm.N, CUBLAS_COMPUTE_32F_EMULATED_16BFX9,
                     CUBLAS_GEMM_DEFAULT));
}

}  // namespace

EmulatedSgemm emulated_sgemm(Machine& machine) {
  try {
    relative_error(machine, Run(multiply), {256, 256, 256}, 1);
  } catch (const GpuError& error) {
    return {{}, error.what()};
  }
  return {Run(multiply), ""};
}
#else
EmulatedSgemm emulated_sgemm(Machine&) {
  return {{}, "this cuBLAS does not know CUBLAS_COMPUTE_32F_EMULATED_16BFX9: 12.9 does"};
}
#endif

}  // namespace ladder::bench
