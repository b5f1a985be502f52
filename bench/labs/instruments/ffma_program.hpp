// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/ffma_program.hpp
/// \brief Writes multiply-adds with chosen registers and control bits into a compiled kernel.
///        Neither CUDA C++ nor PTX can choose them; the encoding is that of compute capability 9.0.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ladder::labs {

constexpr int kZeroRegister = 255;  ///< RZ: reads as zero, and from no bank
constexpr int kLongestPause = 11;   ///< 12 to 15 mean something else unless the warp yields

/// An operand that an FFMA reads.
struct FfmaSource {
  int reg = kZeroRegister;
  bool reuse = false;  ///< keep it for the next FFMA that reads it in this slot
};

/// An FFMA: destination = a * b + c.
struct FfmaStep {
  int destination = kZeroRegister;
  std::array<FfmaSource, 3> sources = {};  ///< a, b, c
  int pause = 1;        ///< cycles from this instruction of a warp to its next, at least; 1 to 11
  bool yields = false;  ///< asks the scheduler to prefer another warp
};

using FfmaProgram = std::vector<FfmaStep>;

/// An instruction: 128 bits.
struct MachineWord {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool operator==(const MachineWord&) const = default;
};

/// Whether this is an FFMA with three registers.
bool is_ffma(const MachineWord& word);

/// \brief  The FFMA `step`; what it waits for stays as it is in `word`.
/// \throws std::invalid_argument  no such register or pause
MachineWord encoded(const MachineWord& word, const FfmaStep& step);

/// \brief  Registers that the FFMAs of a kernel write and nothing else between them names.
/// \throws LabError  the image is no cubin, or has no such kernel
std::vector<int> free_registers(const std::vector<char>& cubin, const std::string& kernel);

/// \brief  A cubin whose kernel has a program, again and again, where it had FFMAs.
/// \throws LabError  as free_registers, or the program does not go into the FFMAs a whole number
///                   of times
std::vector<char> with_program(std::vector<char> cubin, const std::string& kernel,
                               const FfmaProgram& program);

/// Runs programs of FFMAs.
class RegisterInstrument {
 public:
  virtual ~RegisterInstrument() = default;
  /// Registers that programs may name.
  virtual std::vector<int> registers() = 0;
  /// \brief  Some warps of each scheduler of one SM run a program in a loop.
  /// \param  program  of 1, 2, 4, .. 256 steps
  /// \param  warps    of each scheduler, 1 to 4
  /// \return cycles per step of one warp, for each repeat
  virtual std::vector<double> cycles(const FfmaProgram& program, int warps, int repeats) = 0;
};

}  // namespace ladder::labs
