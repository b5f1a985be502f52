// SPDX-License-Identifier: MIT
#include "emulator/trace/code_places.hpp"

#include <array>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace ladder::emulator {
namespace {

/// Offsets from here on are numbers of calls: a library's code ends long before.
constexpr std::uintptr_t kFirstCall = (std::uintptr_t{1} << 26) - (std::uintptr_t{1} << 16);

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

  /// A place that no instruction has to be looked up for.
  std::uint32_t number_of_call(std::source_location where) {
    const std::lock_guard lock(mutex_);
    return number_of_line({.file = without_repository(where.file_name()),
                           .line = where.line(),
                           .column = where.column()});
  }

  SourceLine line_with_number(std::uint32_t number) {
    const std::lock_guard lock(mutex_);
    return places_[number];
  }

 private:
  std::uint32_t number_with_lock(std::uintptr_t instruction) {
    const auto known = by_instruction_.find(instruction);
    if (known != by_instruction_.end()) return known->second;
    // A CUDA thread's stack is too small for libdw.
    SourceLine line;
    std::thread([&] { line = reader_.line_of(std::array{instruction}); }).join();
    line.file = without_repository(line.file);
    line = begin_of_assignment(line);
    return by_instruction_[instruction] = number_of_line(line);
  }

  std::uint32_t number_of_line(const SourceLine& line) {
    const auto next = static_cast<std::uint32_t>(places_.size());
    const auto [found, is_new] = by_place_.try_emplace({line.file, line.line, line.column}, next);
    if (is_new) places_.push_back(line);
    return found->second;
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
  if (offset_of(code) >= kFirstCall)
    return static_cast<std::uint32_t>(offset_of(code) - kFirstCall);
  return table().number_of(code_begin + offset_of(code));
}

SourceLine place_of(std::uintptr_t code_begin, AccessCode code) {
  if (offset_of(code) >= kFirstCall)
    return table().line_with_number(static_cast<std::uint32_t>(offset_of(code) - kFirstCall));
  return table().line_of(code_begin + offset_of(code));
}

bool is_code_of_call(AccessCode code) {
  return offset_of(code) >= kFirstCall;
}

AccessCode code_of_call(std::source_location where, AccessType type, unsigned bytes) {
  return pack_access(kFirstCall + table().number_of_call(where), type, bytes);
}

}  // namespace ladder::emulator
