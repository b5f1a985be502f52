// SPDX-License-Identifier: MIT
#include "glassbox/runtime/stream_calls.hpp"

#include <chrono>
#include <optional>

#include "glassbox/runtime/call_problem.hpp"
#include "glassbox/runtime/findings.hpp"
#include "glassbox/runtime/stream_capture.hpp"
#include "glassbox/runtime/variable_names.hpp"

using Time = std::chrono::steady_clock;

struct CUevent_st {
  std::optional<Time::time_point> time = {};
  ladder::glassbox::Clock done = {};          ///< once it is reached
  ladder::glassbox::CapturePoint point = {};  ///< where it was recorded in a capture
};

using namespace ladder::glassbox;

namespace {

/// The error of a call that does nothing else.
cudaError_t told(cudaError_t error) {
  return error == cudaSuccess ? sticky_error() : error;
}

/// Likewise of one that waits, or that asks and learns that all is done.
cudaError_t waited(cudaStream_t stream, cudaError_t error) {
  if (error == cudaSuccess) WorkOrder::instance().host_waits_for(stream_at(stream)->position);
  return told(error);
}

cudaError_t waited(const CUevent_st& event, cudaError_t error) {
  if (error == cudaSuccess) WorkOrder::instance().host_waits_for(event.done);
  return told(error);
}

cudaError_t make_stream(const char* function, cudaStream_t* stream, unsigned flags,
                        const Here& here) {
  *stream = new CUstream_st{
      .position = {.name = variable_in_call(function, place_of(here), here.column()),
                   .is_blocking = (flags & cudaStreamNonBlocking) == 0}};
  WorkOrder::instance().add((*stream)->position);
  return sticky_error();
}

}  // namespace

cudaError_t cudaDeviceSynchronize(Here here) {
  WorkOrder::instance().host_waits_for_all();
  return told(require_no_capture("cudaDeviceSynchronize", here));
}

cudaError_t cudaThreadSynchronize(Here here) {
  WorkOrder::instance().host_waits_for_all();
  return told(require_no_capture("cudaThreadSynchronize", here));
}

cudaError_t cudaStreamCreate(cudaStream_t* stream, Here here) {
  return make_stream("cudaStreamCreate", stream, cudaStreamDefault, here);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags, Here here) {
  return make_stream("cudaStreamCreateWithFlags", stream, flags, here);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int, Here here) {
  return make_stream("cudaStreamCreateWithPriority", stream, flags, here);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream, Here here) {
  if (stream == nullptr || stream_at(stream) != stream) {
    return failed(cudaErrorInvalidResourceHandle, {CallReason::kDefaultStream}, "cudaStreamDestroy",
                  here);
  }
  forget_stream(stream);
  WorkOrder::instance().remove(stream->position);
  delete stream;
  return sticky_error();
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream, Here here) {
  return waited(stream, require_not_captured(stream, "cudaStreamSynchronize", here));
}

cudaError_t cudaStreamQuery(cudaStream_t stream, Here here) {
  return waited(stream, require_not_captured(stream, "cudaStreamQuery", here));
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned, Here here) {
  const cudaError_t error = wait_for_event(stream, event->point, here);
  if (error == cudaSuccess && !is_captured(stream))
    WorkOrder::instance().wait(stream_at(stream)->position, event->done);
  return error;
}

cudaError_t cudaStreamSetAttribute(cudaStream_t, cudaStreamAttrID, const cudaStreamAttrValue*) {
  Findings::instance().note({CallReason::kNoEffect, {{"call", "cudaStreamSetAttribute"}}});
  return sticky_error();
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned, Here here) {
  const cudaError_t error = require_outside_capture(stream, "cudaStreamAddCallback", here);
  if (error != cudaSuccess) return error;
  const StreamTurn turn(stream);
  WorkOrder::instance().run_host_function("cudaStreamAddCallback", here,
                                          [&] { callback(stream, sticky_error(), data); });
  return sticky_error();
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data, Here here) {
  return submit(stream, cudaGraphNodeTypeHost, "cudaLaunchHostFunc", here, [=] {
    WorkOrder::instance().run_host_function("cudaLaunchHostFunc", here, [&] { function(data); });
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
  if (event->point.capture == nullptr) {
    event->time = Time::now();
    event->done = WorkOrder::instance().record(stream_at(stream)->position);
  }
  return sticky_error();
}

cudaError_t cudaEventSynchronize(cudaEvent_t event, Here here) {
  return waited(*event, require_not_captured(event->point, "cudaEventSynchronize", here));
}

cudaError_t cudaEventQuery(cudaEvent_t event, Here here) {
  return waited(*event, require_not_captured(event->point, "cudaEventQuery", here));
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
  WorkOrder::instance().host_waits_for(start->done);
  WorkOrder::instance().host_waits_for(end->done);
  Findings::instance().note({CallReason::kTimesOfCpu});
  *milliseconds = std::chrono::duration<float, std::milli>(*end->time - *start->time).count();
  return sticky_error();
}
