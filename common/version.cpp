// SPDX-License-Identifier: MIT
#include "common/version.hpp"

namespace ladder {

std::string version_text(std::string_view version, std::string_view commit) {
  std::string text = "GEMM Ladder";
  if (!version.empty()) text += " " + std::string(version);
  if (commit == kNoCommit) return text + ", commit unknown: built without git";
  return text + ", commit " + std::string(commit);
}

std::string version_text() {
  return version_text(version(), commit());
}

}  // namespace ladder
