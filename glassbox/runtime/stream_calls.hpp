// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/stream_calls.hpp
/// \brief CUDA's streams and events. All work is done when its call returns, and events have the
///        time of the host; work_order.hpp keeps in which orders a GPU may do the work.
#pragma once

#include <cstddef>
#include <functional>

#include "glassbox/runtime/error_codes.hpp"

struct CUstream_st;
struct CUevent_st;
using cudaStream_t = CUstream_st*;
using cudaEvent_t = CUevent_st*;

inline constexpr unsigned cudaStreamDefault = 0, cudaStreamNonBlocking = 1, cudaEventDefault = 0,
                          cudaEventBlockingSync = 1, cudaEventDisableTiming = 2,
                          cudaEventRecordDefault = 0;
// Addresses that no stream has.
inline const auto cudaStreamLegacy = reinterpret_cast<cudaStream_t>(1);
inline const auto cudaStreamPerThread = reinterpret_cast<cudaStream_t>(2);

/// What a node of a graph does.
enum cudaGraphNodeType {
  cudaGraphNodeTypeKernel = 0,
  cudaGraphNodeTypeMemcpy = 1,
  cudaGraphNodeTypeMemset = 2,
  cudaGraphNodeTypeHost = 3,
  cudaGraphNodeTypeGraph = 4,
  cudaGraphNodeTypeEmpty = 5,
};

namespace ladder::glassbox {

/// The work of one call: done at once, or kept by a graph and done with each launch of it.
using Work = std::function<cudaError_t()>;

/// Does the work, or adds it to the graph that the stream is captured into.
cudaError_t submit(cudaStream_t stream, cudaGraphNodeType type, const char* function,
                   const Here& here, const Work& work);

/// The stream's work goes into a graph.
bool is_captured(cudaStream_t stream);

/// From now on, the default stream is that of the thread.
void use_stream_per_thread();
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
inline const bool uses_stream_per_thread = (use_stream_per_thread(), true);
#endif

}  // namespace ladder::glassbox

cudaError_t cudaDeviceSynchronize(ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaThreadSynchronize(ladder::glassbox::Here here = ladder::glassbox::Here::current());

cudaError_t cudaStreamCreate(cudaStream_t* stream,
                             ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaStreamCreateWithFlags(
    cudaStream_t* stream, unsigned flags,
    ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaStreamCreateWithPriority(
    cudaStream_t* stream, unsigned flags, int priority,
    ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaStreamDestroy(cudaStream_t stream,
                              ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaStreamSynchronize(cudaStream_t stream,
                                  ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaStreamQuery(cudaStream_t stream,
                            ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0,
                                ladder::glassbox::Here here = ladder::glassbox::Here::current());

/// How L2 treats a window of memory. The glass box has no L2, so it has no effect; that is told.
enum cudaAccessProperty {
  cudaAccessPropertyNormal,
  cudaAccessPropertyStreaming,
  cudaAccessPropertyPersisting,
};
struct cudaAccessPolicyWindow {
  void* base_ptr;
  std::size_t num_bytes;
  float hitRatio;
  cudaAccessProperty hitProp, missProp;
};
enum cudaStreamAttrID { cudaStreamAttributeAccessPolicyWindow = 1 };
union cudaStreamAttrValue {
  cudaAccessPolicyWindow accessPolicyWindow;
};
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   const cudaStreamAttrValue* value);

/// The host's function is called at once: all work before it is done.
using cudaStreamCallback_t = void (*)(cudaStream_t stream, cudaError_t status, void* data);
using cudaHostFn_t = void (*)(void* data);
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned flags,
                                  ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data,
                               ladder::glassbox::Here here = ladder::glassbox::Here::current());

cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned flags);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr,
                            ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaEventSynchronize(cudaEvent_t event,
                                 ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaEventQuery(cudaEvent_t event,
                           ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end,
                                 ladder::glassbox::Here here = ladder::glassbox::Here::current());

// -- Capture: what streams are given becomes nodes of a graph -------------------------------------
struct CUgraph_st;
using cudaGraph_t = CUgraph_st*;
enum cudaStreamCaptureMode {
  cudaStreamCaptureModeGlobal,
  cudaStreamCaptureModeThreadLocal,
  cudaStreamCaptureModeRelaxed,
};
enum cudaStreamCaptureStatus {
  cudaStreamCaptureStatusNone,
  cudaStreamCaptureStatusActive,
  cudaStreamCaptureStatusInvalidated,
};
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode,
                                   ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph,
                                 ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status);
