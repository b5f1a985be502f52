// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/kernel_instruments.hpp
/// \brief What a GPU alone can say of the kernels that the emulator counts: how long they take. A
///        simulated memory system has none of these instruments.
#pragma once

#include <vector>

#include "bench/labs/questions/kernels/access_pattern.hpp"
#include "bench/labs/questions/kernels/shared_access.hpp"
#include "bench/labs/questions/kernels/tiled_product.hpp"

namespace ladder::labs {

/// Where the data of a read lies.
enum class Home : std::uint8_t { l1, l2, dram };

/// Reads of global memory from all SMs.
class ReadInstrument {
 public:
  virtual ~ReadInstrument() = default;
  /// \brief  The whole GPU reads places: once to warm up, then `repeats` samples.
  /// \return nanoseconds for 32 places, read by one warp: those of the whole GPU
  /// \throws std::invalid_argument  no kernel has such a pattern
  /// \throws LabError  the region does not fit
  virtual std::vector<double> ns(const AccessPattern& pattern, Home home, int repeats) = 0;
};

/// What CUDA says about one SM.
struct SmFacts {
  int sms = 0;
  double clock_mhz = 0;
  int registers = 0;
  int registers_per_thread = 0;  ///< at most
  int shared_bytes = 0;
  int shared_bytes_per_block = 0;  ///< at most, by opt-in
  int reserved_shared_bytes_per_block = 0;
};

/// A kernel whose threads keep 48 sums.
struct SumsResult {
  int registers = 0;    ///< of a thread, as the compiler chose
  int local_bytes = 0;  ///< of a thread, in local memory: what the registers did not hold
  double cycles = 0.0;  ///< of an SM for one multiply-add of a warp, all four schedulers together
};

/// What goes on inside one SM.
class SmInstrument {
 public:
  virtual ~SmInstrument() = default;
  virtual SmFacts facts() = 0;
  /// \brief  Eight warps of one block repeat an access to shared memory.
  /// \return cycles of the SM per request, for each repeat
  virtual std::vector<double> shared_cycles(const SharedAccess& access, int repeats) = 0;
  /// \brief  One warp loads from shared memory, one load after the other, without conflicts.
  /// \return cycles per load, for each repeat
  virtual std::vector<double> shared_chain_cycles(int repeats) = 0;
  /// \brief  Each thread of one block has some sums, and adds to each in turn.
  /// \param  chains  sums of a thread: 1, 2, 4 or 8
  /// \param  warps   of the block, 1 to 32
  /// \return cycles from one multiply-add of a warp to its next, for each repeat
  virtual std::vector<double> multiply_add_cycles(int chains, int warps, int repeats) = 0;
  /// \brief  Threads walk through an array of 64 words of their own, at places that only the run
  ///         knows, so that it lies in local memory.
  /// \param  warps_per_sm  1 to 32 on one SM alone; to 64, in two blocks, on all of them
  /// \param  all_sms       or one SM alone
  /// \return cycles per load, one after the other
  virtual std::vector<double> local_array_cycles(int warps_per_sm, bool all_sms, int repeats) = 0;
  /// Bytes of local memory that a thread of that kernel has.
  virtual int local_array_bytes() = 0;
  /// A block of 1024 threads that keep 48 sums each.
  /// \param squeezed into 32 registers; else 64
  virtual SumsResult many_sums(bool squeezed) = 0;
};

/// Matrix products whose blocks take their tiles in any order.
class ProductInstrument {
 public:
  virtual ~ProductInstrument() = default;
  /// Blocks of such a product that the GPU runs at once.
  virtual int blocks_in_flight() = 0;
  /// \return milliseconds of the whole product, for each repeat
  virtual std::vector<double> ms(const ProductPlan& plan, int repeats) = 0;
};

}  // namespace ladder::labs
