// SPDX-License-Identifier: MIT
/// \file  common/device_card.hpp
/// \brief Device cards: each has the figures of one GPU. They tell the emulator which GPU to model,
///        give the roofline its peaks, and decide how many blocks an SM holds at once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/roofline.hpp"

namespace ladder {

/// \brief One GPU. The file of a card, common/devices/ID.json, holds each of these figures with its
///        source. All peaks are at sm_clock_mhz, which long kernels do not always keep.
struct DeviceCard {
  std::string id;              ///< "h200": the file's name without its extension
  std::string name;            ///< "NVIDIA H200 SXM"
  int compute_capability = 0;  ///< 90 is 9.0
  int sms = 0;                 ///< streaming multiprocessors
  int sm_clock_mhz = 0;        ///< boost
  int max_threads_per_sm = 0;  ///< resident at once, like all limits per SM
  int max_warps_per_sm = 0;
  int max_blocks_per_sm = 0;
  int registers_per_sm = 0;                 ///< of 32 bits
  int register_allocation_unit = 0;         ///< registers; a warp gets a multiple of it
  int shared_bytes_per_sm = 0;              ///< the most that can be configured
  int shared_bytes_reserved_per_block = 0;  ///< taken by CUDA on top of what the block declares
  int shared_allocation_unit_bytes = 0;     ///< a block gets a multiple of it
  int max_shared_bytes_per_block = 0;       ///< static and dynamic; more than 48 KiB by opt-in
  int l1_and_shared_bytes_per_sm = 0;       ///< what shared memory does not take is L1
  std::int64_t l2_bytes = 0;
  int l2_ways = 0;              ///< lines in a set
  int l2_partitions = 0;        ///< halves that keep copies of each other's lines: 2; else 1
  int l2_merging_gpcs = 0;      ///< groups of SMs whose reads are merged before L2; 0: none are
  std::int64_t dram_bytes = 0;  ///< capacity
  double dram_bytes_per_second = 0;   ///< peak
  double fp32_tflops = 0;             ///< peak of the FP32 units
  std::optional<double> tf32_tflops;  ///< dense peak of the tensor cores; empty: not supported
  std::optional<double> bf16_tflops;  ///< dense peak of the tensor cores; empty: not supported
};

/// \brief  The cards in common/devices, sorted.
/// \throws std::filesystem::filesystem_error  the sources are no longer where they were built
std::vector<std::string> card_names();

/// \brief  Reads a card and checks it.
/// \param  name_or_path  "h200", or your own card: with a slash or .json at its end, it is a path
/// \throws std::invalid_argument  there is no such card (the message lists the known ones); the
///         file cannot be read or is not JSON; a figure is missing, of the wrong type, not positive
///         or without a source
/// \throws std::filesystem::filesystem_error  as card_names(), for a name
DeviceCard load_card(const std::string& name_or_path);

/// The ceilings of a GEMM on this GPU.
Roof roof_of(const DeviceCard& card);

/// What one block of a kernel takes from its SM.
struct KernelNeeds {
  int threads_per_block = 0;
  int registers_per_thread = 0;    ///< as ptxas -v prints; 0: not known, so no limit
  int shared_bytes_per_block = 0;  ///< static and dynamic
};

/// \brief  How many blocks of a kernel reside on one SM at once, by CUDA's rules: whole warps; the
///         registers of a warp in one of the SM's four partitions; shared memory in units, with
///         what CUDA reserves; the most warps and blocks.
/// \return 0 when not even one block fits: CUDA refuses such a launch
/// \throws std::invalid_argument  no thread, or a negative need
/// \source NVIDIA's occupancy calculator, cuda_occupancy.h of the CUDA toolkit
int blocks_per_sm(const DeviceCard& card, const KernelNeeds& needs);

/// \brief  What keeps the next block off the SM.
/// \return "threads", "blocks", "registers" or "shared memory"; those that allow equally few blocks
///         are joined: "threads and registers"
/// \throws std::invalid_argument  no thread, or a negative need
std::string deciding_limit(const DeviceCard& card, const KernelNeeds& needs);

}  // namespace ladder
