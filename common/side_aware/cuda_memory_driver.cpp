// SPDX-License-Identifier: MIT
/// \file  common/side_aware/cuda_memory_driver.cpp
#include "common/side_aware/cuda_memory_driver.hpp"

#include <string>

namespace ladder::side_aware {
namespace {

CUevent event_of(EventHandle handle) {
  return reinterpret_cast<CUevent>(handle);
}

}  // namespace

CudaMemoryDriver::CudaMemoryDriver(const Context& context)
    : context_(context), api_(context.api()) {
  const ContextScope scope(context_);
  const CUmemAllocationProp wanted = properties();
  std::size_t granularity = 0;
  api_.check(api_.granularity(&granularity, &wanted, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  if (kPageBytes % granularity != 0) {
    throw SideAwareError("This GPU maps memory in pieces of " + std::to_string(granularity) +
                         " bytes; side-aware memory works with pages of 2 MiB");
  }
  const PageHandle page = create_page();
  const Address at = reserve(kPageBytes);
  map(at, page);
  allow_access(at, kPageBytes);
  probe_ = std::make_unique<SideProbe>(context_, at);
  unmap(at, kPageBytes);
  release(at, kPageBytes);
  destroy_page(page);
}

CUmemAllocationProp CudaMemoryDriver::properties() const {
  CUmemAllocationProp wanted = {};
  wanted.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  wanted.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  wanted.location.id = context_.device();
  return wanted;
}

Address CudaMemoryDriver::reserve(std::uint64_t bytes) {
  const ContextScope scope(context_);
  CUdeviceptr first = 0;
  api_.check(api_.reserve(&first, bytes, kPageBytes, 0, 0));
  return first;
}

void CudaMemoryDriver::release(Address first, std::uint64_t bytes) {
  const ContextScope scope(context_);
  api_.check(api_.release_addresses(first, bytes));
}

PageHandle CudaMemoryDriver::create_page() {
  const ContextScope scope(context_);
  const CUmemAllocationProp wanted = properties();
  CUmemGenericAllocationHandle page = 0;
  api_.check(api_.create(&page, kPageBytes, &wanted, 0));
  return page;
}

void CudaMemoryDriver::destroy_page(PageHandle page) {
  const ContextScope scope(context_);
  api_.check(api_.release(page));
}

void CudaMemoryDriver::map(Address at, PageHandle page) {
  const ContextScope scope(context_);
  api_.check(api_.map(at, kPageBytes, 0, page, 0));
}

void CudaMemoryDriver::unmap(Address first, std::uint64_t bytes) {
  const ContextScope scope(context_);
  api_.check(api_.unmap(first, bytes));
}

void CudaMemoryDriver::allow_access(Address first, std::uint64_t bytes) {
  const ContextScope scope(context_);
  CUmemAccessDesc access = {};
  access.location = properties().location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  api_.check(api_.set_access(first, bytes, &access, 1));
}

std::vector<int> CudaMemoryDriver::sides_of_pages(Address first, std::size_t pages) {
  constexpr int kRepeats = 3;  // their median: one that is disturbed does not count
  const ContextScope scope(context_);
  std::vector<Address> addresses;
  for (std::size_t page = 0; page < pages; ++page)
    addresses.push_back(first + page * kPageBytes);
  return probe_->sides_of(addresses, kRepeats);
}

EventHandle CudaMemoryDriver::record(Stream stream) {
  const ContextScope scope(context_);
  CUevent event = nullptr;
  api_.check(api_.create_event(&event, CU_EVENT_DISABLE_TIMING));
  api_.check(api_.record_event(event, stream));
  return reinterpret_cast<EventHandle>(event);
}

bool CudaMemoryDriver::has_passed(EventHandle event) {
  const ContextScope scope(context_);
  const CUresult result = api_.query_event(event_of(event));
  if (result == CUDA_ERROR_NOT_READY) return false;
  api_.check(result);
  return true;
}

void CudaMemoryDriver::wait(EventHandle event) {
  const ContextScope scope(context_);
  api_.check(api_.wait_for_event(event_of(event)));
}

void CudaMemoryDriver::make_wait(Stream stream, EventHandle event) {
  const ContextScope scope(context_);
  api_.check(api_.stream_wait(stream, event_of(event), CU_EVENT_WAIT_DEFAULT));
}

void CudaMemoryDriver::destroy_event(EventHandle event) {
  const ContextScope scope(context_);
  api_.check(api_.destroy_event(event_of(event)));
}

}  // namespace ladder::side_aware
