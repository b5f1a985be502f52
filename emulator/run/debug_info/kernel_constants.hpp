// SPDX-License-Identifier: MIT
/// \file  emulator/run/debug_info/kernel_constants.hpp
/// \brief A kernel's name and the whole numbers that its source fixes, from its library's debug
///        information.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ladder::emulator {

/// "BM", 128
struct NamedNumber {
  std::string name;
  std::int64_t value;
};

/// What a kernel was compiled with, in the order of its source.
struct KernelConstants {
  std::string function;                         ///< "kernel", without template arguments
  std::vector<NamedNumber> template_arguments;  ///< of kernel<128, 256>
  std::vector<NamedNumber> locals;              ///< const numbers of its body
  std::vector<NamedNumber> constants;           ///< constexpr numbers of its namespace
};

/// \brief  Describes the kernel at this address of emulated machine code.
/// \return empty if its library has no debug information
KernelConstants kernel_constants_of(const void* kernel);

}  // namespace ladder::emulator
