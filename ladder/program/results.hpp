// SPDX-License-Identifier: MIT
/// \file  ladder/program/results.hpp
/// \brief Results as JSON, in the shape of Google Benchmark's files: a context and a list of
///        entries.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/results_context.hpp"
#include "emulator/run/own_files.hpp"
#include "ladder/program/climb.hpp"

namespace ladder {

/// \brief  One climb as JSON. Figures that were not measured are null.
/// \return {"context": {...}, "benchmarks": [{"rung": ..., "tflops": ...}, ...]}
nlohmann::json to_json(const Climb& climb, const std::map<std::string, std::string>& versions);

/// to_json(), as a file holds it.
std::string file_text(const Climb& climb, const std::map<std::string, std::string>& versions);

/// Registers per thread of the kernel that a rung takes on an H200 for M = N = K = size.
struct RecordedRegisters {
  int size;
  int registers;
};

/// \brief  What ptxas gave a rung for an H200, from the recorded profiles, large squares first. A
///         rung may have several kernels: ask which of them it takes for the size.
/// \return empty for a rung that was never profiled
std::vector<RecordedRegisters> recorded_registers(int rung);

/// \brief  Counters of a rung at M = N = K = size, by Nsight Compute's names, on the first GPU of
///         ours that has profiled it.
/// \return empty for a rung that was never profiled at that size
std::map<std::string, double> recorded_counters(int rung, int size);

/// The name of that GPU; empty for such a rung.
std::string profiled_on(int rung, int size);

/// A recorded figure of one rung.
struct RecordedFigure {
  int rung;
  double tflops;
  double ratio_to_best;
  std::string precision = "FP32";  ///< tells the lines of rung 00 apart
};

/// Figures that were recorded on another machine and are shown as such.
struct Recording {
  std::string device;
  std::string protocol;
  int size;
  std::vector<RecordedFigure> figures;
  std::set<int> edited = {};      ///< rungs whose sources are others today: no figure is theirs
  std::string other_device = {};  ///< a second GPU, on which more rungs were recorded
  std::set<int> on_other_device = {};
};

/// \return the figure of a rung; null for one that was not recorded, or was edited since
const RecordedFigure* figure_of(const Recording& recording, const Rung& rung);

/// \brief  The recorded climb of an H200 at M = N = K = 4096, from bench/results.
/// \param  root  of the sources
/// \return nothing where the file is not there, as in a copied program without its sources
std::optional<Recording> recorded_climb(
    const std::filesystem::path& root = emulator::source_tree());

/// \brief  The recorded climb of an H200 at M = N = K = size: replayed as a graph below 2048, where
///         nothing else measures the kernel, and in a burst from there on. It also says which rungs
///         were recorded on an H100.
/// \return nothing where no such climb was recorded
std::optional<Recording> recorded_climb_at(
    int size, const std::filesystem::path& root = emulator::source_tree());

}  // namespace ladder
