// SPDX-License-Identifier: MIT
/// \file  emulator/run/sentence.hpp
/// \brief Where all sentences about findings pass, on their way from fields to people.
#pragma once

#include <string>

namespace ladder::emulator {

/// \brief  Every sentence that is made from a finding's fields passes here, and nothing reads it
///         afterwards: whatever this makes of it, no program does anything else.
/// \return the sentence
inline std::string sentence(std::string text) {
  return text;
}

}  // namespace ladder::emulator
