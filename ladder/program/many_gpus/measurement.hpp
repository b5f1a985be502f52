// SPDX-License-Identifier: MIT
/// \file  ladder/program/many_gpus/measurement.hpp
/// \brief How long the steps take, and what they consist of, side by side in one run.
#pragma once

#include <string>
#include <vector>

#include "common/timing.hpp"
#include "ladder/program/many_gpus/steps.hpp"

namespace ladder::many_gpus {

/// Times of one form.
struct Measurement {
  Form form = Form::gather;
  Samples one;            ///< one GPU multiplies the whole
  Samples compute;        ///< each rank multiplies its slice, and nothing travels
  Samples communication;  ///< NCCL's collective alone
  std::vector<Step> steps;
  std::vector<Samples> of_steps;  ///< in the order of `steps`
  double received_bytes = 0.0;    ///< by each rank, from the others

  /// What no overlap can beat: the slower of product and copies. A speed-up over one GPU.
  double possible() const;
  /// GB/s that a rank receives while nothing else runs.
  double link_gbps() const;
};

/// \brief A stopwatch that all ranks read alike: each timing begins together, and the slowest
///        rank's time is everyone's. So all take the same number of launches.
class RanksStopwatch final : public Stopwatch {
 public:
  RanksStopwatch(Stopwatch& own, const Ranks& ranks) : own_(own), ranks_(ranks) {}

  Stream stream() override { return own_.stream(); }
  double time_ms(const std::function<void()>& work) override;
  std::function<void()> record_graph(const std::function<void()>& work) override {
    return own_.record_graph(work);
  }
  void rest_ms(double ms) override { own_.rest_ms(ms); }
  void log_clocks(ClockLog& log) override { own_.log_clocks(log); }

 private:
  Stopwatch& own_;
  const Ranks& ranks_;
};

/// \throws ShapeRefused, MachineError
template <class T>
Measurement measure_form(Setting& setting, const Problem& problem, Form form,
                         const std::vector<Step>& steps, Protocol protocol, Stopwatch& stopwatch);

}  // namespace ladder::many_gpus
