// SPDX-License-Identifier: MIT
/// \file  common/side_aware/gpu.hpp
/// \brief Side-aware memory and kernels of one GPU: what programs use.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "common/side_aware/allocator.hpp"
#include "common/side_aware/cuda_memory_driver.hpp"
#include "common/side_aware/elementwise_source.hpp"
#include "common/side_aware/launch_plan.hpp"

namespace ladder::side_aware {

/// An operation, compiled for a GPU.
class ElementwiseKernel {
 public:
  /// \throws SideAwareError  the operation does not compile; holds the compiler's messages
  ElementwiseKernel(const Context& context, const Operation& operation);

  const OperationShape& shape() const { return shape_; }
  CUfunction function(bool aligned) const { return aligned ? aligned_ : anywhere_; }
  /// Blocks that an SM holds at once, of either kernel.
  unsigned most_blocks_per_sm() const { return most_blocks_per_sm_; }

 private:
  Module module_;
  CUfunction aligned_;
  CUfunction anywhere_;
  OperationShape shape_ = {};
  unsigned most_blocks_per_sm_ = 1;
};

/// How a kernel is started.
struct LaunchOptions {
  Assignment assignment = Assignment::right;
  Sideband sideband = {};
  unsigned blocks_per_sm = 4;  ///< fewer if an SM does not hold so many
};

class Gpu {
 public:
  /// \throws SideAwareError  no such GPU, no driver, no NVRTC
  explicit Gpu(int device = 0);

  const GpuSides& sides() const { return driver_.probe().sides(); }
  const SideProbe& probe() const { return driver_.probe(); }
  const Context& context() const { return context_; }
  Allocator& allocator() { return allocator_; }

  /// \brief  Compiles an operation, or returns it if that was done before.
  const ElementwiseKernel& kernel(const Operation& operation);

  /// \brief  Works on all elements of some arrays. Where the leading one is no side-aware memory,
  ///         the assignment is off. Launches of one stream share their workspace, so replay a graph
  ///         on the stream where it was recorded.
  /// \throws SideAwareError  arrays that do not fit the operation; CUDA's errors
  void elementwise(const ElementwiseKernel& kernel, const Arrays& arrays,
                   const LaunchOptions& options, Stream stream);
  /// Copies the result of a reduction, after the stream's work.
  void read_sum(void* sum, std::size_t bytes, Stream stream);

 private:
  struct Workspace {
    explicit Workspace(const CudaApi& api, std::size_t bytes) : memory(api, bytes) {}
    DeviceBytes memory;
    std::unique_ptr<DeviceBytes> flags;
  };
  Workspace& workspace_of(Stream stream);

  CudaApi api_;
  Context context_;
  CudaMemoryDriver driver_;
  Allocator allocator_;
  std::unique_ptr<DeviceBytes> side_of_sm_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<ElementwiseKernel>> kernels_;
  std::map<Stream, std::unique_ptr<Workspace>> workspaces_;
};

}  // namespace ladder::side_aware
