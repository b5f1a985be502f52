// SPDX-License-Identifier: MIT
/// \file  common/side_aware/cuda_memory_driver.hpp
/// \brief The memory driver of a real GPU: CUDA's virtual memory management, and a probe for sides.
#pragma once

#include <memory>

#include "common/side_aware/context.hpp"
#include "common/side_aware/memory_driver.hpp"
#include "common/side_aware/side_probe.hpp"

namespace ladder::side_aware {

class CudaMemoryDriver final : public MemoryDriver {
 public:
  /// Finds out the GPU's sides, which takes a fraction of a second.
  explicit CudaMemoryDriver(const Context& context);

  const SideProbe& probe() const { return *probe_; }

  Address reserve(std::uint64_t bytes) override;
  void release(Address first, std::uint64_t bytes) override;
  PageHandle create_page() override;
  void destroy_page(PageHandle page) override;
  void map(Address at, PageHandle page) override;
  void unmap(Address first, std::uint64_t bytes) override;
  void allow_access(Address first, std::uint64_t bytes) override;
  std::vector<int> sides_of_pages(Address first, std::size_t pages) override;
  EventHandle record(Stream stream) override;
  bool has_passed(EventHandle event) override;
  void wait(EventHandle event) override;
  void make_wait(Stream stream, EventHandle event) override;
  void destroy_event(EventHandle event) override;

 private:
  CUmemAllocationProp properties() const;

  const Context& context_;
  const CudaApi& api_;
  std::unique_ptr<SideProbe> probe_;
};

}  // namespace ladder::side_aware
