// SPDX-License-Identifier: MIT
#include "glassbox/runtime/error_codes.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include "glassbox/runtime/call_problem.hpp"
#include "glassbox/runtime/findings.hpp"

namespace {

struct ErrorText {
  cudaError code;
  const char* name;
  const char* text;
};

constexpr ErrorText kUnknown = {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"};

/// As CUDA words them.
constexpr std::array kTexts = {
    ErrorText{cudaSuccess, "cudaSuccess", "no error"},
    ErrorText{cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    ErrorText{cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    ErrorText{cudaErrorInitializationError, "cudaErrorInitializationError", "initialization error"},
    ErrorText{cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
              "invalid configuration argument"},
    ErrorText{cudaErrorInvalidPitchValue, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
    ErrorText{cudaErrorInvalidSymbol, "cudaErrorInvalidSymbol", "invalid device symbol"},
    ErrorText{cudaErrorInvalidDevicePointer, "cudaErrorInvalidDevicePointer",
              "invalid device pointer"},
    ErrorText{cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection",
              "invalid copy direction for memcpy"},
    ErrorText{cudaErrorInvalidFilterSetting, "cudaErrorInvalidFilterSetting",
              "invalid linear filtering setting"},
    ErrorText{cudaErrorInvalidNormSetting, "cudaErrorInvalidNormSetting",
              "read as normalized float not supported for 32-bit non float type"},
    ErrorText{cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction",
              "invalid device function"},
    ErrorText{cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    ErrorText{cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    ErrorText{cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle",
              "invalid resource handle"},
    ErrorText{cudaErrorIllegalState, "cudaErrorIllegalState",
              "the operation cannot be performed in the present state"},
    ErrorText{cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    ErrorText{cudaErrorIllegalAddress, "cudaErrorIllegalAddress",
              "an illegal memory access was encountered"},
    ErrorText{cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources",
              "too many resources requested for launch"},
    ErrorText{cudaErrorLaunchTimeout, "cudaErrorLaunchTimeout",
              "the launch timed out and was terminated"},
    ErrorText{cudaErrorAssert, "cudaErrorAssert", "device-side assert triggered"},
    ErrorText{cudaErrorHardwareStackError, "cudaErrorHardwareStackError", "hardware stack error"},
    ErrorText{cudaErrorIllegalInstruction, "cudaErrorIllegalInstruction",
              "an illegal instruction was encountered"},
    ErrorText{cudaErrorMisalignedAddress, "cudaErrorMisalignedAddress", "misaligned address"},
    ErrorText{cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    ErrorText{cudaErrorCooperativeLaunchTooLarge, "cudaErrorCooperativeLaunchTooLarge",
              "too many blocks in cooperative launch"},
    ErrorText{cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    ErrorText{cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported",
              "operation not permitted when stream is capturing"},
    ErrorText{cudaErrorStreamCaptureInvalidated, "cudaErrorStreamCaptureInvalidated",
              "operation failed due to a previous error during capture"},
    ErrorText{cudaErrorStreamCaptureMerge, "cudaErrorStreamCaptureMerge",
              "operation would result in a merge of separate capture sequences"},
    ErrorText{cudaErrorStreamCaptureUnmatched, "cudaErrorStreamCaptureUnmatched",
              "capture was not ended in the same stream as it began"},
    ErrorText{cudaErrorStreamCaptureUnjoined, "cudaErrorStreamCaptureUnjoined",
              "capturing stream has unjoined work"},
    ErrorText{cudaErrorStreamCaptureIsolation, "cudaErrorStreamCaptureIsolation",
              "dependency created on uncaptured work in another stream"},
    ErrorText{cudaErrorStreamCaptureImplicit, "cudaErrorStreamCaptureImplicit",
              "operation would make the legacy stream depend on a capturing blocking stream"},
    ErrorText{cudaErrorCapturedEvent, "cudaErrorCapturedEvent",
              "operation not permitted on an event last recorded in a capturing stream"},
    ErrorText{cudaErrorStreamCaptureWrongThread, "cudaErrorStreamCaptureWrongThread",
              "attempt to terminate a thread-local capture sequence from another thread"},
    ErrorText{cudaErrorGraphExecUpdateFailure, "cudaErrorGraphExecUpdateFailure",
              "the graph update was not performed because it included changes which violated "
              "constraints specific to instantiated graph update"},
    ErrorText{cudaErrorInvalidClusterSize, "cudaErrorInvalidClusterSize",
              "a kernel launch error has occurred due to cluster misconfiguration"},
    kUnknown};

const ErrorText& text_of(cudaError_t error) {
  const auto* const found = std::ranges::find(kTexts, error, &ErrorText::code);
  return found == kTexts.end() ? kUnknown : *found;
}

std::atomic<cudaError_t> last = cudaSuccess;
std::atomic<cudaError_t> sticky = cudaSuccess;

}  // namespace

const char* cudaGetErrorName(cudaError_t error) {
  return text_of(error).name;
}

const char* cudaGetErrorString(cudaError_t error) {
  return text_of(error).text;
}

cudaError_t cudaGetLastError() {
  return last.exchange(sticky);
}

cudaError_t cudaPeekAtLastError() {
  return last;
}

namespace ladder::glassbox {

cudaError_t failed(cudaError_t error, const CallProblem& problem, const std::string& function,
                   const Here& here) {
  set_last_error(error);
  Findings::instance().add(CallFinding{.reason = problem.reason,
                                       .error = cudaGetErrorName(error),
                                       .function = function,
                                       .place = place_of(here),
                                       .fields = problem.fields});
  return error;
}

void set_last_error(cudaError_t error) {
  last = error;
}

void make_sticky(cudaError_t error) {
  sticky = error;
  last = error;
}

cudaError_t sticky_error() {
  return sticky;
}

}  // namespace ladder::glassbox
