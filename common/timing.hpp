// SPDX-License-Identifier: MIT
/// \file  common/timing.hpp
/// \brief All timing is done here: paired samples of several candidates under a named protocol.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/gemm.hpp"

namespace ladder {

/// \brief How candidates are timed. A figure without its protocol says little: the clock of a GPU
///        depends on what ran in the second before.
enum class Protocol {
  burst,      ///< at least 250 ms of rest, one launch to warm up, then 10 timed together
  sustained,  ///< 2 s of one candidate; the second half counts
  graph,      ///< a launch for each set of buffers, but at least 20, replayed as a CUDA graph:
              ///< without the host's launch cost
};

std::string_view name_of(Protocol protocol);
/// \throws std::invalid_argument that lists the protocols
Protocol protocol_named(std::string_view name);

/// Something that can be launched again and again.
struct Candidate {
  std::string name;
  /// Starts one launch; the counter tells which set of buffers to use, so that L2 is cold.
  std::function<void(int counter)> launch;
  int sets = 1;  ///< of buffers, used in turn
};

/// Clocks and power, read right after each sample.
struct ClockLog {
  std::vector<double> sm_mhz;
  std::vector<double> power_w;
};

/// What one candidate took.
struct Samples {
  std::string name;
  std::vector<double> ms;   ///< per launch; sample i of all candidates belongs to the same round
  int launches_per_sample;  ///< timed together for one sample
  ClockLog clocks = {};     ///< one reading after each sample, if the machine has one
};

/// \brief Times work on a machine. Tests use a scripted one.
class Stopwatch {
 public:
  virtual ~Stopwatch() = default;
  /// Candidates launch on this stream.
  virtual Stream stream() = 0;
  /// \return milliseconds between the start and the end of `work` on the machine
  virtual double time_ms(const std::function<void()>& work) = 0;
  /// \return a function that replays `work` as one graph
  virtual std::function<void()> record_graph(const std::function<void()>& work) = 0;
  virtual void rest_ms(double ms) = 0;
  /// Called after each sample.
  virtual void log_clocks(ClockLog& log) = 0;
};

/// \brief The GPU's stopwatch: CUDA events; clocks and power from NVML where it is installed.
std::unique_ptr<Stopwatch> make_gpu_stopwatch();

/// \brief  Times all candidates in turn, round after round, so that each round's samples share the
///         state of the GPU.
/// \param  on_sample  gets the progress, 0..1, before each sample; may be empty
std::vector<Samples> measure(Stopwatch& stopwatch, std::span<const Candidate> candidates,
                             Protocol protocol,
                             const std::function<void(double done)>& on_sample = {});

/// Samples that each candidate gets.
int samples_of(Protocol protocol);

/// \brief  How long measure() takes for one candidate, for estimates.
/// \param  launch_ms  what one launch takes
/// \param  sets  sets of buffers, Candidate::sets
double measuring_ms(Protocol protocol, double launch_ms, int sets = 1);

/// \throws std::invalid_argument when there are no values
double median(std::vector<double> values);

/// \return (largest - smallest) / median
/// \throws std::invalid_argument when there are no values
double spread(std::span<const double> values);

/// \return median over the rounds of reference time / candidate time: above 1 the candidate wins
/// \throws std::invalid_argument when the numbers of rounds differ, or are 0
double paired_ratio(const Samples& candidate, const Samples& reference);

}  // namespace ladder
