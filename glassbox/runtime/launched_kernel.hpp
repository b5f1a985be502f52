// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/launched_kernel.hpp
/// \brief Which kernel a launch calls whose source names a pointer: `kernel<<<...>>>` in a function
///        that is given one, cudaLaunchKernelEx(&config, kernel, ...).
#pragma once

#include <string>
#include <type_traits>

namespace ladder::glassbox {

struct LaunchRequest;

/// \brief The kernel itself, or the one pointer that the lambda around its call has caught. Null if
///        the launch names a kernel: then there is nothing to catch.
template <class Kernel>
const void* address_in(const Kernel& kernel) {
  if constexpr (std::is_pointer_v<Kernel>) {
    return reinterpret_cast<const void*>(kernel);
  } else if constexpr (!std::is_empty_v<Kernel> && sizeof(Kernel) == sizeof(void*)) {
    const void* word;
    __builtin_memcpy(&word, &kernel, sizeof word);
    return word;
  } else {
    return nullptr;
  }
}

/// \brief The request with the address and the name of the function that begins at `address`; as
///        it is if none does.
LaunchRequest identified(LaunchRequest request, const void* address);

/// "sums::add<256>" of the function that begins there, behind what a template returns; else empty.
std::string name_of_function(const void* address);

/// What reports call the kernel.
const char* name_of(const LaunchRequest& request);

}  // namespace ladder::glassbox
