// SPDX-License-Identifier: MIT
/// \file  common/side_aware/error.hpp
/// \brief What goes wrong with side-aware memory, in sentences.
#pragma once

#include <stdexcept>

namespace ladder::side_aware {

/// Says what could not be done, and what to do about it.
class SideAwareError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The GPU has no memory left for what was asked.
class OutOfMemory : public SideAwareError {
 public:
  using SideAwareError::SideAwareError;
};

/// The process ends, and the driver is gone already.
class DriverIsGone : public SideAwareError {
 public:
  using SideAwareError::SideAwareError;
};

}  // namespace ladder::side_aware
