// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
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

std::vector<Precision> precisions_of(std::span<const Rung> rungs) {
  std::vector<Precision> found;
  for (const Rung& rung : rungs) {
    if (std::ranges::find(found, rung.precision) == found.end()) found.push_back(rung.precision);
  }
  return found;
}

const Rung& rival_in(const Precision& precision, std::span<const Rung> ladder) {
  const Rung& table_line = find_rung(ladder, "0");
  for (const Rung* rung = &table_line; rung != nullptr; rung = rung->in_next_precision) {
    if (rung->precision == precision) return *rung;
  }
  throw std::invalid_argument(
      fmt::format("{} cannot be had in {}", label(table_line), precision.name));
}

const Rung& find_rung(std::span<const Rung> rungs, std::string_view wanted) {
  for (const Rung& rung : rungs) {
    if (wanted == fmt::format("{}", rung.number) || wanted == fmt::format("{:02}", rung.number)) {
      return rung;
    }
    for (const Rung* named = &rung; named != nullptr; named = named->in_next_precision) {
      if (wanted == named->name || wanted == folder(*named)) return *named;
    }
  }
  emulator::FieldValue::Words known;
  for (const Rung& rung : rungs)
    known.push_back(label(rung));
  throw BadRequest({RefusalKind::kUnknownRung,
                    {{"wanted", std::string(wanted)}, {"known", std::move(known)}}});
}

}  // namespace ladder
