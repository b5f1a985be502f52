// SPDX-License-Identifier: MIT
/// \file  bench/benchmark/plan.hpp
/// \brief What a benchmark will measure, known before anything runs: rows, refusals, and how long.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/roofline.hpp"
#include "common/timing.hpp"
#include "ladder/ladder.hpp"
#include "ladder/program/results.hpp"

namespace ladder::bench {

/// One line of the results.
struct Row {
  std::string name;          ///< "07_wave_swizzle/4096x4096x4096/burst"
  std::optional<Rung> rung;  ///< empty: the best of cublasLt
  Precision precision;       ///< of the rung, or of cublasLt
};

/// One shape: its rows are timed in one rotation.
struct Job {
  Shape shape;
  Protocol protocol;
  std::vector<Row> rows;
};

/// \return the precisions of its rows, each once
std::vector<Precision> precisions_of(const Job& job);

/// A row that is not measured, because its rung does not take the shape or the GPU.
struct Refusal {
  std::string row;
  std::string sentence;
};

struct Plan {
  std::vector<Job> jobs;
  std::vector<Refusal> refusals;
};

/// What the command line asks for.
struct PlanRequest {
  /// In the order of the results; rung 00 is always measured, in each of their precisions.
  std::vector<Rung> rungs;
  std::vector<Shape> shapes;
  std::optional<Protocol> protocol;  ///< empty: chosen by the work of each shape
  std::string filter = ".";          ///< Google Benchmark's: a regular expression, "-" negates it
  int compute_capability = 0;        ///< of the GPU
};

/// Below so many operations a launch takes less than a millisecond on a large GPU.
inline constexpr double kGraphBelowFlop = 3e10;

/// \brief A protocol for a shape. Of launches below kGraphBelowFlop the host's launch cost would
///        show, so they are replayed as a graph; larger ones are timed in bursts.
Protocol protocol_for(const Shape& shape);

/// \brief  Makes a plan with the rows that the filter lets through.
/// \param  ladder  all rungs of the machine
/// \throws std::invalid_argument when the filter is no regular expression or matches no row, or
///         when all chosen rungs refuse
Plan make_plan(std::span<const Rung> ladder, const PlanRequest& request);

/// \brief How long a plan takes, verification included.
/// \param l2_bytes  size of the GPU's L2, which decides how many sets of buffers a shape has
/// \param recording  rates of rungs on another GPU, scaled by its roof
double expected_seconds(const Plan& plan, const Roof& roof, std::size_t l2_bytes,
                        const std::optional<Recording>& recording);

}  // namespace ladder::bench
