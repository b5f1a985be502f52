// SPDX-License-Identifier: MIT
#include "emulator/run/launch_text.hpp"

namespace ladder::emulator {
namespace {

/// "(8, 1, 1)"
std::string extents_text(const FieldValue::Numbers& extents) {
  Index index = {};
  for (std::size_t i = 0; i < index.size(); ++i)
    index[i] = static_cast<unsigned>(extents.at(i));
  return to_text(index);
}

}  // namespace

std::string text_of_launch(const Fault& fault) {
  const Fields& fields = fault.fields;
  const auto the_extents = [&] {
    return "the " + fields.word("what") + " is " + extents_text(fields.numbers("extents"));
  };
  switch (fault.kind) {
    case FaultKind::kLaunchExtentZero:
      return the_extents() + "; every extent must be at least 1";
    case FaultKind::kLaunchExtentTooLarge:
      return the_extents() + "; CUDA allows at most " + extents_text(fields.numbers("limits"));
    case FaultKind::kLaunchTooManyThreads:
      return "a block of " + extents_text(fields.numbers("extents")) + " has " +
             fields.digits("threads") + " threads; CUDA allows at most " + fields.digits("limit");
    case FaultKind::kLaunchBounds:
      return "a block of " + extents_text(fields.numbers("extents")) + " has " +
             fields.digits("threads") + " threads; the kernel's __launch_bounds__ allow at most " +
             fields.digits("limit") + ": launch smaller blocks, or raise the bound";
    case FaultKind::kLaunchDynamicShared:
      return fields.digits("bytes") + " bytes of dynamic shared memory; a block has at most " +
             fields.digits("limit") + " (" + std::to_string(fields.number("limit") / 1024) +
             " KiB)";
    case FaultKind::kLaunchStaticShared:
      return "__shared__ arrays of " + fields.digits("bytes") + " bytes; ptxas allows " +
             fields.digits("limit") + " (48 KiB), and more only as dynamic shared memory";
    case FaultKind::kLaunchClusterSize:
      return "a cluster of " + fields.digits("blocks") + " blocks; CUDA allows 1 to " +
             fields.digits("limit");
    case FaultKind::kLaunchSharedNotAllowed:
      return fields.digits("bytes") +
             " bytes of dynamic shared memory; more than 48 KiB take cudaFuncSetAttribute(kernel, "
             "cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) before the launch";
    case FaultKind::kLaunchClusterDeclared:
      return "a cluster of " + extents_text(fields.numbers("cluster")) +
             " blocks; the kernel's __cluster_dims__ are " +
             extents_text(fields.numbers("declared"));
    case FaultKind::kLaunchClusterExtentZero:
      return "a cluster of " + extents_text(fields.numbers("cluster")) +
             " blocks; every extent is at least 1";
    case FaultKind::kLaunchInGraph:
      return "no graph takes a grid of " + fields.digits("blocks") + " blocks of " +
             fields.digits("threads") + " threads; a block has 1 to " + fields.digits("limit");
    case FaultKind::kLaunchClusterGrid:
      return "the grid, " + extents_text(fields.numbers("grid")) +
             ", is no multiple of a cluster of " + extents_text(fields.numbers("cluster")) +
             " blocks";
    case FaultKind::kLaunchCooperativeTooLarge:
      return "a cooperative grid of " + fields.digits("blocks") +
             " blocks; all of them must fit the GPU at once, whose " +
             fields.digits("multiprocessors") + " SMs have room for " + fields.digits("limit") +
             " such blocks (see set_multiprocessors() and LADDER_MULTIPROCESSORS)";
    case FaultKind::kLaunchInKernel:
      return "a kernel launches a kernel";
    default:
      return "emulated kernels need a CPU with AVX2, FMA and F16C (Intel since 2013, AMD since "
             "2015); this one lacks them";
  }
}

}  // namespace ladder::emulator
