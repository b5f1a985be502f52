// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "common/machine.hpp"
#include "ladder/ladder.hpp"

namespace ladder {

std::string name_of(const Architecture& architecture) {
  return fmt::format("{}{}", architecture.compute_capability, architecture.alone ? "a" : "");
}

int lowest_compute_capability(const Rung& rung) {
  return std::ranges::min(rung.architectures, {}, &Architecture::compute_capability)
      .compute_capability;
}

bool is_architecture_specific(const Rung& rung) {
  return std::ranges::all_of(rung.architectures, &Architecture::alone);
}

bool runs_on(const Rung& rung, int compute_capability) {
  if (compute_capability == kEveryComputeCapability) return true;
  return std::ranges::any_of(rung.architectures, [&](const Architecture& compiled) {
    return compiled.alone ? compute_capability == compiled.compute_capability
                          : compute_capability >= compiled.compute_capability;
  });
}

std::string needs(const Rung& rung) {
  const auto version = [](int compute_capability) {
    return fmt::format("{:.1f}", compute_capability / 10.0);
  };
  if (!is_architecture_specific(rung)) {
    return fmt::format("compute capability {} or higher", version(lowest_compute_capability(rung)));
  }
  std::string text = "compute capability ";
  for (const Architecture& architecture : rung.architectures) {
    if (&architecture != &rung.architectures.front())
      text += &architecture == &rung.architectures.back() ? " or " : ", ";
    text += version(architecture.compute_capability);
  }
  return text;
}

std::string own_code() {
#ifdef LADDER_OWN_CODE
  return LADDER_OWN_CODE;
#else
  std::string all;
  for (const Architecture& architecture : kHopperAndBlackwell)
    all += (all.empty() ? "" : " ") + name_of(architecture);
  return all;
#endif
}

std::optional<Refusal> why_not_on(const Rung& rung, int compute_capability, std::string_view gpu,
                                  const std::string& compiled) {
  const std::string machine(gpu);
  if (!runs_on(rung, compute_capability)) {
    return Refusal{
        RefusalKind::kComputeCapability,
        {{"needs", needs(rung)}, {"machine", machine}, {"compute_capability", compute_capability}}};
  }
  if (compute_capability == kEveryComputeCapability || !is_architecture_specific(rung)) {
    return std::nullopt;
  }
  const std::string code = name_of({compute_capability, true});
  const std::string spaced = fmt::format(" {} ", compiled);
  if (spaced.find(" " + code + " ") != std::string::npos) return std::nullopt;
  return Refusal{RefusalKind::kNotCompiled,
                 {{"compiled", compiled},
                  {"machine", machine},
                  {"compute_capability", compute_capability},
                  {"code", code}}};
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
  if (table_line.precision == precision) return table_line;
  for (const Rung& rung : table_line.in_other_precisions) {
    if (rung.precision == precision) return rung;
  }
  throw std::invalid_argument(
      fmt::format("{} cannot be had in {}", label(table_line), precision.name));
}

const Rung& find_rung(std::span<const Rung> rungs, std::string_view wanted) {
  for (const Rung& rung : rungs) {
    const auto is_named = [&](const Rung& named) {
      return wanted == named.name || wanted == folder(named);
    };
    if (wanted == fmt::format("{}", rung.number) || wanted == fmt::format("{:02}", rung.number) ||
        is_named(rung)) {
      return rung;
    }
    for (const Rung& named : rung.in_other_precisions) {
      if (is_named(named)) return named;
    }
  }
  emulator::FieldValue::Words known;
  for (const Rung& rung : rungs)
    known.push_back(label(rung));
  throw BadRequest(
      {RefusalKind::kUnknownRung, {{"wanted", std::string(wanted)}, {"known", std::move(known)}}});
}

}  // namespace ladder
