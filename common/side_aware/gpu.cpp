// SPDX-License-Identifier: MIT
/// \file  common/side_aware/gpu.cpp
#include "common/side_aware/gpu.hpp"

#include <algorithm>

#include "common/side_aware/kernels/work_split.hpp"
#include "common/side_aware/runtime_compiler.hpp"

namespace ladder::side_aware {
namespace {

/// Of a workspace: claims, the result, then a partial sum for each slot.
constexpr std::size_t kSumAt = 128;
constexpr std::size_t kPartialSumsAt = 256;
constexpr std::size_t kMostSumBytes = 16;
constexpr unsigned kMostBlocksPerSm = 8;  // of 256 threads

std::vector<char> code_of(const Context& context, const Operation& operation) {
  return compile(elementwise_source(operation), operation.name, context.compute_capability());
}

}  // namespace

ElementwiseKernel::ElementwiseKernel(const Context& context, const Operation& operation)
    : module_(context.api(), code_of(context, operation)),
      aligned_(module_.function(kAlignedKernel)),
      anywhere_(module_.function(kAnywhereKernel)) {
  module_.read("operation_shape", &shape_, sizeof shape_);
  const CudaApi& api = context.api();
  most_blocks_per_sm_ = kMostBlocksPerSm;
  for (const CUfunction each : {aligned_, anywhere_}) {
    int blocks = 0;
    api.check(api.most_blocks_per_sm(&blocks, each, static_cast<int>(kThreads), 0));
    most_blocks_per_sm_ = std::min(most_blocks_per_sm_, static_cast<unsigned>(std::max(1, blocks)));
  }
}

Gpu::Gpu(int device) : context_(api_, device), driver_(context_), allocator_(driver_) {
  const ContextScope scope(context_);
  const std::vector<int>& sides = this->sides().of_sm;
  side_of_sm_ = std::make_unique<DeviceBytes>(api_, sides.size());
  side_of_sm_->write(std::vector<unsigned char>(sides.begin(), sides.end()));
}

const ElementwiseKernel& Gpu::kernel(const Operation& operation) {
  const ContextScope scope(context_);
  const std::scoped_lock lock(mutex_);
  auto& kernel = kernels_[operation.name + "\n" + operation.header];
  if (!kernel) kernel = std::make_unique<ElementwiseKernel>(context_, operation);
  return *kernel;
}

Gpu::Workspace& Gpu::workspace_of(Stream stream) {
  auto& workspace = workspaces_[stream];
  if (!workspace) {
    const auto slots = static_cast<std::size_t>(context_.sms()) * kMostBlocksPerSm + 2;
    workspace = std::make_unique<Workspace>(api_, kPartialSumsAt + slots * kMostSumBytes);
  }
  return *workspace;
}

void Gpu::elementwise(const ElementwiseKernel& kernel, const Arrays& arrays,
                      const LaunchOptions& options, Stream stream) {
  if (arrays.elements == 0 && kernel.shape().sum_bytes == 0) return;
  const ContextScope scope(context_);
  const Address lead = kernel.shape().leads_with_output != 0 ? arrays.outputs[0] : arrays.inputs[0];
  const unsigned blocks_per_sm = std::clamp(options.blocks_per_sm, 1u, kernel.most_blocks_per_sm());
  LaunchPlan plan = plan_launch(kernel.shape(), arrays, allocator_.rule_of(lead), sides(),
                                options.assignment, blocks_per_sm);
  const std::scoped_lock lock(mutex_);
  Workspace& workspace = workspace_of(stream);
  ElementwiseArguments& arguments = plan.arguments;
  if (!plan.page_flags.empty()) {
    // Rare, and the launch before may still read its flags.
    api_.check(api_.synchronize_stream(stream));
    const std::size_t bytes = plan.page_flags.size() * sizeof(unsigned);
    if (!workspace.flags || workspace.flags->bytes() < bytes)
      workspace.flags = std::make_unique<DeviceBytes>(api_, bytes);
    workspace.flags->write(plan.page_flags);
    arguments.page_flags = workspace.flags->as<const unsigned>();
  }
  arguments.side_of_sm = side_of_sm_->as<const unsigned char>();
  arguments.claims = workspace.memory.as<unsigned>();
  arguments.sum = workspace.memory.as<char>() + kSumAt;
  arguments.partial_sums = workspace.memory.as<char>() + kPartialSumsAt;
  arguments.sideband = options.sideband;
  void* parameters[] = {&arguments};
  api_.check(api_.launch(kernel.function(plan.aligned), plan.blocks, 1, 1, kThreads, 1, 1, 0,
                         stream, parameters, nullptr));
}

void Gpu::read_sum(void* sum, std::size_t bytes, Stream stream) {
  const ContextScope scope(context_);
  const std::scoped_lock lock(mutex_);
  api_.check(api_.synchronize_stream(stream));
  api_.check(api_.to_host(sum, workspace_of(stream).memory.address() + kSumAt, bytes));
}

}  // namespace ladder::side_aware
