// SPDX-License-Identifier: MIT
#include "common/refusal.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "common/gemm.hpp"
#include "common/machine.hpp"
#include "emulator/run/sentence.hpp"

namespace ladder {
namespace {

using emulator::Fields;
using Names = std::pair<std::string_view, std::string_view>;  // code, title

constexpr std::array<Names, kRefusalKinds> kNames = {
    Names{"shape-refused", "The rung does not take this shape"},
    Names{"unknown-rung", "There is no such rung"},
    Names{"rung-without-kernel", "The rung is a library call and has no kernel"},
    Names{"block-does-not-fit", "A block needs more than an SM of this GPU has"},
    Names{"out-of-memory", "The problem does not fit into memory"},
    Names{"factor-not-finite", "alpha or beta is not a finite number"},
    Names{"factor-too-large", "With this alpha or beta the exact result may overflow"},
    Names{"compute-capability", "The GPU lacks what the rung needs"},
    Names{"not-compiled", "This build has no code of the rung for the GPU"},
    Names{"gpu-lost", "An earlier kernel made the GPU unusable"},
    Names{"gpu-error", "CUDA reports an error"},
    Names{"machine-missing", "The machine is not there, or lacks something"}};

/// "3.2 GiB"
std::string readable_bytes(double bytes) {
  const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB"};
  std::size_t unit = 0;
  while (bytes >= 1024.0 && unit + 1 < std::size(units)) {
    bytes /= 1024.0;
    ++unit;
  }
  return fmt::format("{:.3g} {}", bytes, units[unit]);
}

std::string shape_text(const Fields& fields) {
  if (!fields.has("rung")) return fields.word("reason");
  return fmt::format("{0} refuses {1} = {2}: {1} must be a multiple of {3} ({4})",
                     fields.word("rung"), fields.word("dimension"), fields.number("extent"),
                     fields.number("multiple"), fields.word("reason"));
}

std::string factor_text(const Refusal& refusal) {
  const Fields& fields = refusal.fields;
  const auto value = static_cast<float>(fields.real("value"));
  if (refusal.kind == RefusalKind::kFactorNotFinite) {
    return fmt::format(
        "{0} = {1} is not a finite number: no kernel can be judged by the NaN and infinities that "
        "it gives. Choose a finite {0}",
        fields.word("factor"), value);
  }
  constexpr double kMost = std::numeric_limits<float>::max();
  return fmt::format(
      "{0} = {1:g} is too large for K = {2}: the exact result too may exceed {3:.2g}, the largest "
      "number of FP32. Choose {0} below {4:.2g}",
      fields.word("factor"), value, fields.number("k"), kMost, fields.real("limit"));
}

std::string memory_text(const Fields& fields) {
  return fmt::format(
      "M = {}, N = {}, K = {} needs {} for A, B and C, {} in all with the FP64 reference, and {} "
      "has {} free: choose a smaller shape",
      fields.number("m"), fields.number("n"), fields.number("k"),
      readable_bytes(fields.real("matrix_bytes")), readable_bytes(fields.real("bytes")),
      fields.word("machine"), readable_bytes(fields.real("free_bytes")));
}

std::string whole_text(const Refusal& refusal) {
  const Fields& fields = refusal.fields;
  switch (refusal.kind) {
    case RefusalKind::kShape:
      return shape_text(fields);
    case RefusalKind::kUnknownRung:
      return fmt::format("unknown rung '{}': choose one of {}", fields.word("wanted"),
                         fmt::join(fields.words("known"), ", "));
    case RefusalKind::kNoKernel:
      return fmt::format("{} has no kernel of its own to trace: choose another rung",
                         fields.word("rung"));
    case RefusalKind::kBlockDoesNotFit:
      return fmt::format(
          "{} does not fit on a {}: {} decides. Its block has {} threads of {} registers and {} "
          "bytes of shared memory; the card gives a block at most {} bytes",
          fields.word("rung"), fields.word("card"), fields.word("limit"), fields.number("threads"),
          fields.number("registers"), fields.number("shared_bytes"),
          fields.number("most_shared_bytes"));
    case RefusalKind::kOutOfMemory:
      return memory_text(fields);
    case RefusalKind::kFactorNotFinite:
    case RefusalKind::kFactorTooLarge:
      return factor_text(refusal);
    case RefusalKind::kComputeCapability:
      return fmt::format("needs {}, {} has {:.1f}", fields.word("needs"), fields.word("machine"),
                         static_cast<double>(fields.number("compute_capability")) / 10.0);
    case RefusalKind::kNotCompiled:
      return fmt::format(
          "is compiled for {} in this build, and {} has {:.1f}. On that machine, with an nvcc that "
          "knows sm_{}, `make clean` and `make` build it again",
          fields.word("compiled"), fields.word("machine"),
          static_cast<double>(fields.number("compute_capability")) / 10.0, fields.word("code"));
    case RefusalKind::kGpuLost:
      return fmt::format("not run, because {} made the GPU unusable", fields.word("by"));
    case RefusalKind::kGpuError:
    case RefusalKind::kMachine:
      break;
  }
  return fields.word("reason");
}

}  // namespace

std::string_view code_of(RefusalKind kind) {
  return kNames[static_cast<std::size_t>(kind)].first;
}

std::string_view title_of(RefusalKind kind) {
  return kNames[static_cast<std::size_t>(kind)].second;
}

std::string text_of(const Refusal& refusal) {
  return emulator::sentence(whole_text(refusal));
}

BadRequest::BadRequest(Refusal refusal)
    : std::invalid_argument(text_of(refusal)), refusal_(std::move(refusal)) {}

BadRequest::~BadRequest() = default;

std::optional<Refusal> refusal_of(const std::exception& error) {
  if (const auto* const bad = dynamic_cast<const BadRequest*>(&error)) return bad->refusal();
  if (const auto* const machine = dynamic_cast<const MachineError*>(&error)) {
    return machine->refusal();
  }
  if (dynamic_cast<const GpuError*>(&error) != nullptr) {
    return Refusal{RefusalKind::kGpuError, {{"reason", error.what()}}};
  }
  const auto* const shape = dynamic_cast<const ShapeRefused*>(&error);
  if (shape == nullptr) return std::nullopt;
  if (shape->multiple() == 0) return Refusal{RefusalKind::kShape, {{"reason", shape->reason()}}};
  return Refusal{RefusalKind::kShape,
                 {{"rung", shape->rung()},
                  {"dimension", std::string(1, shape->dimension())},
                  {"extent", shape->extent()},
                  {"multiple", shape->multiple()},
                  {"reason", shape->reason()}}};
}

}  // namespace ladder
