// SPDX-License-Identifier: MIT
/// \file  common/side_aware/context.cpp
#include "common/side_aware/context.hpp"

#include <string>

namespace ladder::side_aware {

Context::Context(const CudaApi& api, int device) : api_(api) {
  api_.check(api_.device_get(&device_, device));
  if (attribute(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED) == 0) {
    throw SideAwareError("GPU " + std::to_string(device) +
                         " cannot map memory page by page, which side-aware memory needs");
  }
  api_.check(api_.retain_context(&context_, device_));
}

int Context::attribute(CUdevice_attribute which) const {
  int value = 0;
  api_.check(api_.device_attribute(&value, which, device_));
  return value;
}

int Context::compute_capability() const {
  return 10 * attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
         attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
}

ContextScope::ContextScope(const Context& context) : api_(context.api()) {
  api_.check(api_.get_context(&before_));
  changed_ = before_ != context.handle();
  if (changed_) api_.check(api_.set_context(context.handle()));
}

ContextScope::~ContextScope() {
  if (changed_) api_.set_context(before_);
}

DeviceBytes::DeviceBytes(const CudaApi& api, std::size_t bytes) : api_(api), bytes_(bytes) {
  api_.check(api_.alloc(&address_, bytes));
  api_.check(api_.fill_bytes(address_, 0, bytes));
  api_.check(api_.synchronize_stream(nullptr));  // other streams do not wait for it
}

DeviceBytes::~DeviceBytes() {
  api_.free(address_);
}

Module::Module(const CudaApi& api, const std::vector<char>& code) : api_(api) {
  api_.check(api_.load_module(&module_, code.data()));
}

Module::~Module() {
  api_.unload_module(module_);
}

CUfunction Module::function(const char* name) const {
  CUfunction found = nullptr;
  api_.check(api_.module_function(&found, module_, name));
  return found;
}

void Module::read(const char* name, void* value, std::size_t bytes) const {
  CUdeviceptr address = 0;
  std::size_t size = 0;
  api_.check(api_.module_variable(&address, &size, module_, name));
  if (size != bytes)
    throw SideAwareError(std::string("The variable ") + name + " of a kernel has another size");
  api_.check(api_.to_host(value, address, bytes));
}

}  // namespace ladder::side_aware
