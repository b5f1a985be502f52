// SPDX-License-Identifier: MIT
/// \file  common/refusal.hpp
/// \brief Why something was not run or not judged, as data, and the exceptions that carry it.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "emulator/run/fields.hpp"

namespace ladder {

/// What is refused, or cannot be had.
enum class RefusalKind {
  kShape,              ///< a rung's rule: rung, dimension, extent, multiple, reason; or only reason
  kUnknownRung,        ///< wanted, known
  kNoKernel,           ///< rung
  kBlockDoesNotFit,    ///< rung, card, limit, threads, registers, shared_bytes, most_...
  kOutOfMemory,        ///< m, n, k, matrix_bytes, bytes, machine, free_bytes
  kFactorNotFinite,    ///< factor, value
  kFactorTooLarge,     ///< factor, value, k, limit
  kComputeCapability,  ///< needs, machine, compute_capability
  kNotCompiled,        ///< compiled, machine, compute_capability, code
  kGpuLost,            ///< by
  kGpuError,           ///< reason
  kMachine,            ///< reason
};

/// "shape-refused", "unknown-rung", ...: never changes.
std::string_view code_of(RefusalKind kind);
/// For people; may change.
std::string_view title_of(RefusalKind kind);
/// How many there are.
inline constexpr int kRefusalKinds = static_cast<int>(RefusalKind::kMachine) + 1;

struct Refusal {
  RefusalKind kind = RefusalKind::kMachine;
  emulator::Fields fields = {};
};

/// The refusal in a sentence, for people.
std::string text_of(const Refusal& refusal);

/// \brief Something that was asked for cannot be done.
class BadRequest : public std::invalid_argument {
 public:
  explicit BadRequest(Refusal refusal);
  ~BadRequest() override;
  BadRequest(const BadRequest&) = default;
  BadRequest& operator=(const BadRequest&) = default;

  const Refusal& refusal() const noexcept { return refusal_; }

 private:
  Refusal refusal_;
};

/// \brief  The refusal that an exception carries.
/// \return nothing for an exception that is none: ShapeRefused, BadRequest, MachineError, GpuError
std::optional<Refusal> refusal_of(const std::exception& error);

}  // namespace ladder
