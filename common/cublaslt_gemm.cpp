// SPDX-License-Identifier: MIT
#include "common/cublaslt_gemm.hpp"

#include <cublasLt.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <variant>
#include <vector>

#include "common/check.hpp"

namespace ladder {
namespace {

constexpr std::size_t kWorkspaceBytes = std::size_t{128} << 20;
constexpr int kMostProposals = 64;
constexpr int kPasses = 3;
constexpr double kSampleMs = 0.5;

}  // namespace

struct CublasLtGemm::State {
  cublasLtHandle_t handle = nullptr;
  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatrixLayout_t a = nullptr;
  cublasLtMatrixLayout_t b = nullptr;
  cublasLtMatrixLayout_t c = nullptr;
  void* workspace = nullptr;
  std::vector<cublasLtMatmulHeuristicResult_t> proposals;
  std::size_t chosen = 0;

  ~State() {
    cudaFree(workspace);
    cublasLtMatrixLayoutDestroy(c);
    cublasLtMatrixLayoutDestroy(b);
    cublasLtMatrixLayoutDestroy(a);
    cublasLtMatmulDescDestroy(operation);
    cublasLtDestroy(handle);
  }

  cublasStatus_t run(const AnyGemm& any, Stream stream, std::size_t proposal) const {
    // Column-major library, row-major problem: C' = B'*A'. alpha and beta are floats.
    return std::visit(
        [&](const auto& gemm) {
          return cublasLtMatmul(handle, operation, &gemm.alpha, gemm.B, b, gemm.A, a, &gemm.beta,
                                gemm.C, c, gemm.C, c, &proposals[proposal].algo, workspace,
                                kWorkspaceBytes, stream);
        },
        any);
  }
};

CublasLtGemm::CublasLtGemm(const Precision& precision, const GemmOf& gemm_of, Stopwatch& stopwatch)
    : state_(std::make_unique<State>()) {
  State& s = *state_;
  const auto [M, N, K] = std::visit(
      [](const auto& gemm) {
        return Shape{gemm.M, gemm.N, gemm.K};
      },
      gemm_of(0));
  const cudaDataType_t stored = precision.stored == Format::bf16 ? CUDA_R_16BF : CUDA_R_32F;
  const cublasComputeType_t compute =
      precision.multiplied == Format::tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
  check(cublasLtCreate(&s.handle));
  check(cudaMalloc(&s.workspace, kWorkspaceBytes));
  check(cublasLtMatmulDescCreate(&s.operation, compute, CUDA_R_32F));
  check(cublasLtMatrixLayoutCreate(&s.a, stored, K, M, K));
  check(cublasLtMatrixLayoutCreate(&s.b, stored, N, K, N));
  check(cublasLtMatrixLayoutCreate(&s.c, stored, N, M, N));

  cublasLtMatmulPreference_t preference = nullptr;
  check(cublasLtMatmulPreferenceCreate(&preference));
  check(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                             &kWorkspaceBytes, sizeof kWorkspaceBytes));
  if (precision.stored != precision.accumulated) {
    // Where K is split, sums of its parts must not go through C's format, as no rung's may.
    const std::uint32_t schemes = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
    check(cublasLtMatmulPreferenceSetAttribute(
        preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &schemes, sizeof schemes));
  }
  s.proposals.resize(kMostProposals);
  int found = 0;
  const cublasStatus_t status =
      cublasLtMatmulAlgoGetHeuristic(s.handle, s.operation, s.b, s.a, s.c, s.c, preference,
                                     kMostProposals, s.proposals.data(), &found);
  cublasLtMatmulPreferenceDestroy(preference);
  check(status);
  if (found == 0) throw std::runtime_error("cublasLt proposes no algorithm for this shape");
  s.proposals.resize(found);

  std::vector<double> best_ms(found, std::numeric_limits<double>::infinity());
  int counter = 0;
  for (int pass = 0; pass < kPasses; ++pass) {
    for (int i = 0; i < found; ++i) {
      if (s.run(gemm_of(counter++), stopwatch.stream(), i) != CUBLAS_STATUS_SUCCESS) continue;
      const auto launch = [&](int times) {
        for (int j = 0; j < times; ++j) {
          check(s.run(gemm_of(counter++), stopwatch.stream(), i));
        }
      };
      // A launch of a few microseconds is less than its events: several are timed together.
      const double one_ms = stopwatch.time_ms([&] { launch(1); });
      const int times = std::clamp(static_cast<int>(kSampleMs / std::max(one_ms, 1e-3)), 1, 20);
      const double ms = times == 1 ? one_ms : stopwatch.time_ms([&] { launch(times); }) / times;
      best_ms[i] = std::min(best_ms[i], ms);
    }
  }
  s.chosen = std::ranges::min_element(best_ms) - best_ms.begin();
}

CublasLtGemm::~CublasLtGemm() = default;

void CublasLtGemm::run(const AnyGemm& gemm, Stream stream) const {
  check(state_->run(gemm, stream, state_->chosen));
}

}  // namespace ladder
