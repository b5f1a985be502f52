// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/graph_calls.hpp
/// \brief CUDA's graphs: nodes that a program adds or captures, and their launch.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "glassbox/runtime/kernel_launch.hpp"
#include "glassbox/runtime/memory_calls.hpp"
#include "glassbox/runtime/stream_calls.hpp"
#include "glassbox/runtime/volume_calls.hpp"

struct CUgraphExec_st;
struct CUgraphNode_st;
using cudaGraphExec_t = CUgraphExec_st*;
using cudaGraphNode_t = CUgraphNode_st*;

namespace ladder::glassbox {

/// A kernel whose type is forgotten, `(void*)kernel`, but not how to read its arguments.
class NodeKernel {
 public:
  using Reader = Work (*)(const void* kernel, LaunchRequest request, void** arguments);

  NodeKernel() = default;
  template <class... Parameters>
  NodeKernel(void (*kernel)(Parameters...))
      : address_(reinterpret_cast<const void*>(kernel)), reader_(&read<Parameters...>) {
    remember();
  }
  NodeKernel(const void* address);  ///< null, or that of a kernel that was named before
  operator void*() const { return const_cast<void*>(address_); }

  bool is_known() const { return reader_ != nullptr; }
  Work with(LaunchRequest request, void** arguments) const {
    request.address = address_;
    return reader_(address_, request, arguments);
  }

 private:
  template <class... Parameters>
  static Work read(const void* kernel, LaunchRequest request, void** arguments) {
    return read_each<Parameters...>(kernel, request, arguments,
                                    std::index_sequence_for<Parameters...>());
  }
  template <class... Parameters, std::size_t... I>
  static Work read_each(const void* kernel, const LaunchRequest& request, void** arguments,
                        std::index_sequence<I...>) {
    return PendingLaunch{request}.as_work(
        reinterpret_cast<void (*)(Parameters...)>(const_cast<void*>(kernel)),
        *static_cast<const std::remove_cvref_t<Parameters>*>(arguments[I])...);
  }
  void remember() const;

  const void* address_ = nullptr;
  Reader reader_ = nullptr;
};

}  // namespace ladder::glassbox

/// What a program calls gridDim and blockDim is renamed, as those are words of kernels.
struct cudaKernelNodeParams {
  ladder::glassbox::NodeKernel func;
  dim3 host_gridDim, host_blockDim;
  unsigned sharedMemBytes;
  void** kernelParams;
  void** extra;
};
struct cudaMemsetParams {
  void* dst;
  std::size_t pitch;
  unsigned value, elementSize;
  std::size_t width, height;
};
struct cudaHostNodeParams {
  cudaHostFn_t fn;
  void* userData;
};

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags,
                            ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaGraphDestroy(cudaGraph_t graph,
                             ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph,
                           ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count,
                              ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node);
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type);

// -- Nodes ------------------------------------------------------------------------------------
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* needs, std::size_t count,
                                   const cudaKernelNodeParams* parameters,
                                   ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* needs, std::size_t count,
                                   const cudaMemcpy3DParms* parameters,
                                   ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaGraphAddMemcpyNode1D(
    cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* needs, std::size_t count,
    void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
    ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* needs, std::size_t count,
                                   const cudaMemsetParams* parameters,
                                   ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* needs, std::size_t count,
                                 const cudaHostNodeParams* parameters,
                                 ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* needs, std::size_t count,
                                  ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaGraphAddChildGraphNode(
    cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* needs, std::size_t count,
    cudaGraph_t child, ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaGraphAddDependencies(
    cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to, std::size_t count,
    ladder::glassbox::Here here = ladder::glassbox::Here::current());
/// As of CUDA 13. The data of edges, which only make a GPU faster, are not used.
struct cudaGraphEdgeData;
inline cudaError_t cudaGraphAddDependencies(
    cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
    const cudaGraphEdgeData*, std::size_t count,
    ladder::glassbox::Here here = ladder::glassbox::Here::current()) {
  return cudaGraphAddDependencies(graph, from, to, count, here);
}

// -- Launches ---------------------------------------------------------------------------------
inline constexpr unsigned cudaGraphInstantiateFlagAutoFreeOnLaunch = 1,
                          cudaGraphInstantiateFlagUpload = 2,
                          cudaGraphInstantiateFlagUseNodePriority = 8;
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                 unsigned long long flags = 0,
                                 ladder::glassbox::Here here = ladder::glassbox::Here::current());
inline cudaError_t cudaGraphInstantiateWithFlags(
    cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long flags = 0,
    ladder::glassbox::Here here = ladder::glassbox::Here::current()) {
  return cudaGraphInstantiate(exec, graph, flags, here);
}
/// As before CUDA 12.
inline cudaError_t cudaGraphInstantiate(
    cudaGraphExec_t* exec, cudaGraph_t graph, cudaGraphNode_t*, char*, std::size_t,
    ladder::glassbox::Here here = ladder::glassbox::Here::current()) {
  return cudaGraphInstantiate(exec, graph, 0, here);
}
cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream,
                            ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec,
                                 ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaGraphExecKernelNodeSetParams(
    cudaGraphExec_t exec, cudaGraphNode_t node, const cudaKernelNodeParams* parameters,
    ladder::glassbox::Here here = ladder::glassbox::Here::current());

enum cudaGraphExecUpdateResult {
  cudaGraphExecUpdateSuccess,
  cudaGraphExecUpdateError,
  cudaGraphExecUpdateErrorTopologyChanged,
  cudaGraphExecUpdateErrorNodeTypeChanged,
};
struct cudaGraphExecUpdateResultInfo {
  cudaGraphExecUpdateResult result;
  cudaGraphNode_t errorNode, errorFromNode;
};
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* info,
                                ladder::glassbox::Here here = ladder::glassbox::Here::current());
/// As before CUDA 12.
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t* node,
                                cudaGraphExecUpdateResult* result,
                                ladder::glassbox::Here here = ladder::glassbox::Here::current());
