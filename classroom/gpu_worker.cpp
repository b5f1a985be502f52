// SPDX-License-Identifier: MIT
/// \file  classroom/gpu_worker.cpp
/// \brief The process that runs a student's kernel on the GPU. It copies the matrices there before
///        the judge looks at its clock, and back when the time is taken. Only the judge starts it
///        (worker_process.cpp).
#include <cuda_runtime_api.h>
#include <unistd.h>

#include <array>

#include "classroom/containment.hpp"
#include "classroom/messages.hpp"
#include "classroom/worker_orders.hpp"
#include "common/check.hpp"

namespace ladder::grader {
namespace {

using nlohmann::json;

/// A mapped matrix and its guard bands in the memory of the GPU, each time at another address.
class MatrixOnGpu {
 public:
  explicit MatrixOnGpu(const json& place)
      : shared_(place), left_out_(place.at("pages").get<std::size_t>() * 4096) {
    check(cudaMalloc(&memory_, left_out_ + shared_.bytes()));
    copy(guarded(), shared_.guarded(), cudaMemcpyHostToDevice);
  }
  ~MatrixOnGpu() { cudaFree(memory_); }
  MatrixOnGpu(const MatrixOnGpu&) = delete;
  MatrixOnGpu& operator=(const MatrixOnGpu&) = delete;

  char* guarded() const { return static_cast<char*>(memory_) + left_out_; }
  void copy_back() { copy(shared_.guarded(), guarded(), cudaMemcpyDeviceToHost); }

 private:
  /// While run() runs, the host has no copy of the matrix.
  void copy(void* to, const void* from, cudaMemcpyKind kind) {
    shared_.map();
    check(cudaMemcpy(to, from, shared_.bytes(), kind));
    shared_.unmap();
  }

  MatrixPlace shared_;
  std::size_t left_out_;  ///< bytes in front of it
  void* memory_ = nullptr;
};

template <class T>
RunReport launched(const Rung& rung, const Gemm<T>& gemm) {
  return reported([&](RunReport&) {
    rung.run(gemm, nullptr);
    check(cudaDeviceSynchronize());
  });
}

template <class T>
json run(const Rung& rung, const json& order) {
  MatrixOnGpu A(order.at("A"));
  MatrixOnGpu B(order.at("B"));
  MatrixOnGpu C(order.at("C"));
  const auto gemm = gemm_of<T>(order, {A.guarded(), B.guarded(), C.guarded()});
  check(cudaDeviceSynchronize());
  const RunReport report = run_when_told([&] { return launched(rung, gemm); });
  if (report.outcome == Outcome::ran) {
    for (MatrixOnGpu* const matrix : {&A, &B, &C})
      matrix->copy_back();
  }
  return to_json(report);
}

void work(const WorkerWords& words) {
  json holds = give_up_rights(words.other_user, RunsOn::gpu);
  // Another user may be kept from the library, or from the GPU's devices.
  if (access(words.library, R_OK) != 0 || cudaFree(nullptr) != cudaSuccess) {
    send_message(kSocket, {{"unreadable", true}});
    return;
  }
  for (const std::string& held : forbid_all_but_loading(words.folders, RunsOn::gpu))
    holds.push_back(held);
  const Rung& rung = rung_of(table_of(loaded(words.library), "_ZN6ladder5rungsEv"), words.number);
  send_message(kSocket, {{"holds", holds}});
  while (true) {
    const json order = receive_message(kSocket);
    send_message(kSocket, with_element_of(rung.precision.stored,
                                          [&]<class T>(T) { return run<T>(rung, order); }));
  }
}

}  // namespace
}  // namespace ladder::grader

int main(int argc, char** argv) {
  return ladder::grader::worker_main(argc, argv, ladder::grader::work);
}
