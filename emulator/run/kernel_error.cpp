// SPDX-License-Identifier: MIT
#include "emulator/run/kernel_error.hpp"

#include <utility>

namespace ladder::emulator {

KernelError::KernelError(Fault fault)
    : std::runtime_error(text_of(fault)), fault_(std::move(fault)) {}

KernelError::~KernelError() = default;

}  // namespace ladder::emulator
