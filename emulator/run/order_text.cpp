// SPDX-License-Identifier: MIT
#include "emulator/run/order_text.hpp"

namespace ladder::emulator {
namespace {

/// "loads a"
std::string does_text(const std::string& verb, const Fault& fault) {
  return verb + "s " + fault.element.value().array;
}

/// " in stream copies"
std::string stream_text(const Fields& fields, const std::string& name) {
  const std::string stream = fields.has(name) ? fields.word(name) : "";
  return stream.empty() ? "" : " in stream " + stream;
}

/// "consume in stream s"
std::string work_text(const Fields& fields, const std::string& which, const std::string& stream) {
  return fields.word(which) + stream_text(fields, stream);
}

/// "bytes 0 to 127"
std::string bytes_text(const Fields& fields) {
  const std::int64_t first = fields.number("from_byte");
  const std::int64_t last = first + fields.number("bytes") - 1;
  return first == last ? "byte " + std::to_string(first)
                       : "bytes " + std::to_string(first) + " to " + std::to_string(last);
}

/// "produce in stream p at f.cu:9, which " and what it does
std::string other_text(const Fault& fault) {
  return work_text(fault.fields, "other_work", "other_stream") + " at " +
         place_text(fault.other.value().place) + ", which ";
}

std::string other_verb(const Fault& fault) {
  return code_of(fault.other.value().verb.value());
}

/// \param orders  "nothing orders it"
std::string race_text(const Fault& fault, const char* orders) {
  return "race: " + work_text(fault.fields, "work", "stream") + " " +
         does_text(fault.fields.word("verb"), fault) + " (" + bytes_text(fault.fields) + ") at " +
         place_text(fault.place) + ", and " + orders + " with " + other_text(fault) +
         other_verb(fault) + "s it";
}

std::string host_text(const Fault& fault, const char* verb) {
  return std::string("too early: the host ") + verb + " " + fault.element.value().array + " at " +
         place_text(fault.place) + ", and has not waited for " + other_text(fault) + "may still " +
         other_verb(fault) + " it";
}

std::string freed_in_use_text(const Fault& fault) {
  const Fields& fields = fault.fields;
  const OtherAccess& other = fault.other.value();
  const std::string& array = fault.element.value().array;
  const bool is_second = fields.word("work_kind") == "free";
  const std::string free = is_second ? work_text(fields, "work", "stream")
                                     : work_text(fields, "other_work", "other_stream");
  const std::string use = is_second ? work_text(fields, "other_work", "other_stream")
                                    : work_text(fields, "work", "stream");
  return "freed in use: " + free + " frees " + array + " at " +
         place_text(is_second ? fault.place : other.place) + ", and nothing makes it wait for " +
         use + " at " + place_text(is_second ? other.place : fault.place) + ", which uses it";
}

std::string allocation_text(const Fault& fault) {
  const Fields& fields = fault.fields;
  return "too early: " + work_text(fields, "work", "stream") + " uses " +
         fault.element.value().array + " at " + place_text(fault.place) +
         ", and nothing makes it wait for " + work_text(fields, "other_work", "other_stream") +
         " at " + place_text(fault.other.value().place) + ", which takes it";
}

}  // namespace

std::string text_of_order(const Fault& fault) {
  switch (fault.kind) {
    case FaultKind::kRaceBetweenNodes:
      return race_text(fault, "no edge of the graph orders it");
    case FaultKind::kHostReadsTooEarly:
      return host_text(fault, "reads");
    case FaultKind::kHostWritesTooEarly:
      return host_text(fault, "writes");
    case FaultKind::kFreedInUse:
      return freed_in_use_text(fault);
    case FaultKind::kUsedBeforeAllocated:
      return allocation_text(fault);
    default:
      return race_text(fault, "nothing orders it");
  }
}

}  // namespace ladder::emulator
