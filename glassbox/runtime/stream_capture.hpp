// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/stream_capture.hpp
/// \brief Streams whose work becomes a graph, and the calls that CUDA refuses meanwhile.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "glassbox/runtime/graph.hpp"
#include "glassbox/runtime/work_order.hpp"

namespace ladder::glassbox {

/// What the streams of one capture have in common.
struct Capture {
  cudaStreamCaptureMode mode;
  const CUstream_st* origin;  ///< where it began
  std::thread::id thread = std::this_thread::get_id();
  std::set<CUstream_st*> streams = {};  ///< the origin, and those that wait for it
  std::unique_ptr<CUgraph_st> graph = std::make_unique<CUgraph_st>();
  bool valid = true;
  std::vector<CUgraphNode_st*> of_destroyed_streams = {};  ///< their last nodes
};

/// Where a stream or an event is in a capture.
struct CapturePoint {
  std::shared_ptr<Capture> capture = {};   ///< null: none
  std::vector<CUgraphNode_st*> last = {};  ///< nodes that the next one needs
};

/// The default stream and that of the thread are streams, too.
CUstream_st* stream_at(cudaStream_t stream);
/// The one for which all that are blocking wait.
CUstream_st* legacy_stream();

/// \brief What CUDA returns for a call that waits for the stream or asks how far it is.
cudaError_t require_not_captured(cudaStream_t stream, const char* function, const Here& here);
/// \brief Likewise for one that waits for an event.
cudaError_t require_not_captured(const CapturePoint& event, const char* function, const Here& here);
/// \brief Likewise for work that no graph has.
cudaError_t require_outside_capture(cudaStream_t stream, const char* function, const Here& here);
/// \brief Likewise for a call that waits for all streams.
cudaError_t require_no_capture(const char* function, const Here& here);
/// \brief Likewise for a call that may wait, such as cudaMalloc().
cudaError_t require_safe(const char* function, const Here& here);
/// \brief Likewise for work in the default stream, which waits for the others.
cudaError_t require_no_blocking_capture(const char* function, const Here& here);

/// The stream goes on behind the event, maybe as a part of its capture.
cudaError_t wait_for_event(cudaStream_t stream, const CapturePoint& event, const Here& here);

/// No graph will come of the stream's capture.
void spoil_capture(cudaStream_t stream);

/// A stream that a capture knows goes away.
void forget_stream(CUstream_st* stream);

}  // namespace ladder::glassbox

struct CUstream_st {
  ladder::glassbox::StreamPosition position = {};
  ladder::glassbox::CapturePoint point = {};
};
