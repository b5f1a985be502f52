// SPDX-License-Identifier: MIT
/// \file  emulator/trace/call_codes.hpp
/// \brief The codes of calls, with those kept that were looked up lately.
#pragma once

#include <array>
#include <cstdint>
#include <source_location>

#include "emulator/trace/code_places.hpp"

namespace ladder::emulator {

/// \brief See code_of_call(), which looks names up.
class CallCodes {
 public:
  AccessCode at(std::source_location where, AccessType type, unsigned bytes) {
    const char* const file = where.file_name();
    Call& call =
        calls_[(where.line() + 8 * where.column() + static_cast<unsigned>(type)) % calls_.size()];
    const AccessCode how = pack_access(0, type, bytes);
    if (call.file != file || call.line != where.line() || call.column != where.column() ||
        (call.code & kHowBits) != how) {
      call = {file, where.line(), where.column(), code_of_call(where, type, bytes)};
    }
    return call.code;
  }

 private:
  struct Call {
    const char* file = nullptr;
    std::uint_least32_t line = 0;
    std::uint_least32_t column = 0;
    AccessCode code = 0;
  };
  std::array<Call, 64> calls_ = {};
};

}  // namespace ladder::emulator
