// SPDX-License-Identifier: MIT
#include "ladder/glassbox/runtime/stream_calls.hpp"

#include <chrono>
#include <optional>

#include "ladder/glassbox/runtime/findings.hpp"

using Clock = std::chrono::steady_clock;

struct CUstream_st {};
struct CUevent_st {
  std::optional<Clock::time_point> time;
};

using namespace ladder::glassbox;

cudaError_t cudaDeviceSynchronize() {
  return sticky_error();
}

cudaError_t cudaThreadSynchronize() {
  return sticky_error();
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  *stream = new CUstream_st();
  return sticky_error();
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  return cudaStreamCreate(stream);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
  return cudaStreamCreate(stream);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return sticky_error();
}

cudaError_t cudaStreamSynchronize(cudaStream_t) {
  return sticky_error();
}

cudaError_t cudaStreamQuery(cudaStream_t) {
  return sticky_error();
}

cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) {
  return sticky_error();
}

cudaError_t cudaStreamSetAttribute(cudaStream_t, cudaStreamAttrID, const cudaStreamAttrValue*) {
  Findings::instance().note(
      "cudaStreamSetAttribute has no effect here: kernels run without an L2.");
  return sticky_error();
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned) {
  callback(stream, sticky_error(), data);
  return sticky_error();
}

cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t function, void* data) {
  function(data);
  return sticky_error();
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

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  event->time = Clock::now();
  return sticky_error();
}

cudaError_t cudaEventSynchronize(cudaEvent_t) {
  return sticky_error();
}

cudaError_t cudaEventQuery(cudaEvent_t) {
  return sticky_error();
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end,
                                 Here here) {
  if (!start->time || !end->time) {
    return failed(cudaErrorInvalidResourceHandle,
                  "cudaEventElapsedTime: an event that was never recorded has no time", here);
  }
  Findings::instance().note(
      "Times that this program took are those of the CPU: what runs here says nothing about how "
      "fast a GPU is.");
  *milliseconds = std::chrono::duration<float, std::milli>(*end->time - *start->time).count();
  return sticky_error();
}
