// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/orders.hpp
/// \brief What the glass box asks of the program that it runs, handed over in the environment.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "common/device_card.hpp"

namespace ladder::glassbox {

/// What is to be told of a program.
enum class Verb {
  kRun,    ///< nothing: no launch is traced
  kCheck,  ///< hazards
  kTrace,  ///< hazards, and the counts of each line
};

struct Orders {
  Verb verb = Verb::kRun;
  std::string card = "classroom";
  std::string kernel;        ///< trace launches of this kernel alone; empty: of all
  std::uint64_t launch = 0;  ///< trace the launch with this number among those; 0: the first ones
  bool device_heap = false;  ///< kernels take memory with malloc() or new
  bool addresses = false;    ///< record those of the first warp, for the page
  std::set<std::string> device_variables;  ///< names of those of `__device__` and `__constant__`
  std::string folder;                      ///< for the report; empty: none is written
};

/// The environment's words for them; see main.cpp.
inline constexpr const char* kVerbVariable = "GLASSBOX_VERB";
inline constexpr const char* kCardVariable = "GLASSBOX_GPU";
inline constexpr const char* kKernelVariable = "GLASSBOX_KERNEL";
inline constexpr const char* kLaunchVariable = "GLASSBOX_LAUNCH";
inline constexpr const char* kHeapVariable = "GLASSBOX_HEAP";
inline constexpr const char* kDeviceVariablesVariable = "GLASSBOX_DEVICE_VARIABLES";
inline constexpr const char* kAddressesVariable = "GLASSBOX_ADDRESSES";
inline constexpr const char* kFolderVariable = "GLASSBOX_FOLDER";

/// In the folder: what was found, as JSON.
inline constexpr const char* kFindingsFile = "findings.json";

/// In the environment of a program that `glassbox nvcc` has linked: how it is to be run, as words
/// of `glassbox`: "check", "trace --html page.html".
inline constexpr const char* kChoiceVariable = "GLASSBOX";

/// This process's, read once.
const Orders& orders();

/// The GPU that this process models.
const DeviceCard& card();

}  // namespace ladder::glassbox
