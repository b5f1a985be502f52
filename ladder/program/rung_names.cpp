// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <stdexcept>

#include "common/machine.hpp"
#include "ladder/ladder.hpp"

namespace ladder {

bool is_architecture_specific(const Rung& rung) {
  return rung.compute_capability == 90;
}

bool runs_on(const Rung& rung, int compute_capability) {
  if (compute_capability == kEveryComputeCapability) return true;
  return is_architecture_specific(rung) ? compute_capability == rung.compute_capability
                                        : compute_capability >= rung.compute_capability;
}

std::string needs(const Rung& rung) {
  return fmt::format("compute capability {:.1f}{}", rung.compute_capability / 10.0,
                     is_architecture_specific(rung) ? " exactly" : "");
}

std::string label(const Rung& rung) {
  return fmt::format("{:02} {}", rung.number, rung.name);
}

std::string folder(const Rung& rung) {
  return fmt::format("{:02}_{}", rung.number, rung.name);
}

const Rung& find_rung(std::span<const Rung> rungs, std::string_view wanted) {
  for (const Rung& rung : rungs) {
    if (wanted == rung.name || wanted == folder(rung) || wanted == fmt::format("{}", rung.number) ||
        wanted == fmt::format("{:02}", rung.number)) {
      return rung;
    }
  }
  std::string known;
  for (const Rung& rung : rungs)
    known += (known.empty() ? "" : ", ") + label(rung);
  throw std::invalid_argument(fmt::format("unknown rung '{}': choose one of {}", wanted, known));
}

}  // namespace ladder
