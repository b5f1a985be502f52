// SPDX-License-Identifier: MIT
#include "glassbox/runtime/stream_calls.hpp"

#include <chrono>
#include <optional>

#include "glassbox/runtime/call_problem.hpp"
#include "glassbox/runtime/findings.hpp"
#include "glassbox/runtime/stream_capture.hpp"

using Clock = std::chrono::steady_clock;

struct CUevent_st {
  std::optional<Clock::time_point> time = {};
  ladder::glassbox::CapturePoint point = {};  ///< where it was recorded in a capture
};

using namespace ladder::glassbox;

namespace {

/// The error of a call that does nothing else.
cudaError_t told(cudaError_t error) {
  return error == cudaSuccess ? sticky_error() : error;
}

}  // namespace

cudaError_t cudaDeviceSynchronize(Here here) {
  return told(require_no_capture("cudaDeviceSynchronize", here));
}

cudaError_t cudaThreadSynchronize(Here here) {
  return told(require_no_capture("cudaThreadSynchronize", here));
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  *stream = new CUstream_st{.blocking = (flags & cudaStreamNonBlocking) == 0};
  return sticky_error();
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
  return cudaStreamCreateWithFlags(stream, flags);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream, Here here) {
  if (stream == nullptr || stream_at(stream) != stream) {
    return failed(cudaErrorInvalidResourceHandle, {CallReason::kDefaultStream}, "cudaStreamDestroy",
                  here);
  }
  forget_stream(stream);
  delete stream;
  return sticky_error();
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream, Here here) {
  return told(require_not_captured(stream, "cudaStreamSynchronize", here));
}

cudaError_t cudaStreamQuery(cudaStream_t stream, Here here) {
  return told(require_not_captured(stream, "cudaStreamQuery", here));
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned, Here here) {
  return wait_for_event(stream, event->point, here);
}

cudaError_t cudaStreamSetAttribute(cudaStream_t, cudaStreamAttrID, const cudaStreamAttrValue*) {
  Findings::instance().note({CallReason::kNoEffect, {{"call", "cudaStreamSetAttribute"}}});
  return sticky_error();
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned, Here here) {
  const cudaError_t error = require_outside_capture(stream, "cudaStreamAddCallback", here);
  if (error != cudaSuccess) return error;
  callback(stream, sticky_error(), data);
  return sticky_error();
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data, Here here) {
  return submit(stream, cudaGraphNodeTypeHost, "cudaLaunchHostFunc", here, [=] {
    function(data);
    return sticky_error();
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = new CUevent_st();
  return sticky_error();
}

cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned) {
  return cudaEventCreate(event);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  return cudaEventCreate(event);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return sticky_error();
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream, Here) {
  event->point = stream_at(stream)->point;
  if (event->point.capture == nullptr) event->time = Clock::now();
  return sticky_error();
}

cudaError_t cudaEventSynchronize(cudaEvent_t event, Here here) {
  return told(require_not_captured(event->point, "cudaEventSynchronize", here));
}

cudaError_t cudaEventQuery(cudaEvent_t event, Here here) {
  return told(require_not_captured(event->point, "cudaEventQuery", here));
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end,
                                 Here here) {
  if (start->point.capture != nullptr || end->point.capture != nullptr) {
    return failed(cudaErrorInvalidValue, {CallReason::kTimeInCapture}, "cudaEventElapsedTime",
                  here);
  }
  if (!start->time || !end->time) {
    return failed(cudaErrorInvalidResourceHandle, {CallReason::kNeverRecorded},
                  "cudaEventElapsedTime", here);
  }
  Findings::instance().note({CallReason::kTimesOfCpu});
  *milliseconds = std::chrono::duration<float, std::milli>(*end->time - *start->time).count();
  return sticky_error();
}
