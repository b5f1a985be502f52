// SPDX-License-Identifier: MIT
/// \file  ladder/program/rung_trace.hpp
/// \brief Traces a rung on the emulator and says what Nsight Compute would, for the GPU of a card.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/device_card.hpp"
#include "common/machine.hpp"
#include "common/terminal/access_verdict.hpp"
#include "common/verify.hpp"
#include "emulator/trace/replay.hpp"
#include "emulator/trace/trace.hpp"
#include "ladder/ladder.hpp"

namespace ladder {

/// How to trace a rung.
struct TraceChoice {
  /// Trace every block, or only those that differ. Nothing: every block of a small problem.
  std::optional<bool> all_blocks;
  /// Line touches that the cache model may look at: half a minute's worth.
  std::uint64_t touch_budget = 6'000'000'000;
  /// Registers of a kernel that was never profiled are counted by nvcc, which takes seconds.
  bool ask_nvcc = false;
  /// Block (linear index) and warp to record request by request.
  std::optional<std::pair<std::uint64_t, unsigned>> warp;
};

/// Nsight Compute's names and values; nothing where the value is not modelled at this size.
using Metrics = std::map<std::string, std::optional<double>>;

/// What a traced rung did.
struct RungTrace {
  Rung rung;
  Problem problem;
  DeviceCard card;
  emulator::KernelTrace kernel;
  std::vector<AccessVerdict> verdicts;  ///< of kernel.lines, see verdict_of()
  std::optional<bool> verified;         ///< nothing where only some blocks ran
  std::vector<Wrong> wrong;             ///< why it is wrong
  int blocks_per_sm = 0;
  int registers_per_thread = 0;  ///< as a profile or nvcc has it; 0: not known
  bool registers_of_nvcc = false;
  std::string occupancy_limit;  ///< "registers"
  double waves = 0;             ///< of blocks that fill the GPU
  Metrics metrics;
  emulator::Index warp_block = {};  ///< blockIdx of the recorded warp
  unsigned warp_number = 0;
};

/// \brief  Traces one rung for one shape.
/// \throws std::invalid_argument the rung has no kernel (00), or a block does not fit on the card
/// \throws ShapeRefused          the rung does not take the shape
/// \throws MachineError          A, B and C do not fit into memory
RungTrace trace_rung(Machine& machine, const Rung& rung, const Problem& problem,
                     const DeviceCard& card, const TraceChoice& choice);

/// Wavefronts of a line for one multiply-add of a warp, 32 of a thread.
double wavefronts_per_multiply_add(const RungTrace& trace, const emulator::LineCounts& line);

/// What a line can be coloured by, where a trace's page shows what limits.
enum class Quantity { kGlobalWavefronts, kSharedWavefronts, kExcessSectors };

std::string_view name_of(Quantity quantity);

/// What to look at first in a trace.
struct Limit {
  Quantity quantity;
  std::string sentence;
};

/// \brief Wavefronts, of the memory that has more of them; excess sectors where most sectors are
///        excess and the pipe of L1 and shared memory keeps up with the multiply-adds.
Limit limit_of(const RungTrace& trace);

/// The counts of all lines that do one of these.
emulator::AccessCounts total(const emulator::KernelTrace& trace, emulator::Operation operation);

/// \brief  Traces a kernel whose counters are known.
/// \throws std::runtime_error  they come out wrong: the compiler did not instrument the library
void require_living_instrumentation();

}  // namespace ladder
