// SPDX-License-Identifier: MIT
#include "common/emulator/trace/code_places.hpp"

#include <array>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace ladder::emulator {
namespace {

/// All places that were asked for. Libraries stay where they are, so that nothing grows old.
class PlaceTable {
 public:
  std::uint32_t number_of(std::uintptr_t instruction) {
    const std::lock_guard lock(mutex_);
    return number_with_lock(instruction);
  }

  SourceLine line_of(std::uintptr_t instruction) {
    const std::lock_guard lock(mutex_);
    return places_[number_with_lock(instruction)];
  }

 private:
  std::uint32_t number_with_lock(std::uintptr_t instruction) {
    const auto known = by_instruction_.find(instruction);
    if (known != by_instruction_.end()) return known->second;
    // A CUDA thread's stack is too small for libdw.
    SourceLine line;
    std::thread([&] { line = reader_.line_of(std::array{instruction}); }).join();
    line.file = without_repository(line.file);
    const auto next = static_cast<std::uint32_t>(places_.size());
    const auto [found, is_new] = by_place_.try_emplace({line.file, line.line, line.column}, next);
    if (is_new) places_.push_back(line);
    return by_instruction_[instruction] = found->second;
  }

  std::mutex mutex_;
  SourceLineReader reader_;
  std::unordered_map<std::uintptr_t, std::uint32_t> by_instruction_;
  std::map<std::tuple<std::string, unsigned, unsigned>, std::uint32_t> by_place_;
  std::vector<SourceLine> places_;
};

PlaceTable& table() {
  static PlaceTable* const places = new PlaceTable;
  return *places;
}

}  // namespace

std::uint32_t place_number(std::uintptr_t code_begin, AccessCode code) {
  return table().number_of(code_begin + offset_of(code));
}

SourceLine place_of(std::uintptr_t code_begin, AccessCode code) {
  return table().line_of(code_begin + offset_of(code));
}

}  // namespace ladder::emulator
