// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/blas_call.hpp
/// \brief One call of cuBLAS: its handle, and the check of what it was given.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "glassbox/runtime/allocations.hpp"
#include "glassbox/runtime/blas_calls.hpp"
#include "glassbox/runtime/call_problem.hpp"
#include "glassbox/runtime/findings.hpp"
#include "glassbox/runtime/stream_capture.hpp"

struct cublasContext {
  cudaStream_t stream = nullptr;
  cublasMath_t math = CUBLAS_DEFAULT_MATH;
  cublasPointerMode_t pointers = CUBLAS_POINTER_MODE_HOST;
};

namespace ladder::glassbox {

/// The handles that were created and not destroyed.
class Handles {
 public:
  static Handles& instance() {
    static Handles handles;
    return handles;
  }
  cublasHandle_t add() {
    const std::lock_guard lock(mutex_);
    return *live_.insert(new cublasContext()).first;
  }
  bool remove(cublasHandle_t handle) {
    const std::lock_guard lock(mutex_);
    if (live_.erase(handle) == 0) return false;
    delete handle;
    return true;
  }
  bool knows(cublasHandle_t handle) {
    const std::lock_guard lock(mutex_);
    return live_.contains(handle);
  }

 private:
  std::set<cublasHandle_t> live_;
  std::mutex mutex_;
};

/// Elements from the first to the last one of a vector, or of a matrix.
inline long long extent(int n, int increment) {
  return n <= 0 ? 0 : (n - 1LL) * std::abs(increment) + 1;
}
inline long long extent(int rows, int cols, int ld) {
  return rows <= 0 || cols <= 0 ? 0 : (cols - 1LL) * ld + rows;
}

/// Tells what is wrong with a call.
inline cublasStatus_t failed(cublasStatus_t status, const CallProblem& problem,
                             const std::string& function, const Here& here) {
  Findings::instance().add(CallFinding{.reason = problem.reason,
                                       .error = cublasGetStatusName(status),
                                       .function = function,
                                       .place = place_of(here),
                                       .fields = problem.fields});
  return status;
}

/// \brief One call: checks what it was given, and keeps the first thing that is wrong.
class Call {
 public:
  Call(std::string function, cublasHandle_t handle, const Here& here)
      : function_(std::move(function)), handle_(handle), here_(here) {
    if (!Handles::instance().knows(handle)) {
      fail(CUBLAS_STATUS_NOT_INITIALIZED, {CallReason::kNoHandle});
    } else if (sticky_error() != cudaSuccess) {
      status_ = CUBLAS_STATUS_EXECUTION_FAILED;  // a kernel has failed, which was told
    } else if (is_captured(handle->stream)) {
      fail(CUBLAS_STATUS_NOT_SUPPORTED, {CallReason::kBlasInCapture});
    } else {
      // Some calls wait for their stream, and nobody records what they do.
      WorkOrder::instance().host_waits_for(stream_at(handle->stream)->position);
    }
  }

  bool is_fine() const { return status_ == CUBLAS_STATUS_SUCCESS; }
  cublasStatus_t status() const { return status_; }

  void require(bool holds, const CallProblem& problem,
               cublasStatus_t status = CUBLAS_STATUS_INVALID_VALUE) {
    if (is_fine() && !holds) fail(status, problem);
  }
  /// Numbers of rows, columns and elements are not negative.
  void require_size(const char* name, int size) {
    require(size >= 0, {CallReason::kNegative, {{"name", name}, {"value", size}}});
  }
  void require_leading(const char* name, int leading, int rows) {
    require(leading >= std::max(rows, 1),
            {CallReason::kLeadingDimension, {{"name", name}, {"value", leading}, {"rows", rows}}});
  }

  /// An array of the GPU that is read or written.
  template <class T>
  void need(const char* name, const T* data, long long elements) {
    need(name, data, elements, sizeof(T));
  }
  void need(const char* name, const void* data, long long elements, std::size_t element_bytes) {
    if (!is_fine() || elements == 0) return;
    std::optional<CallProblem> wrong =
        wrong_access("array", data, static_cast<std::size_t>(elements) * element_bytes, true);
    if (!wrong) return;
    wrong->fields.set("given_as", name);
    fail(CUBLAS_STATUS_EXECUTION_FAILED, *wrong);
  }

  /// A factor, from where the handle's pointer mode says.
  template <class T>
  T factor(const char* name, const T* at) {
    check_scalar(name, at, sizeof(T));
    if (!is_fine()) return T();
    const Allocations::Door open;
    return *at;
  }
  template <class T>
  void give(T* at, T result) {
    check_scalar("result", at, sizeof(T));
    if (!is_fine()) return;
    const Allocations::Door open;
    *at = result;
    note_written(at, sizeof(T));
  }

 private:
  void check_scalar(const char* name, const void* at, std::size_t bytes) {
    if (!is_fine()) return;
    const bool of_device = handle_->pointers == CUBLAS_POINTER_MODE_DEVICE;
    std::optional<CallProblem> wrong = wrong_access(name, at, bytes, of_device);
    if (!wrong) return;
    wrong->fields.set("pointer_mode",
                      of_device ? "CUBLAS_POINTER_MODE_DEVICE" : "CUBLAS_POINTER_MODE_HOST");
    fail(CUBLAS_STATUS_EXECUTION_FAILED, *wrong);
  }
  void fail(cublasStatus_t status, const CallProblem& problem) {
    status_ = failed(status, problem, function_, here_);
  }

  std::string function_;
  cublasHandle_t handle_;
  Here here_;
  cublasStatus_t status_ = CUBLAS_STATUS_SUCCESS;
};

/// "cublasSaxpy" of Axpy<float>
template <class T>
std::string name_of(const char* call) {
  return fmt::format("cublas{}{}", sizeof(T) == sizeof(float) ? 'S' : 'D', call);
}

/// What a program that multiplies here should know, once.
inline void tell_origin() {
  Findings::instance().note({CallReason::kBlasNotTraced});
}

}  // namespace ladder::glassbox
