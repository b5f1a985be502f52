// SPDX-License-Identifier: MIT
#include "glassbox/runtime/graph_calls.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <ranges>
#include <set>

#include "glassbox/runtime/call_problem.hpp"
#include "glassbox/runtime/graph.hpp"
#include "glassbox/runtime/stream_capture.hpp"

/// A graph that can be launched, whatever becomes of the graph that it was made of.
struct CUgraphExec_st {
  struct Step {
    const CUgraphNode_st* node;  ///< that it was made of
    cudaGraphNodeType type;
    ladder::glassbox::Work work;
    std::vector<std::size_t> needs;
  };
  std::vector<Step> steps;  ///< as the nodes were added
  std::vector<std::size_t> order;
  ladder::glassbox::Clock done = {};  ///< once its last launch is: they do not overlap
};

namespace ladder::glassbox {
namespace {

/// The objects of a kind that were made and not destroyed.
template <class T>
class Live {
 public:
  T* add(std::unique_ptr<T> object) {
    const std::lock_guard lock(mutex_);
    T* const address = object.get();
    objects_[address] = std::move(object);
    return address;
  }
  bool has(const T* object) {
    const std::lock_guard lock(mutex_);
    return objects_.contains(object);
  }
  bool remove(const T* object) {
    const std::lock_guard lock(mutex_);
    return objects_.erase(object) > 0;
  }

 private:
  std::mutex mutex_;
  std::map<const T*, std::unique_ptr<T>> objects_;
};

Live<CUgraph_st>& graphs() {
  static auto* const all = new Live<CUgraph_st>();
  return *all;
}

Live<CUgraphExec_st>& execs() {
  static auto* const all = new Live<CUgraphExec_st>();
  return *all;
}

cudaError_t invalid(const char* function, const CallProblem& problem, const Here& here) {
  return failed(cudaErrorInvalidValue, problem, function, here);
}

cudaError_t require_graph(const char* function, cudaGraph_t graph, const Here& here) {
  if (sticky_error() != cudaSuccess) return sticky_error();
  if (graphs().has(graph)) return cudaSuccess;
  return invalid(function, {CallReason::kNoGraph}, here);
}

cudaError_t require_exec(const char* function, cudaGraphExec_t exec, const Here& here) {
  if (sticky_error() != cudaSuccess) return sticky_error();
  if (execs().has(exec)) return cudaSuccess;
  return invalid(function, {CallReason::kNoExec}, here);
}

bool has_node(const CUgraph_st& graph, const CUgraphNode_st* node) {
  return std::ranges::any_of(graph.nodes,
                             [&](const CUgraphNode_st& each) { return &each == node; });
}

std::size_t index_of(const CUgraph_st& graph, const CUgraphNode_st* node) {
  std::size_t i = 0;
  for (const CUgraphNode_st& each : graph.nodes) {
    if (&each == node) return i;
    ++i;
  }
  return i;
}

/// Adds a node whose work is known to be good.
cudaError_t add_node(const char* function, cudaGraphNode_t* node, cudaGraph_t graph,
                     const cudaGraphNode_t* needs, std::size_t count, cudaGraphNodeType type,
                     const Work& work, const Here& here) {
  const cudaError_t error = require_graph(function, graph, here);
  if (error != cudaSuccess) return error;
  std::vector<CUgraphNode_st*> all;
  for (std::size_t i = 0; i < count; ++i) {
    if (!has_node(*graph, needs[i])) return invalid(function, {CallReason::kForeignNode}, here);
    if (std::ranges::find(all, needs[i]) != all.end())
      return invalid(function, {CallReason::kNodeTwice}, here);
    all.push_back(needs[i]);
  }
  *node = graph->add(type, work, all);
  return cudaSuccess;
}

/// \brief  An order in which every step comes behind what it needs. Of the steps whose turn may
///         have come, the one that was added last goes first: where a dependency is missing, it
///         shows.
/// \return fewer steps if they need each other in a circle
std::vector<std::size_t> order_of(const std::vector<CUgraphExec_st::Step>& steps) {
  std::vector<std::size_t> missing(steps.size());
  std::set<std::size_t> ready;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    missing[i] = steps[i].needs.size();
    if (missing[i] == 0) ready.insert(i);
  }
  std::vector<std::size_t> order;
  while (!ready.empty()) {
    const std::size_t next = *ready.rbegin();
    ready.erase(next);
    order.push_back(next);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (std::ranges::find(steps[i].needs, next) != steps[i].needs.end() && --missing[i] == 0)
        ready.insert(i);
    }
  }
  return order;
}

std::vector<CUgraphExec_st::Step> steps_of(const CUgraph_st& graph) {
  std::vector<CUgraphExec_st::Step> steps;
  for (const CUgraphNode_st& node : graph.nodes) {
    CUgraphExec_st::Step step = {&node, node.type, node.work, {}};
    for (const CUgraphNode_st* const need : node.needs)
      step.needs.push_back(index_of(graph, need));
    steps.push_back(std::move(step));
  }
  return steps;
}

/// For each step, all that come before it.
std::shared_ptr<const GraphRun::Before> before_each(const CUgraphExec_st& exec) {
  const std::size_t count = exec.steps.size();
  auto before = std::make_shared<GraphRun::Before>(count, std::vector<bool>(count));
  for (const std::size_t i : exec.order) {
    for (const std::size_t need : exec.steps[i].needs) {
      (*before)[i][need] = true;
      for (std::size_t j = 0; j < count; ++j)
        (*before)[i][j] = (*before)[i][j] || (*before)[need][j];
    }
  }
  return before;
}

/// All of a graph's work, done as often as it is called.
Work work_of(const CUgraphExec_st& exec) {
  return [steps = exec.steps, order = exec.order, before = before_each(exec)] {
    GraphTurn turn(before);
    for (const std::size_t i : order) {
      turn.go_to(i);
      const cudaError_t error = steps[i].work();
      if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
  };
}

/// Known by their address once they were named with their type.
std::map<const void*, NodeKernel>& known_kernels() {
  static auto* const all = new std::map<const void*, NodeKernel>();
  return *all;
}

/// \brief  The launch that a kernel node's parameters describe.
/// \return empty after an error, which was told
Work launch_of(const char* function, const cudaKernelNodeParams& parameters, const Here& here) {
  if (!parameters.func.is_known()) {
    failed(cudaErrorInvalidDeviceFunction, {CallReason::kNoKernel}, function, here);
    return {};
  }
  const LaunchRequest request = identified({.kernel = "kernel of a graph",
                                            .grid = parameters.host_gridDim,
                                            .block = parameters.host_blockDim,
                                            .dynamic_shared_bytes = parameters.sharedMemBytes,
                                            .cooperative = false,
                                            .here = here},
                                           static_cast<void*>(parameters.func));
  if (require_shape(request) != cudaSuccess) return {};
  if (parameters.extra != nullptr) {
    failed(cudaErrorNotSupported, {CallReason::kExtraArguments}, function, here);
    return {};
  }
  return parameters.func.with(request, parameters.kernelParams);
}

/// Elements of 1, 2 or 4 bytes, row after row.
cudaError_t fill_elements(const cudaMemsetParams& parameters, const Here& here) {
  const std::size_t row = parameters.width * parameters.elementSize;
  for (std::size_t y = 0; y < parameters.height; ++y) {
    auto* const to = static_cast<std::byte*>(parameters.dst) + y * parameters.pitch;
    const cudaError_t error = fill_pattern(to, parameters.value, parameters.elementSize, row, here);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

/// Gives the steps the work of a graph of the same form.
cudaGraphExecUpdateResult update(CUgraphExec_st& exec, const CUgraph_st& graph) {
  const std::vector<CUgraphExec_st::Step> steps = steps_of(graph);
  if (steps.size() != exec.steps.size()) return cudaGraphExecUpdateErrorTopologyChanged;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].needs != exec.steps[i].needs) return cudaGraphExecUpdateErrorTopologyChanged;
    if (steps[i].type != exec.steps[i].type) return cudaGraphExecUpdateErrorNodeTypeChanged;
  }
  for (std::size_t i = 0; i < steps.size(); ++i)
    exec.steps[i].work = steps[i].work;
  return cudaGraphExecUpdateSuccess;
}

}  // namespace

cudaGraph_t give_graph(std::unique_ptr<CUgraph_st> graph) {
  WorkOrder::instance().expect_streams();
  return graphs().add(std::move(graph));
}

NodeKernel::NodeKernel(const void* address) {
  const auto known = known_kernels().find(address);
  if (known != known_kernels().end()) *this = known->second;
}

void NodeKernel::remember() const {
  known_kernels()[address_] = *this;
}

}  // namespace ladder::glassbox

using namespace ladder::glassbox;

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags, Here here) {
  if (sticky_error() != cudaSuccess) return sticky_error();
  if (flags != 0) return invalid("cudaGraphCreate", {CallReason::kGraphFlags}, here);
  *graph = give_graph(std::make_unique<CUgraph_st>());
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph, Here here) {
  const cudaError_t error = require_graph("cudaGraphDestroy", graph, here);
  if (error == cudaSuccess) graphs().remove(graph);
  return error;
}

cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph, Here here) {
  const cudaError_t error = require_graph("cudaGraphClone", graph, here);
  if (error != cudaSuccess) return error;
  auto copy = std::make_unique<CUgraph_st>();
  std::map<const CUgraphNode_st*, CUgraphNode_st*> copies;
  for (const CUgraphNode_st& node : graph->nodes)
    copies[&node] = copy->add(node.type, node.work, {});
  for (const CUgraphNode_st& node : graph->nodes) {
    for (const CUgraphNode_st* const need : node.needs)
      copies[&node]->needs.push_back(copies[need]);
  }
  *clone = give_graph(std::move(copy));
  return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count,
                              Here here) {
  const cudaError_t error = require_graph("cudaGraphGetNodes", graph, here);
  if (error != cudaSuccess) return error;
  const std::size_t all = graph->nodes.size();
  if (nodes != nullptr) {
    std::fill_n(nodes, *count, nullptr);
    *count = std::min(*count, all);
    std::ranges::transform(graph->nodes | std::views::take(*count), nodes,
                           [](CUgraphNode_st& node) { return &node; });
  } else {
    *count = all;
  }
  return cudaSuccess;
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  CUgraph_st* const graph = node->graph;
  for (CUgraphNode_st& other : graph->nodes)
    std::erase(other.needs, node);
  graph->nodes.remove_if([&](const CUgraphNode_st& other) { return &other == node; });
  return sticky_error();
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  *type = node->type;
  return sticky_error();
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* needs, std::size_t count,
                                   const cudaKernelNodeParams* parameters, Here here) {
  const Work work = launch_of("cudaGraphAddKernelNode", *parameters, here);
  if (!work) return cudaPeekAtLastError();
  return add_node("cudaGraphAddKernelNode", node, graph, needs, count, cudaGraphNodeTypeKernel,
                  work, here);
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* needs, std::size_t count,
                                   const cudaMemcpy3DParms* parameters, Here here) {
  return add_node(
      "cudaGraphAddMemcpyNode", node, graph, needs, count, cudaGraphNodeTypeMemcpy,
      [copy = *parameters, here] { return copy_volume(copy, here); }, here);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* needs, std::size_t count, void* to,
                                     const void* from, std::size_t bytes, cudaMemcpyKind kind,
                                     Here here) {
  const cudaError_t error = require_copy("cudaGraphAddMemcpyNode1D", to, from, bytes, kind, here);
  if (error != cudaSuccess) return error;
  return add_node(
      "cudaGraphAddMemcpyNode1D", node, graph, needs, count, cudaGraphNodeTypeMemcpy,
      [=] { return copy(to, from, bytes, kind, here); }, here);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* needs, std::size_t count,
                                   const cudaMemsetParams* parameters, Here here) {
  const unsigned size = parameters->elementSize;
  if (size != 1 && size != 2 && size != 4) {
    return invalid("cudaGraphAddMemsetNode", {CallReason::kElementSize, {{"bytes", size}}}, here);
  }
  const cudaError_t error =
      require_fill("cudaGraphAddMemsetNode", parameters->dst, parameters->width * size, here);
  if (error != cudaSuccess) return error;
  return add_node(
      "cudaGraphAddMemsetNode", node, graph, needs, count, cudaGraphNodeTypeMemset,
      [all = *parameters, here] { return fill_elements(all, here); }, here);
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* needs, std::size_t count,
                                 const cudaHostNodeParams* parameters, Here here) {
  return add_node(
      "cudaGraphAddHostNode", node, graph, needs, count, cudaGraphNodeTypeHost,
      [all = *parameters, here] {
        WorkOrder::instance().run_host_function("host node", here, [&] { all.fn(all.userData); });
        return sticky_error();
      },
      here);
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* needs, std::size_t count, Here here) {
  return add_node(
      "cudaGraphAddEmptyNode", node, graph, needs, count, cudaGraphNodeTypeEmpty,
      [] { return sticky_error(); }, here);
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* needs, std::size_t count,
                                       cudaGraph_t child, Here here) {
  const cudaError_t error = require_graph("cudaGraphAddChildGraphNode", child, here);
  if (error != cudaSuccess) return error;
  CUgraphExec_st all = {.steps = steps_of(*child), .order = {}};
  all.order = order_of(all.steps);
  return add_node("cudaGraphAddChildGraphNode", node, graph, needs, count, cudaGraphNodeTypeGraph,
                  work_of(all), here);
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, std::size_t count, Here here) {
  const cudaError_t error = require_graph("cudaGraphAddDependencies", graph, here);
  if (error != cudaSuccess) return error;
  for (std::size_t i = 0; i < count; ++i) {
    if (!has_node(*graph, from[i]) || !has_node(*graph, to[i]))
      return invalid("cudaGraphAddDependencies", {CallReason::kForeignNode}, here);
    if (std::ranges::find(to[i]->needs, from[i]) != to[i]->needs.end() || to[i] == from[i]) {
      return invalid("cudaGraphAddDependencies",
                     {to[i] == from[i] ? CallReason::kNeedsItself : CallReason::kNeededAlready},
                     here);
    }
    to[i]->needs.push_back(from[i]);
  }
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long,
                                 Here here) {
  const cudaError_t error = require_graph("cudaGraphInstantiate", graph, here);
  if (error != cudaSuccess) return error;
  auto made = std::make_unique<CUgraphExec_st>();
  made->steps = steps_of(*graph);
  made->order = order_of(made->steps);
  if (made->order.size() < made->steps.size())
    return invalid("cudaGraphInstantiate", {CallReason::kCircle}, here);
  *exec = execs().add(std::move(made));
  return cudaSuccess;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) {
  return sticky_error();
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream, Here here) {
  cudaError_t error = require_exec("cudaGraphLaunch", exec, here);
  if (error == cudaSuccess) error = require_outside_capture(stream, "cudaGraphLaunch", here);
  if (error != cudaSuccess) return error;
  WorkOrder& order = WorkOrder::instance();
  StreamPosition& position = stream_at(stream)->position;
  order.wait(position, exec->done);
  error = submit(stream, cudaGraphNodeTypeGraph, "cudaGraphLaunch", here, work_of(*exec));
  exec->done = order.record(position);
  return error;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec, Here here) {
  const cudaError_t error = require_exec("cudaGraphExecDestroy", exec, here);
  if (error == cudaSuccess) execs().remove(exec);
  return error;
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* parameters, Here here) {
  const char* const function = "cudaGraphExecKernelNodeSetParams";
  const cudaError_t error = require_exec(function, exec, here);
  if (error != cudaSuccess) return error;
  const auto step = std::ranges::find(exec->steps, node, &CUgraphExec_st::Step::node);
  if (step == exec->steps.end() || step->type != cudaGraphNodeTypeKernel) {
    return invalid(function, {CallReason::kNoKernelNode}, here);
  }
  const Work work = launch_of(function, *parameters, here);
  if (!work) return cudaPeekAtLastError();
  step->work = work;
  return cudaSuccess;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* info, Here here) {
  *info = {};
  return cudaGraphExecUpdate(exec, graph, &info->errorNode, &info->result, here);
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t* node,
                                cudaGraphExecUpdateResult* result, Here here) {
  cudaError_t error = require_exec("cudaGraphExecUpdate", exec, here);
  if (error == cudaSuccess) error = require_graph("cudaGraphExecUpdate", graph, here);
  if (error != cudaSuccess) return error;
  *node = nullptr;
  *result = update(*exec, *graph);
  if (*result == cudaGraphExecUpdateSuccess) return cudaSuccess;
  return failed(cudaErrorGraphExecUpdateFailure, {CallReason::kOtherGraph}, "cudaGraphExecUpdate",
                here);
}
