// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/host_functions.hpp
/// \brief Addresses of functions that the host takes. On a GPU a function of both sides is two, and
///        of a `__device__` function the host has nothing but a stub: no kernel can call either.
#pragma once

#include <type_traits>

#include "glassbox/runtime/error_codes.hpp"

namespace ladder::glassbox {

/// \brief  Where the host took it first, for the report.
/// \return false: a kernel takes it
bool note_taken(const void* function, const char* name, const Here& here);
/// Ends the kernel that calls it by such an address.
void require_host(const void* function);

/// \brief What the host gets in place of a function: its address is another one than the device
///        takes, and whoever calls it there is told.
template <auto kFunction, class Type = std::remove_pointer_t<decltype(kFunction)>>
struct HostFunction {
  static constexpr auto address = kFunction;  // of no function: a member
};
template <auto kFunction, class Result, class... Parameters>
struct HostFunction<kFunction, Result(Parameters...)> {
  [[gnu::noinline, gnu::no_sanitize("thread")]] static Result call(Parameters... parameters) {
    require_host(reinterpret_cast<const void*>(kFunction));
    return kFunction(static_cast<Parameters&&>(parameters)...);
  }
  static constexpr auto address = &call;
};
template <auto kFunction, class Result, class... Parameters>
struct HostFunction<kFunction, Result(Parameters...) noexcept>
    : HostFunction<kFunction, Result(Parameters...)> {};

template <auto kFunction>
[[gnu::no_sanitize("thread")]] constexpr auto taken_on_host(const char* name,
                                                            const Here& here = Here::current()) {
  auto address = HostFunction<kFunction>::address;
  if (!std::is_constant_evaluated() && !note_taken((const void*)kFunction, name, here))
    address = kFunction;
  return address;
}

}  // namespace ladder::glassbox
