// SPDX-License-Identifier: MIT
#include "emulator/run/device_call_text.hpp"

#include "emulator/run/place_text.hpp"

namespace ladder::emulator {
namespace {

std::string texture_text(const Fault& fault) {
  const Fields& fields = fault.fields;
  switch (fault.kind) {
    case FaultKind::kTextureNone:
      return " reads what is no texture object,";
    case FaultKind::kTextureDestroyed:
      return " reads a texture object that was destroyed,";
    case FaultKind::kTextureFreed:
      return " reads a texture of " + fields.word("array") + ", which was freed,";
    case FaultKind::kTextureFunction:
      return fields.truth("texture_is_linear")
                 ? " reads CUDA arrays and pitch2D; linear memory takes tex1Dfetch,"
                 : " reads linear memory, and this texture is a CUDA array or pitch2D,";
    case FaultKind::kTextureDimensions:
      return " reads a texture of " + fields.digits("dimensions") + " dimensions,";
    default:
      return fields.truth("texture_gives_floats")
                 ? " asks for integers, and the texture gives floats,"
                 : " asks for floats, and the texture gives integers,";
  }
}

std::string surface_text(const Fault& fault) {
  const Fields& fields = fault.fields;
  switch (fault.kind) {
    case FaultKind::kSurfaceNone:
      return " is given what is no surface object,";
    case FaultKind::kSurfaceDestroyed:
      return " is given a surface object that was destroyed,";
    case FaultKind::kSurfaceFreed:
      return " is given a surface of " + fields.word("array") + ", which was freed,";
    case FaultKind::kSurfaceDimensions:
      return " is given a surface of " + fields.digits("dimensions") + " dimensions,";
    case FaultKind::kSurfaceMisaligned:
      return " is given byte " + fields.digits("x") + " for an element of " +
             fields.digits("bytes") + " bytes: x counts bytes, in whole elements,";
    default:
      return " is out of bounds: byte " + fields.digits("x") + " of row " + fields.digits("y") +
             "; " + fields.word("array") + " has " + fields.digits("rows") + " rows of " +
             fields.digits("row_bytes") + " bytes,";
  }
}

std::string heap_in_use_text(const Fault& fault) {
  const OtherAccess& other = fault.other.value();
  return "free() or delete of memory that " + thread_text(other.thread) +
         (other.block ? " of block " + to_text(*other.block) : "") + " uses at " +
         place_text(other.place) +
         ", and nothing orders the two: all threads that use it have to pass a barrier first. It "
         "is "
         "freed";
}

bool is_of_surface(FaultKind kind) {
  return kind == FaultKind::kSurfaceNone || kind == FaultKind::kSurfaceDestroyed ||
         kind == FaultKind::kSurfaceFreed || kind == FaultKind::kSurfaceDimensions ||
         kind == FaultKind::kSurfaceMisaligned || kind == FaultKind::kSurfaceOutOfBounds;
}

}  // namespace

std::string text_of_device_call(const Fault& fault) {
  const Fields& fields = fault.fields;
  switch (fault.kind) {
    case FaultKind::kHeapFree:
      return "free() or delete of memory that is not taken, or is freed already,";
    case FaultKind::kHeapFreedInUse:
      return heap_in_use_text(fault);
    case FaultKind::kDynamicParallelism:
      return "a kernel launches a kernel, and the glass box has no dynamic parallelism: launch " +
             fields.word("kernel") + " from the host";
    case FaultKind::kDeviceRuntimeCall:
      return "a kernel calls " + fields.word("function") +
             ", and the glass box has no dynamic parallelism: call malloc()";
    case FaultKind::kWaitsForHost:
      return "a kernel waits until the host writes " + fields.word("array") +
             ", and the glass box runs it to its end before the host goes on: write it before the "
             "launch";
    default:
      return fields.word("function") +
             (is_of_surface(fault.kind) ? surface_text(fault) : texture_text(fault));
  }
}

}  // namespace ladder::emulator
