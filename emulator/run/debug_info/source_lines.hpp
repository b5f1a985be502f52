// SPDX-License-Identifier: MIT
/// \file  emulator/run/debug_info/source_lines.hpp
/// \brief From an address in machine code to the line that the programmer wrote, through libdw.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/run/fault.hpp"

namespace ladder::emulator {

/// A line of a source file.
struct SourceLine {
  std::string file;   ///< empty: not known
  unsigned line = 0;  ///< 1-based; 0: not known
  unsigned column = 0;
};

/// \brief  The line of the innermost call that the programmer wrote, of some nested calls. It skips
///         calls into the emulator's or the system's headers, inlined or not.
/// \param  calls  addresses of instructions of this process, innermost first
/// \return the line of calls[0] if none is the programmer's
SourceLine source_line_of(std::span<const std::uintptr_t> calls);

/// A function that a thread is in, inlined or not, and where in it.
struct SourceFrame {
  std::string function;  ///< "alloc<float>"; empty: not known
  SourceLine line;
};

/// \brief All functions that some nested calls are in, innermost first.
/// \param  calls  addresses of instructions of this process, innermost first
std::vector<SourceFrame> source_frames_of(std::span<const std::uintptr_t> calls);

/// Where a kernel begins.
Place place_of_kernel(const void* kernel);

/// \brief The same for many addresses: reads the libraries' debug information once.
class SourceLineReader {
 public:
  SourceLineReader();
  ~SourceLineReader();
  SourceLineReader(const SourceLineReader&) = delete;
  SourceLineReader& operator=(const SourceLineReader&) = delete;

  SourceLine line_of(std::span<const std::uintptr_t> calls);

 private:
  struct Session;
  std::unique_ptr<Session> session_;
};

/// \brief Is this instruction of code that the emulator's definition of a CUDA word holds, such as
///        the copy of a float4? Reads debug information, on a thread of its own.
bool is_of_cuda_word(std::uintptr_t instruction);

/// The mangled name of a function of this process; empty if it has none.
std::string symbol_of(const void* function);

/// The mangled name of the function that begins at this address; empty if none does.
std::string function_at(const void* address);

/// Lines of a source file from `begin` to before `end` that hold `return;`.
/// \param file  as without_repository() gives it
std::vector<unsigned> lines_that_return(const std::string& file, unsigned begin, unsigned end);

/// Whether the file belongs to what a kernel is built on, and not to the kernel.
bool is_ground(std::string_view file);

/// The path relative to this repository if the file is in it, else unchanged.
std::string without_repository(const std::string& file);

/// \brief  Where an assignment to `*p =` or `p[i] =` begins, if this line has only its value, `*q;`
///         or `make_float4(...);`; else the same line. g++ 12 tells the first of the two lines for
///         the load and for the store, g++ 14 the second for one of them.
/// \param  line  its file as without_repository() gives it
SourceLine begin_of_assignment(const SourceLine& line);

/// \brief  The subscripted expression that ends at a column of a source file: "sA[m + 1]".
/// \param  file    as without_repository() gives it
/// \param  column  1-based, of the closing bracket
/// \return empty if the file cannot be read or has no such expression there
std::string subscript_ending_at(const std::string& file, unsigned line, unsigned column);

}  // namespace ladder::emulator
