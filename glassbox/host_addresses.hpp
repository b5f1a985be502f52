// SPDX-License-Identifier: MIT
/// \file  glassbox/host_addresses.hpp
/// \brief Addresses of the device's functions that functions of the host take.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "glassbox/source_tokens.hpp"

namespace ladder::glassbox {

/// What such an address becomes: a macro of cuda_headers/cuda_runtime.h.
constexpr const char* kTakenOnHost = "LADDER_TAKEN_ON_HOST";
/// With this the macro says what the program says, for compilers that do not take the other.
constexpr const char* kPlainAddresses = "LADDER_PLAIN_ADDRESSES";

/// The names of a source's functions with `__device__`, the host's or not, that are no kernels.
std::set<std::string> functions_of_device(const std::string& source);

/// \brief Marks where a function of the host names one of these and does not call it.
/// \param functions  of all the program's files
std::vector<Change> addresses_on_host(const std::string& source,
                                      const std::set<std::string>& functions);

}  // namespace ladder::glassbox
