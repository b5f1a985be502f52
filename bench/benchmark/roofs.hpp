// SPDX-License-Identifier: MIT
/// \file  bench/benchmark/roofs.hpp
/// \brief What a GPU reaches when nothing else is in the way: the measured roofs.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/machine.hpp"
#include "common/roofline.hpp"
#include "common/timing.hpp"

namespace ladder::bench {

/// One measured ceiling.
struct RoofFigure {
  std::string_view name;   ///< "ffma"
  std::string_view unit;   ///< "TFLOP/s" or "GB/s"
  double value;            ///< median over the samples
  Samples samples;         ///< of the kernel that does `work_per_launch`
  double work_per_launch;  ///< floating-point operations, or bytes
};

/// \brief  Measures the FP32 rate, with operands in registers and from shared memory, and the rates
///         of DRAM, L2 and shared memory.
/// \throws GpuError when a kernel fails
std::vector<RoofFigure> measure_roofs(Machine& machine, Protocol protocol,
                                      const std::function<void(double)>& on_sample);

/// The figures as a results file.
nlohmann::json to_json(const std::vector<RoofFigure>& figures, const std::string& device,
                       Protocol protocol, const std::map<std::string, std::string>& versions);

/// The figures as a table of at most 80 columns.
std::string roofs_text(const std::vector<RoofFigure>& figures);

/// "bench/results/nvidia-h200/roofs.json" in the sources, for "NVIDIA H200"
std::string roofs_path(std::string_view device);

/// \brief  The roof of a GEMM from a file that to_json() made: FFMA in registers, DRAM copied.
/// \return empty if there is no such file
/// \throws std::runtime_error when the file has another content
std::optional<Roof> measured_roof(const std::string& path);

}  // namespace ladder::bench
