// SPDX-License-Identifier: MIT
/// \file  common/findings/source_error.hpp
/// \brief Why a program was not built, as data: what a compiler says of its lines.
#pragma once

#include <string>
#include <string_view>

#include "emulator/run/fault.hpp"

namespace ladder {

enum class SourceErrorKind {
  kCompiler,        ///< the compiler refuses a line
  kLinker,          ///< the linker does: a function is missing
  kMissingLibrary,  ///< a header of a library that the glass box does not have
  kMissingWord,     ///< a word of CUDA that it does not have
  kNotEmulated,     ///< something that the emulator does not have: inline PTX, sorts of fragments
  kLaunchSyntax,    ///< a launch without an end
  kUnreadable,      ///< the file cannot be read
  // What g++ compiles and nvcc does not.
  kHostCall,       ///< device code calls a function of the host
  kHostVariable,   ///< device code uses a variable of the host
  kDeviceCall,     ///< host code calls a function of the device
  kKernelReturns,  ///< a kernel returns a value
  kNvccRefuses,    ///< anything else
  kNvccOption,     ///< nvcc compiles it with an option alone; it is built and run here
  kOneSide,        ///< a function of both sides takes the host's, whoever calls it; likewise
};

/// How many there are.
inline constexpr int kSourceErrorKinds = static_cast<int>(SourceErrorKind::kOneSide) + 1;

/// "compiler-error", "missing-library", ...: never changes.
std::string_view code_of(SourceErrorKind kind);
/// For people; may change.
std::string_view title_of(SourceErrorKind kind);
/// Whether the program is right, and the glass box lacks something.
bool is_lack(SourceErrorKind kind);
/// Whether the program is built all the same.
bool is_note(SourceErrorKind kind);

struct SourceError {
  SourceErrorKind kind = SourceErrorKind::kCompiler;
  emulator::Place place = {};
  unsigned column = 0;           ///< 0: not known
  emulator::Fields fields = {};  ///< "text": what the compiler says; "reason"; "name"
};

/// The error in English, for people, without its place. What a compiler says stays as it is.
std::string text_of(const SourceError& error);

}  // namespace ladder
