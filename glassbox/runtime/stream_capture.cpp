// SPDX-License-Identifier: MIT
#include "glassbox/runtime/stream_capture.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "glassbox/runtime/call_problem.hpp"
#include "glassbox/runtime/memory_calls.hpp"

namespace ladder::glassbox {
namespace {

/// Those that have begun and not ended.
std::set<std::shared_ptr<Capture>>& captures() {
  static auto* const all = new std::set<std::shared_ptr<Capture>>();
  return *all;
}

std::recursive_mutex& mutex() {
  static auto* const one = new std::recursive_mutex();
  return *one;
}

/// The capture can no longer become a graph.
cudaError_t spoil(Capture& capture, cudaError_t error, CallReason reason, const char* function,
                  const Here& here) {
  capture.valid = false;
  return failed(error, {reason}, function, here);
}

cudaError_t refuse_where(bool (*is_concerned)(const Capture&), cudaError_t error, CallReason reason,
                         const char* function, const Here& here) {
  const std::lock_guard lock(mutex());
  bool any = false;
  for (const std::shared_ptr<Capture>& capture : captures()) {
    if (!is_concerned(*capture)) continue;
    capture->valid = false;
    any = true;
  }
  return any ? failed(error, {reason}, function, here) : cudaSuccess;
}

bool is_blocking(const Capture& capture) {
  return std::ranges::any_of(
      capture.streams, [](const CUstream_st* stream) { return stream->position.is_blocking; });
}

/// The nodes that others need do not have to be named any more.
void keep_last(std::vector<CUgraphNode_st*>& nodes, const std::vector<CUgraphNode_st*>& more) {
  for (CUgraphNode_st* const node : more) {
    if (std::ranges::find(nodes, node) == nodes.end()) nodes.push_back(node);
  }
}

/// All nodes that are done once these are.
std::set<const CUgraphNode_st*> all_before(const std::vector<CUgraphNode_st*>& nodes) {
  std::set<const CUgraphNode_st*> found;
  std::vector<const CUgraphNode_st*> left(nodes.begin(), nodes.end());
  while (!left.empty()) {
    const CUgraphNode_st* const node = left.back();
    left.pop_back();
    if (found.insert(node).second) left.insert(left.end(), node->needs.begin(), node->needs.end());
  }
  return found;
}

/// Does a stream of the capture have work that its origin does not wait for?
bool has_unjoined_work(const Capture& capture) {
  const std::set<const CUgraphNode_st*> joined = all_before(capture.origin->point.last);
  std::vector<CUgraphNode_st*> ends = capture.of_destroyed_streams;
  for (const CUstream_st* const stream : capture.streams)
    keep_last(ends, stream->point.last);
  return std::ranges::any_of(ends,
                             [&](const CUgraphNode_st* node) { return !joined.contains(node); });
}

}  // namespace

namespace {

bool default_is_per_thread = false;

CUstream_st* new_stream(const StreamPosition& position) {
  auto* const stream = new CUstream_st{.position = position};
  WorkOrder::instance().add(stream->position);
  return stream;
}

/// The stream of one thread of the host.
struct ThreadStream {
  CUstream_st* const stream = new_stream({.name = "cudaStreamPerThread"});

  ThreadStream() = default;
  ThreadStream(const ThreadStream&) = delete;
  ThreadStream& operator=(const ThreadStream&) = delete;
  ~ThreadStream() {
    forget_stream(stream);
    WorkOrder::instance().remove(stream->position);
    delete stream;
  }
};

}  // namespace

void use_stream_per_thread() {
  default_is_per_thread = true;
}

CUstream_st* legacy_stream() {
  static CUstream_st* const legacy = new_stream({.is_legacy = true});
  return legacy;
}

CUstream_st* stream_at(cudaStream_t stream) {
  legacy_stream();  // it is the first that there is
  if (stream == cudaStreamLegacy || (stream == nullptr && !default_is_per_thread))
    return legacy_stream();
  if (stream != nullptr && stream != cudaStreamPerThread) return stream;
  static thread_local const ThreadStream own;
  return own.stream;
}

bool is_captured(cudaStream_t stream) {
  return stream_at(stream)->point.capture != nullptr;
}

cudaError_t submit(cudaStream_t stream, cudaGraphNodeType type, const char* function,
                   const Here& here, const Work& work) {
  CUstream_st* const own = stream_at(stream);
  {
    const std::lock_guard lock(mutex());
    if (own->point.capture != nullptr) {
      if (!own->point.capture->valid) {
        return failed(cudaErrorStreamCaptureInvalidated, {CallReason::kCaptureSpoilt}, function,
                      here);
      }
      own->point.last = {own->point.capture->graph->add(type, work, own->point.last)};
      return cudaSuccess;
    }
  }
  if (own == legacy_stream()) {
    const cudaError_t error = require_no_blocking_capture(function, here);
    if (error != cudaSuccess) return error;
  }
  const StreamTurn turn(stream);
  return work();
}

cudaError_t require_not_captured(cudaStream_t stream, const char* function, const Here& here) {
  const std::lock_guard lock(mutex());
  const CUstream_st* const own = stream_at(stream);
  if (own->point.capture == nullptr) {
    const cudaError_t error = require_safe(function, here);
    if (error != cudaSuccess || own != legacy_stream()) return error;
    return require_no_blocking_capture(function, here);
  }
  return spoil(*own->point.capture, cudaErrorStreamCaptureUnsupported, CallReason::kStreamCaptured,
               function, here);
}

cudaError_t require_no_capture(const char* function, const Here& here) {
  return refuse_where([](const Capture&) { return true; }, cudaErrorStreamCaptureUnsupported,
                      CallReason::kAnyStreamCaptured, function, here);
}

cudaError_t require_safe(const char* function, const Here& here) {
  return refuse_where(
      [](const Capture& capture) {
        return capture.mode == cudaStreamCaptureModeGlobal ||
               (capture.mode == cudaStreamCaptureModeThreadLocal &&
                capture.thread == std::this_thread::get_id());
      },
      cudaErrorStreamCaptureUnsupported, CallReason::kMayWait, function, here);
}

cudaError_t require_no_blocking_capture(const char* function, const Here& here) {
  return refuse_where(is_blocking, cudaErrorStreamCaptureImplicit, CallReason::kDefaultStreamWaits,
                      function, here);
}

cudaError_t require_outside_capture(cudaStream_t stream, const char* function, const Here& here) {
  const std::lock_guard lock(mutex());
  const CUstream_st* const own = stream_at(stream);
  if (own->point.capture == nullptr) return cudaSuccess;
  return spoil(*own->point.capture, cudaErrorStreamCaptureUnsupported, CallReason::kNotCaptured,
               function, here);
}

cudaError_t require_not_captured(const CapturePoint& event, const char* function,
                                 const Here& here) {
  const std::lock_guard lock(mutex());
  if (event.capture == nullptr) return require_safe(function, here);
  return spoil(*event.capture, cudaErrorCapturedEvent, CallReason::kEventCaptured, function, here);
}

cudaError_t require_no_memory_node(cudaStream_t stream, const char* function, const Here& here) {
  const std::lock_guard lock(mutex());
  const CUstream_st* const own = stream_at(stream);
  if (own->point.capture == nullptr) return cudaSuccess;
  return spoil(*own->point.capture, cudaErrorNotSupported, CallReason::kMemoryInCapture, function,
               here);
}

cudaError_t wait_for_event(cudaStream_t stream, const CapturePoint& event, const Here& here) {
  constexpr const char* function = "cudaStreamWaitEvent";
  const std::lock_guard lock(mutex());
  CUstream_st* const own = stream_at(stream);
  CapturePoint& point = own->point;
  if (event.capture == nullptr) {
    if (point.capture == nullptr) return sticky_error();
    return spoil(*point.capture, cudaErrorStreamCaptureIsolation, CallReason::kEventOfNoCapture,
                 function, here);
  }
  if (!captures().contains(event.capture)) {
    return failed(cudaErrorCapturedEvent, {CallReason::kEventOfEndedCapture}, function, here);
  }
  if (point.capture != nullptr && point.capture != event.capture) {
    point.capture->valid = false;
    return spoil(*event.capture, cudaErrorStreamCaptureMerge, CallReason::kTwoCaptures, function,
                 here);
  }
  point.capture = event.capture;
  point.capture->streams.insert(own);
  keep_last(point.last, event.last);
  return sticky_error();
}

void spoil_capture(cudaStream_t stream) {
  const std::lock_guard lock(mutex());
  if (is_captured(stream)) stream_at(stream)->point.capture->valid = false;
}

void forget_stream(CUstream_st* stream) {
  const std::lock_guard lock(mutex());
  if (stream->point.capture == nullptr) return;
  Capture& capture = *stream->point.capture;
  if (capture.origin == stream) capture.valid = false;
  keep_last(capture.of_destroyed_streams, stream->point.last);
  capture.streams.erase(stream);
}

}  // namespace ladder::glassbox

using namespace ladder::glassbox;

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode, Here here) {
  if (sticky_error() != cudaSuccess) return sticky_error();
  const std::lock_guard lock(mutex());
  CUstream_st* const own = stream_at(stream);
  if (own == legacy_stream()) {
    return failed(cudaErrorStreamCaptureUnsupported, {CallReason::kDefaultStreamCapture},
                  "cudaStreamBeginCapture", here);
  }
  if (own->point.capture != nullptr) {
    return failed(cudaErrorIllegalState, {CallReason::kCapturedAlready}, "cudaStreamBeginCapture",
                  here);
  }
  own->point.capture = std::make_shared<Capture>(Capture{.mode = mode, .origin = own});
  own->point.capture->streams = {own};
  captures().insert(own->point.capture);
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph, Here here) {
  constexpr const char* function = "cudaStreamEndCapture";
  const std::lock_guard lock(mutex());
  *graph = nullptr;
  const std::shared_ptr<Capture> capture = stream_at(stream)->point.capture;
  if (capture == nullptr) {
    return failed(cudaErrorIllegalState, {CallReason::kNoCapture}, function, here);
  }
  if (stream_at(stream) != capture->origin) {
    return spoil(*capture, cudaErrorStreamCaptureUnmatched, CallReason::kCaptureOfOther, function,
                 here);
  }
  const bool unjoined = has_unjoined_work(*capture);
  for (CUstream_st* const each : capture->streams)
    each->point = {};
  captures().erase(capture);
  if (!capture->valid) {
    return failed(cudaErrorStreamCaptureInvalidated, {CallReason::kCaptureSpoilt}, function, here);
  }
  if (unjoined) {
    return failed(cudaErrorStreamCaptureUnjoined, {CallReason::kUnjoinedWork}, function, here);
  }
  *graph = give_graph(std::move(capture->graph));
  return sticky_error();
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  const std::lock_guard lock(mutex());
  const Capture* const capture = stream_at(stream)->point.capture.get();
  *status = capture == nullptr ? cudaStreamCaptureStatusNone
            : capture->valid   ? cudaStreamCaptureStatusActive
                               : cudaStreamCaptureStatusInvalidated;
  return cudaSuccess;
}
