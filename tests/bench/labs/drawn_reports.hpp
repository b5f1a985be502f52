// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/drawn_reports.hpp
/// \brief Reports of labs on whole GPUs drawn at random, and their twins that measure exactly.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "bench/labs/lab.hpp"
#include "tests/bench/labs/drawn_gpus.hpp"
#include "tests/bench/labs/made_up_curves.hpp"

namespace ladder::labs {

/// What a lab found, or nothing: not looked for counts as not found.
inline std::optional<Estimate> estimate(const LabReport& report, const std::string& key) {
  const auto found = std::ranges::find(report.findings, key, &Finding::key);
  return found == report.findings.end() ? std::nullopt : found->value;
}

/// A drawn GPU.
struct Drawn {
  explicit Drawn(int draw) : seed(seed_of_draw(draw)), shape(drawn_gpu(seed)) {}
  LabReport run(const std::string& lab, bool quick = true) const {
    return find_lab(lab).run(make_simulated_instruments(shape, seed).get(),
                             {.quick = quick, .seed = seed});
  }
  /// The same GPU, with measurements as exact as the machine.
  std::unique_ptr<Instruments> exact() const {
    MemorySystemShape twin = shape;
    twin.noise = {.sigma_cycles = 0,
                  .sigma_share = 0,
                  .outlier_share = 0,
                  .outlier_size = 1,
                  .drift_share = 0,
                  .drift_samples = 5000,
                  .throttled_longer = 0,
                  .throttled_samples = 0};
    return make_simulated_instruments(twin, seed);
  }

  std::uint64_t seed;
  MemorySystemShape shape;
};

}  // namespace ladder::labs
