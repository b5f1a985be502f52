// SPDX-License-Identifier: MIT
#include "emulator/trace/trace_names.hpp"

#include "emulator/run/debug_info/source_lines.hpp"
#include "emulator/run/waits/hang_report.hpp"
#include "emulator/trace/code_places.hpp"

namespace ladder::emulator {
namespace {

std::string text_of(const Place& place) {
  return place.file + ":" + std::to_string(place.line);
}

std::string verb_of(AccessCode code) {
  switch (type_of(code)) {
    case AccessType::kLoad:
      return "loads";
    case AccessType::kStore:
    case AccessType::kAtomicStore:
      return "stores";
    case AccessType::kAtomic:
      return "updates";
    case AccessType::kCopySource:
      return "copies from";
    case AccessType::kCopyTarget:
    case AccessType::kCopyLanded:
    case AccessType::kBox:
      return "copies to";
  }
  return "";
}

}  // namespace

Operation operation_of(AccessCode code, bool shared) {
  switch (type_of(code)) {
    case AccessType::kLoad:
      return shared ? Operation::kSharedLoad : Operation::kGlobalLoad;
    case AccessType::kStore:
    case AccessType::kAtomicStore:
      return shared ? Operation::kSharedStore : Operation::kGlobalStore;
    case AccessType::kCopySource:
    case AccessType::kCopyTarget:
    case AccessType::kCopyLanded:
      return Operation::kAsyncCopy;
    case AccessType::kBox:
      return Operation::kBoxCopy;
    case AccessType::kAtomic:
      break;
  }
  return shared ? Operation::kSharedAtomic : Operation::kGlobalAtomic;
}

Place TraceNames::place_at(AccessCode code) const {
  const SourceLine line = place_of(plan_.code.begin(), code);
  return {line.file, line.line};
}

// -- Requests ------------------------------------------------------------------------------------

WarpRequest TraceNames::request(const RawRequest& raw) const {
  WarpRequest request = {.place = place_at(raw.code),
                         .operation = operation_of(raw.code, raw.shared),
                         .access_bytes = bytes_of(raw.code),
                         .lanes = raw.lanes,
                         .counts = raw.counts};
  name_addresses(raw, request);
  return request;
}

std::string TraceNames::array_name(std::size_t array) const {
  if (array < arrays_.size()) return arrays_[array].name;
  return array > kMaxArrays ? shared_[array - kMaxArrays - 1].name : "";
}

/// Addresses become bytes from the start of the array that they lie in.
void TraceNames::name_addresses(const RawRequest& raw, WarpRequest& request) const {
  std::uint64_t start = 0;
  const std::uint64_t first = raw.address[static_cast<unsigned>(__builtin_ctz(raw.lanes))];
  if (raw.shared) {
    for (const SharedArray& array : shared_) {
      if (first < array.offset || first >= array.offset + array.bytes) continue;
      request.array = array.name;
      start = array.offset;
    }
    request.bank0 = static_cast<unsigned>(start / 4 % 32);
  } else {
    for (const TracedArray& array : arrays_) {
      const auto begin = reinterpret_cast<std::uint64_t>(array.data);
      if (first < begin || first >= begin + array.bytes) continue;
      request.array = array.name;
      start = begin;
    }
  }
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((raw.lanes >> lane & 1) != 0) {
      request.addresses[lane] = static_cast<std::int64_t>(raw.address[lane] - start);
    }
  }
}

// -- Hazards -------------------------------------------------------------------------------------

std::string TraceNames::array_element(std::uint64_t address) const {
  const TracedArray* nearest = nullptr;
  std::uint64_t distance = ~std::uint64_t{0};
  for (const TracedArray& array : arrays_) {
    const auto begin = reinterpret_cast<std::uint64_t>(array.data);
    const std::uint64_t away = address < begin                 ? begin - address
                               : address < begin + array.bytes ? 0
                                                               : address - (begin + array.bytes);
    if (away >= distance) continue;
    distance = away;
    nearest = &array;
  }
  constexpr std::uint64_t kFar = std::uint64_t{1} << 32;
  if (nearest == nullptr || distance > kFar) return "";
  const auto offset =
      static_cast<std::int64_t>(address - reinterpret_cast<std::uint64_t>(nearest->data));
  const auto bytes = static_cast<std::int64_t>(nearest->element_bytes);
  const std::int64_t index = offset >= 0 ? offset / bytes : -((-offset + bytes - 1) / bytes);
  return nearest->name + "[" + std::to_string(index) + "]";
}

/// " (A has 4096 elements)" for an element of a known array; of a matrix, the row and the column.
std::string TraceNames::size_note(const std::string& element) const {
  for (const TracedArray& array : arrays_) {
    if (!element.starts_with(array.name + "[")) continue;
    const std::size_t elements = array.bytes / array.element_bytes;
    if (array.columns > 0) {
      const auto columns = static_cast<std::int64_t>(array.columns);
      const std::int64_t index = std::stoll(element.substr(array.name.size() + 1));
      const std::int64_t row = index >= 0 ? index / columns : -((-index + columns - 1) / columns);
      return ", row " + std::to_string(row) + ", column " + std::to_string(index - row * columns) +
             " (" + array.name + " is " + std::to_string(elements / array.columns) + " x " +
             std::to_string(array.columns) + ")";
    }
    return " (" + array.name + " has " + std::to_string(elements) + " elements)";
  }
  return "";
}

/// " (sA is 8 x 32)"; of dynamic shared memory, what the launch asked for and what this access
/// needs.
std::string TraceNames::shared_note(const RawHazard& raw) const {
  const SharedArray* const array = array_near(shared_, raw.address);
  if (array == nullptr) return "";
  if (array->is_dynamic) {
    return ": the launch asked for " + std::to_string(array->bytes) +
           " bytes of dynamic shared memory, and this needs " +
           std::to_string(raw.address + bytes_of(raw.code) - array->offset) + ",";
  }
  if (array->extents.size() < 2) {
    return " (" + array->name + " has " + std::to_string(array->bytes / array->element_bytes) +
           " elements)";
  }
  std::string extents;
  for (const std::size_t extent : array->extents)
    extents += (extents.empty() ? "" : " x ") + std::to_string(extent);
  return " (" + array->name + " is " + extents + ")";
}

Hazard TraceNames::hazard(const RawHazard& raw) const {
  Hazard hazard;
  hazard.kind = raw.kind;
  hazard.place = raw.place.line != 0 ? raw.place : place_at(raw.code);
  hazard.block = array_of(plan_.block_index(raw.block));
  hazard.thread = array_of(plan_.thread_index(raw.thread));
  hazard.times = raw.times;
  if (raw.kind == HazardKind::kDivergentBarrier) {
    // There is no element.
  } else if (raw.text.empty()) {
    hazard.element = raw.shared ? element_name(shared_, raw.address) : array_element(raw.address);
  } else {
    hazard.element = subscript_ending_at(hazard.place.file, hazard.place.line, raw.column);
  }
  const bool has_other = raw.kind == HazardKind::kRace || raw.kind == HazardKind::kInFlight ||
                         raw.kind == HazardKind::kUnfenced;
  if (has_other) hazard.other = place_at(raw.earlier);
  hazard.message = has_other ? message_of_two(raw, hazard) : message_of_one(raw, hazard);
  return hazard;
}

std::string TraceNames::thread_name(unsigned thread) const {
  return "thread " + to_text(array_of(plan_.thread_index(thread)));
}

std::string TraceNames::message_of_one(const RawHazard& raw, const Hazard& hazard) const {
  const std::string& element = hazard.element;
  const std::string who = thread_name(raw.thread) + " ";
  const std::string does = who + verb_of(raw.code) + " ";
  const std::string where = " at " + text_of(hazard.place) + ", block " + to_text(hazard.block);
  const std::string bytes = std::to_string(bytes_of(raw.code)) + " bytes";
  switch (raw.kind) {
    case HazardKind::kGlobalOutOfBounds:
      return "out of bounds: " + does + (element.empty() ? "an address in no array" : element) +
             size_note(element) + where;
    case HazardKind::kSharedOutOfBounds:
      if (raw.text.empty()) {
        return "out of bounds: " + does + element + " of shared memory" + shared_note(raw) + where;
      }
      return "out of bounds: " + who + "uses " + raw.text + (element.empty() ? "" : " in ") +
             element + where;
    case HazardKind::kMisaligned:
      return "misaligned: " + does + bytes + " at " + element + ", which is not a multiple of " +
             bytes + "," + where;
    case HazardKind::kUninitialisedShared:
      return "uninitialised: " + does + element + ", which no thread of the block has written," +
             where;
    case HazardKind::kUninitialisedGlobal:
      return "uninitialised: " + does + element + size_note(element) +
             ", which nobody has written," + where;
    case HazardKind::kDivergentBarrier:
      return raw.text + return_note(plan_.kernel, hazard.place.file, hazard.place.line) +
             "; GPUs from Volta on go on without them, older ones need not," + where + ", " +
             thread_name(raw.thread);
    default:
      return "";
  }
}

std::string TraceNames::message_of_two(const RawHazard& raw, const Hazard& hazard) const {
  const std::string does =
      thread_name(raw.thread) + " " + verb_of(raw.code) + " " + hazard.element + " at ";
  const std::string place = text_of(hazard.place);
  const std::string block = ", block " + to_text(hazard.block);
  const std::string other = thread_name(raw.earlier_thread);
  const std::string verb = verb_of(raw.earlier);
  const std::string there = " at " + text_of(*hazard.other);
  switch (raw.kind) {
    case HazardKind::kRace:
      if (raw.earlier_block) {
        return "race: " + does + place + block + ", and " + other + " of block " +
               to_text(array_of(plan_.block_index(*raw.earlier_block))) + " " + verb + " it" +
               there + "; blocks run in any order, so use atomics or another launch";
      }
      return "race: " + does + place + ", and no barrier separates it from " +
             (raw.earlier_thread == raw.thread ? "another lane" : other) + " that " + verb + " it" +
             there + block;
    case HazardKind::kInFlight:
      return "in flight: " + does + place + block +
             ", but nothing has waited for the copy to it that " + other + " starts" + there;
    default:
      return "unfenced: " + does + place + block +
             ", and no fence_proxy_async() separates it from " + other + " that " + verb + " it" +
             there;
  }
}

}  // namespace ladder::emulator
