// SPDX-License-Identifier: MIT
/// \file  bench/labs/lab.hpp
/// \brief A lab: one question about the memory system, and what running it gives.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/labs/analysis/samples.hpp"
#include "bench/labs/instruments/instruments.hpp"

namespace ladder::labs {

/// A curve that a lab measured.
struct Series {
  std::string name;    ///< "ld.cg"
  std::string x_name;  ///< "footprint"
  std::string x_unit;  ///< "bytes"
  std::string y_name;  ///< "latency"
  std::string y_unit;  ///< "cycles"
  std::vector<Point> points;
};

/// One number that the analysis found, or did not find.
struct Finding {
  std::string key;                ///< for programs: "l2_near_bytes"
  std::string name;               ///< for people: "L2 that one SM reaches without a second copy"
  std::optional<Estimate> value;  ///< nothing: looked for and not found
  std::string unit;               ///< "bytes", "cycles", "GB/s"
  std::string how;                ///< one sentence: how it was found, or why it was not
};

/// Something that a text says, and what the lab makes of it.
struct ClaimCheck {
  std::string row;      ///< of the claims' table: "R008"
  std::string claimed;  ///< "L2 answers in about 200 cycles"
  /// holds, condition, wrong or pending; simulated: invented memory says nothing about a claim
  std::string verdict;
  std::string because;  ///< one sentence with the figures
};

/// What a lab found.
struct LabReport {
  std::vector<Series> series;
  std::vector<Finding> findings;
  std::vector<ClaimCheck> claims;
  std::vector<std::string> notes;  ///< what the reader has to know about this run
};

struct LabOptions {
  bool quick = false;  ///< fewer points and repeats: some seconds
  std::uint64_t seed = 1;
  std::string card = "classroom";  ///< whose caches raster_orders counts for
  /// random_sampling and hash_grouping: as Karnagel et al. did it in 2017 (docs/labs/tlb_paper.md).
  bool paper = false;
  /// Of the same: bytes that each pass works on; empty: the lab's own choice.
  std::vector<std::uint64_t> scopes = {};
  /// Gets the progress, 0 to 1.
  std::function<void(double)> on_progress = [](double) {};
};

/// What a lab needs of the machine.
enum class Needs : std::uint8_t {
  instruments,  ///< a GPU, or a simulated memory system
  emulator,     ///< nothing: its kernels run on the emulator, which counts; a GPU times them
  nvcc,         ///< the CUDA Toolkit; without it the lab says what is missing
  two_gpus,     ///< and works on a simulated pair as well
  hopper,       ///< a GPU of compute capability 9.0: nothing simulates it
};

/// One line of the table of labs.
struct Lab {
  std::string_view number;    ///< "L01"
  std::string_view name;      ///< "latency"
  std::string_view question;  ///< "How does latency grow with the working set?"
  Needs needs = Needs::instruments;
  int quick_seconds = 10;  ///< about what --quick takes on an H200
  LabReport (*run)(Instruments* instruments, const LabOptions& options) = nullptr;
};

/// All labs, in the order of their numbers.
std::span<const Lab> labs();

/// \brief  A lab by its number or name: "L01", "1" or "latency".
/// \throws LabError  there is none; lists them
const Lab& find_lab(std::string_view number_or_name);

}  // namespace ladder::labs
