// SPDX-License-Identifier: MIT
#include "emulator/trace/trace_names.hpp"

#include <algorithm>

#include "emulator/run/debug_info/source_lines.hpp"
#include "emulator/run/waits/hang_report.hpp"
#include "emulator/trace/code_places.hpp"

namespace ladder::emulator {
namespace {

AccessVerb verb_of(AccessCode code, bool shared) {
  if (is_product(code)) return AccessVerb::kLoad;
  if (is_box_store(code)) return shared ? AccessVerb::kCopyFrom : AccessVerb::kCopyTo;
  switch (type_of(code)) {
    case AccessType::kLoad:
      return AccessVerb::kLoad;
    case AccessType::kStore:
    case AccessType::kAtomicStore:
      return AccessVerb::kStore;
    case AccessType::kAtomic:
      return AccessVerb::kUpdate;
    case AccessType::kCopySource:
      return AccessVerb::kCopyFrom;
    case AccessType::kBox:
      return shared ? AccessVerb::kCopyTo : AccessVerb::kCopyFrom;
    case AccessType::kCopyTarget:
    case AccessType::kCopyLanded:
      break;
  }
  return AccessVerb::kCopyTo;
}

bool has_other(FaultKind kind) {
  return group_of(kind) == FaultGroup::kRace || kind == FaultKind::kCopyInFlight ||
         kind == FaultKind::kCopyUnfenced || kind == FaultKind::kCopyStillReads;
}

}  // namespace

Operation operation_of(AccessCode code, bool shared) {
  if (is_product(code)) return Operation::kProduct;
  if (is_box_store(code)) return Operation::kBoxStore;
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
  return array == kNoArray ? "" : shared_[array - kFirstSharedArray].name;
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
    const std::size_t array = index_.with(first, first + 1);
    if (array != kNoArray) {
      request.array = arrays_[array].name;
      start = reinterpret_cast<std::uint64_t>(arrays_[array].data);
    }
  }
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((raw.lanes >> lane & 1) != 0) {
      request.addresses[lane] = static_cast<std::int64_t>(raw.address[lane] - start);
    }
  }
}

// -- Hazards -------------------------------------------------------------------------------------

Element TraceNames::global_element(std::uint64_t address) const {
  const std::size_t number = index_.nearest(address);
  if (number == kNoArray) return {.space = MemorySpace::kGlobal};
  const TracedArray* const nearest = &arrays_[number];
  const auto begin = reinterpret_cast<std::uint64_t>(nearest->data);
  const std::uint64_t distance =
      address < begin ? begin - address : address - std::min(address, begin + nearest->bytes);
  constexpr std::uint64_t kFar = std::uint64_t{1} << 32;
  if (distance > kFar) return {.space = MemorySpace::kGlobal};
  const auto offset =
      static_cast<std::int64_t>(address - reinterpret_cast<std::uint64_t>(nearest->data));
  const auto bytes = static_cast<std::int64_t>(nearest->element_bytes);
  const std::int64_t index = offset >= 0 ? offset / bytes : -((-offset + bytes - 1) / bytes);
  const auto elements = static_cast<std::int64_t>(nearest->bytes / nearest->element_bytes);
  Element element = {.space = MemorySpace::kGlobal,
                     .array = nearest->name,
                     .indices = {index},
                     .extents = {elements}};
  if (nearest->columns > 0) {
    const auto columns = static_cast<std::int64_t>(nearest->columns);
    element.extents = {elements / columns, columns};
    element.columns = columns;
  }
  return element;
}

Fault TraceNames::hazard(const RawHazard& raw) const {
  Fault fault = raw.found.value_or(Fault());
  fault.kind = raw.kind;
  fault.place = raw.place.line != 0 ? raw.place : place_at(raw.code);
  fault.block = array_of(plan_.block_index(raw.block));
  fault.thread = array_of(plan_.thread_index(raw.thread));
  fault.times = raw.times;
  if (raw.kind == FaultKind::kMissingBarrier) {
    add_return_line(plan_.kernel, fault);
    return fault;
  }
  if (raw.kind == FaultKind::kIndexOutOfBounds) {
    const std::string expression =
        subscript_ending_at(fault.place.file, fault.place.line, raw.column);
    if (expression.empty()) return fault;  // no source to read it from
    fault.element = Element{.space = MemorySpace::kShared,
                            .array = expression.substr(0, expression.find('[')),
                            .expression = expression};
    return fault;
  }
  if (!raw.found) fault.access = Access{verb_of(raw.code, raw.shared), bytes_of(raw.code)};
  if (!raw.shared && raw.address == 0) return fault;
  if (!raw.shared) fault.address = raw.address;
  fault.element = raw.shared ? element_at(shared_, raw.address) : global_element(raw.address);
  if (has_other(raw.kind)) fault.other = other_access(raw);
  if (raw.previous != nullptr) {
    fault.fields.set("other_work", raw.previous->name);
    fault.other.emplace(raw.previous->place, Index{});
    fault.other->verb = raw.use_before;
  }
  if (raw.updates && fault.other->place == fault.place) fault.fields.set("updates", true);
  name_kind(raw, fault);
  return fault;
}

OtherAccess TraceNames::other_access(const RawHazard& raw) const {
  OtherAccess other(place_at(raw.earlier), array_of(plan_.thread_index(raw.earlier_thread)));
  other.verb = verb_of(raw.earlier, raw.shared);
  other.same_thread = raw.earlier_thread == raw.thread;
  if (raw.earlier_block) other.block = array_of(plan_.block_index(*raw.earlier_block));
  return other;
}

/// What is accessed says more about the kind than the access does.
void TraceNames::name_kind(const RawHazard& raw, Fault& fault) const {
  const Element& element = *fault.element;
  if (raw.kind == FaultKind::kGlobalOutOfBounds) {
    if (element.array.empty()) fault.kind = FaultKind::kNoArray;
    if (element.columns) fault.kind = FaultKind::kMatrixOutOfBounds;
  }
  if (raw.kind == FaultKind::kUninitialisedGlobal && element.columns) {
    fault.kind = FaultKind::kUninitialisedMatrix;
  }
  if (raw.kind != FaultKind::kSharedOutOfBounds) return;
  const SharedArray* const array = array_near(shared_, raw.address);
  if (array == nullptr || !array->is_dynamic) return;
  fault.kind = FaultKind::kDynamicSharedOutOfBounds;
  fault.fields = {{"bytes", array->bytes},
                  {"needed_bytes", raw.address + bytes_of(raw.code) - array->offset}};
}

}  // namespace ladder::emulator
