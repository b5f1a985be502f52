// SPDX-License-Identifier: MIT
#include "classroom/graded_run.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "emulator/run/fault_order.hpp"
#include "emulator/run/kernel_error.hpp"
#include "emulator/run/settings.hpp"
#include "emulator/run/workspace.hpp"
#include "emulator/trace/replay.hpp"
#include "emulator/trace/trace.hpp"

namespace ladder::grader {
namespace {

using emulator::AccessCounts;
using emulator::KernelTrace;
using emulator::LineCounts;
using emulator::Operation;
using nlohmann::json;

/// Hazards that are told; the others are mostly the same mistake.
constexpr std::size_t kMostHazards = 3;
constexpr std::size_t kMostMessageBytes = 2000;
constexpr std::size_t kMostPathBytes = 100;

template <class T>
std::vector<emulator::TracedArray> arrays_of(const Gemm<T>& gemm) {
  const auto array = [](const char* name, const T* data, int rows, int columns) {
    const auto count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
    return emulator::TracedArray{.name = name,
                                 .data = data,
                                 .bytes = count * sizeof(T),
                                 .element_bytes = sizeof(T),
                                 .columns = static_cast<std::size_t>(columns)};
  };
  const std::span<std::byte> workspace = emulator::whole_workspace();
  emulator::TracedArray C = array("C", gemm.C, gemm.M, gemm.N);
  C.written = gemm.beta != 0;
  return {array("A", gemm.A, gemm.M, gemm.K), array("B", gemm.B, gemm.K, gemm.N), C,
          emulator::TracedArray{.name = "workspace",
                                .data = workspace.data(),
                                .bytes = workspace.size(),
                                .watched_bytes = emulator::kWatchedWorkspaceBytes}};
}

/// A block that is r rows of A and c columns of B away from another is as far from it in C.
template <class T>
bool complete(const Gemm<T>& gemm, emulator::ArrayShifts& shifts) {
  constexpr std::int64_t kElement = sizeof(T);
  if (!shifts[0] || !shifts[1] || *shifts[0] % (kElement * gemm.K) != 0) return false;
  const std::int64_t rows = *shifts[0] / (kElement * gemm.K);
  shifts[2] = kElement * rows * gemm.N + *shifts[1];
  return true;
}

bool reads_global(Operation operation) {
  return operation == Operation::kGlobalLoad || operation == Operation::kAsyncCopy ||
         operation == Operation::kBoxCopy;
}

bool writes_global(Operation operation) {
  return operation == Operation::kGlobalStore || operation == Operation::kGlobalAtomic ||
         operation == Operation::kBoxStore;
}

/// Nobody updates these: what does so, in vain, reads them.
bool is_of_inputs(const LineCounts& line) {
  return line.array == "A" || line.array == "B";
}

/// \brief Blocks look at these lines until others have written: how often differs from run to run.
///        Nobody waits for an input.
bool polls(const KernelTrace& trace, const LineCounts& line) {
  return !is_of_inputs(line) && std::ranges::any_of(trace.polls, [&](const emulator::Place& place) {
    return place.file == line.file && place.line == line.line;
  });
}

/// \brief What the memory part compares with the reference rung. The caches are those of a GPU with
///        32 SMs and an L2 so small that the order of blocks shows.
json counts_of(const KernelTrace& trace, std::span<const std::uint64_t> array_lines) {
  AccessCounts loads, stores, shared_loads, shared_stores;
  std::uint64_t by_threads = 0;  // and not by asynchronous copies
  for (const LineCounts& line : trace.lines) {
    if (polls(trace, line)) continue;
    const bool updates_input = line.operation == Operation::kGlobalAtomic && is_of_inputs(line);
    if (reads_global(line.operation) || updates_input) loads += line.counts;
    if (writes_global(line.operation)) stores += line.counts;
    if (line.operation == Operation::kSharedLoad) shared_loads += line.counts;
    if (line.operation == Operation::kSharedStore || line.operation == Operation::kAsyncCopy) {
      shared_stores += line.counts;
    }
    if (line.operation == Operation::kSharedStore) by_threads += line.counts.requests;
  }
  json counts = {{"global_load_requests", loads.requests - loads.zeros},
                 {"global_load_sectors", loads.sectors},
                 {"global_store_sectors", stores.sectors},
                 {"shared_load_wavefronts", shared_loads.wavefronts},
                 {"shared_store_wavefronts", shared_stores.wavefronts},
                 {"shared_store_requests", by_threads},
                 {"most_products", trace.most_products}};
  const emulator::MemorySystem system = {.sms = 32,
                                         .l1_bytes = std::size_t{16} * 1024,
                                         .l2_bytes = std::size_t{96} * 1024,
                                         .l2_ways = 16,
                                         .l2_partitions = 1};
  const emulator::ReplaySettings settings = {.blocks_per_sm = 1,
                                             .loads_hidden = trace.order.hidden(),
                                             .block_cycles = 1e4,
                                             .touch_budget = 600'000'000};
  std::vector<emulator::ReplayBlock> blocks;
  blocks.reserve(trace.launched.size());
  for (const emulator::TracedBlock& block : trace.launched)
    blocks.push_back({&trace.streams[block.stream], block.line_shift});
  const auto traffic = emulator::replay(system, settings, trace.patterns, array_lines, blocks);
  if (traffic) counts["dram_read_bytes"] = traffic->dram_read_bytes;
  const emulator::OrderOfEvents& order = trace.order;
  counts["order"] = {{"hidden", order.hidden()},
                     {"steps_ahead", order.steps_ahead},
                     {"barriers_per_tile", order.barriers_per_tile},
                     {"tiles", order.tiles.size()}};
  return counts;
}

/// Addresses differ from run to run, and say nothing to a student.
emulator::Fault without_address(emulator::Fault fault) {
  if (fault.fields.has("address")) fault.fields = {};
  return fault;
}

void take_faults(std::vector<emulator::Fault> faults, RunReport& report) {
  report.outcome = Outcome::hazard;
  put_out_of_bounds_first(faults);
  for (const emulator::Fault& fault :
       std::span(faults).first(std::min(kMostHazards, faults.size()))) {
    report.faults.emplace_back(fault);
    if (!report.message.empty()) report.message += "\n";
    report.message += text_of(without_address(fault));
  }
  if (faults.size() > kMostHazards) {
    report.message += "\nand " + std::to_string(faults.size() - kMostHazards) + " more";
  }
}

void take_trace(const KernelTrace& trace, std::span<const std::uint64_t> array_lines, bool counts,
                RunReport& report) {
  for (const LineCounts& line : trace.lines) {
    const auto bytes = line.operation == Operation::kBoxCopy
                           ? static_cast<double>(line.counts.sectors) * 32
                           : static_cast<double>(line.counts.bytes);
    // Of a copy, `array` is its target.
    const bool copies = reads_global(line.operation) && line.operation != Operation::kGlobalLoad;
    const bool inputs = is_of_inputs(line) && line.operation != Operation::kGlobalStore &&
                        line.operation != Operation::kBoxStore;
    if (copies || inputs) report.read_bytes += bytes;
    if (writes_global(line.operation) && line.array == "C") report.written_bytes += bytes;
  }
  if (trace.hazards.empty()) {
    if (counts) report.counts = counts_of(trace, array_lines);
    report.uncounted = trace.uncounted;
    if (report.uncounted.size() > kMostHazards) report.uncounted.resize(kMostHazards);
    return;
  }
  take_faults(trace.hazards, report);
}

/// Where A, B and C would begin, one behind the other, in lines of 128 bytes.
template <class T>
std::array<std::uint64_t, 4> lines_of(const Gemm<T>& gemm) {
  constexpr std::uint64_t kAligned = 2048;
  std::uint64_t at = 0;
  std::array<std::uint64_t, 4> first = {};
  const std::array<std::uint64_t, 3> elements = {std::uint64_t(gemm.M) * gemm.K,
                                                 std::uint64_t(gemm.K) * gemm.N,
                                                 std::uint64_t(gemm.M) * gemm.N};
  for (std::size_t i = 0; i < elements.size(); ++i) {
    first[i] = at;
    at += (elements[i] * sizeof(T) / 128 / kAligned + 1) * kAligned;
  }
  first[3] = at;
  return first;
}

void set_up(const RunOrder& order) {
  using emulator::BlockOrder;
  using emulator::CopyArrival;
  using emulator::ThreadTurns;
  emulator::set_multiprocessors(order.sms);
  emulator::set_copy_arrival(order.early ? CopyArrival::kEarly : CopyArrival::kLate);
  emulator::set_block_order(order.early ? BlockOrder::kDescending : BlockOrder::kAscending);
  // What orders accesses is traced by warps.
  emulator::set_thread_turns(order.early && !order.traced ? ThreadTurns::kLaneByLane
                                                          : ThreadTurns::kWarpByWarp);
}

constexpr std::array kOutcomes = {"ran", "hazard", "refused", "failed"};

json to_json(const emulator::Place& place) {
  return {{"file", place.file}, {"line", place.line}};
}

/// A path in the student's folder; of anything else nothing is kept.
emulator::Place place_of(const json& json) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./";
  emulator::Place place = {.file = json.at("file"), .line = json.at("line")};
  const bool plain = place.file.size() <= kMostPathBytes &&
                     place.file.find_first_not_of(kPlain) == std::string::npos;
  return plain ? place : emulator::Place();
}

FoundFault found_fault(const json& json) {
  const std::string code = json.at("code");
  const auto facts =
      std::ranges::find(emulator::kFaultKinds, code, &emulator::FaultKindFacts::code);
  if (facts == emulator::kFaultKinds.end()) throw std::invalid_argument("no such fault");
  return {facts->kind, place_of(json.at("place")), place_of(json.at("other"))};
}

}  // namespace

HostAccess::HostAccess(std::string what, emulator::Place at)
    : std::runtime_error("The host's code in launch.cu touches " + what +
                         (at.line > 0 ? ", at " + at.file + ":" + std::to_string(at.line) : "") +
                         ". It lies in the GPU's memory: only a kernel can read or write it"),
      array(std::move(what)),
      place(std::move(at)) {}

FoundFault::FoundFault(const emulator::Fault& fault) : kind(fault.kind), place(fault.place) {
  if (fault.other) {
    other = fault.other->place;
    return;
  }
  const auto elsewhere = std::ranges::find_if(
      fault.groups, [&](const emulator::ThreadGroup& group) { return group.place != place; });
  if (elsewhere != fault.groups.end()) other = elsewhere->place;
}

json to_json(const RunOrder& order) {
  return {{"traced", order.traced}, {"configuration", order.configuration},
          {"sms", order.sms},       {"early", order.early},
          {"again", order.again},   {"counts", order.counts},
          {"sample", order.sample}, {"watch", order.watch}};
}

RunOrder run_order(const json& json) {
  const RunOrder usual;
  return {.traced = json.value("traced", usual.traced),
          .configuration = json.value("configuration", usual.configuration),
          .sms = json.value("sms", usual.sms),
          .early = json.value("early", usual.early),
          .counts = json.value("counts", usual.counts),
          .watch = json.value("watch", usual.watch),
          .again = json.value("again", usual.again),
          .sample = json.value("sample", usual.sample)};
}

json to_json(const RunReport& report) {
  json faults = json::array();
  for (const FoundFault& fault : report.faults) {
    faults.push_back({{"code", code_of(fault.kind)},
                      {"place", to_json(fault.place)},
                      {"other", to_json(fault.other)}});
  }
  json uncounted = json::array();
  for (const emulator::Place& place : report.uncounted)
    uncounted.push_back(to_json(place));
  return {{"outcome", kOutcomes.at(static_cast<std::size_t>(report.outcome))},
          {"message", report.message},
          {"faults", faults},
          {"host_access", report.host_access ? to_json(*report.host_access) : json()},
          {"launched", report.launched},
          {"read_bytes", report.read_bytes},
          {"written_bytes", report.written_bytes},
          {"uncounted", uncounted},
          {"counts", report.counts}};
}

RunReport run_report(const json& json) {
  const auto outcome = std::ranges::find(kOutcomes, json.at("outcome").get<std::string>());
  if (outcome == kOutcomes.end()) throw std::invalid_argument("no such outcome");
  std::vector<FoundFault> faults;
  for (const auto& fault : json.at("faults")) {
    if (faults.size() < kMostHazards) faults.push_back(found_fault(fault));
  }
  std::vector<emulator::Place> uncounted;
  for (const auto& place : json.at("uncounted")) {
    if (uncounted.size() < kMostHazards) uncounted.push_back(place_of(place));
  }
  std::optional<emulator::Place> host_access;
  if (const auto& place = json.at("host_access"); !place.is_null()) host_access = place_of(place);
  return {.outcome = static_cast<Outcome>(outcome - kOutcomes.begin()),
          .message = json.at("message").get<std::string>().substr(0, kMostMessageBytes),
          .faults = faults,
          .host_access = host_access,
          .launched = json.at("launched").get<bool>(),
          .read_bytes = json.at("read_bytes").get<double>(),
          .written_bytes = json.at("written_bytes").get<double>(),
          .uncounted = uncounted,
          .counts = json.at("counts")};
}

std::string meaning_of(const std::exception& error) {
  std::string said(error.what(), strnlen(error.what(), kMostMessageBytes));
  const auto about = [&](const char* sentence) { return sentence + (" (C++: " + said + ")"); };
  if (dynamic_cast<const std::out_of_range*>(&error) != nullptr) {
    return about(
        "The host's code asks a std::vector, a std::string or the like for an element that it does "
        "not have");
  }
  if (dynamic_cast<const std::length_error*>(&error) != nullptr)
    return about(
        "The host's code asks for a std::vector, a std::string or the like of no possible size");
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr)
    return about("The host's code asks for more memory than it may have");
  return said;
}

RunReport reported(const std::function<void(RunReport&)>& run) {
  RunReport report;
  try {
    run(report);
  } catch (const ShapeRefused& error) {
    report.outcome = Outcome::refused;
    report.message = error.what();
  } catch (const HostAccess& access) {
    report.outcome = Outcome::failed;
    report.host_access = access.place;
    report.message = access.what();
  } catch (const emulator::KernelError& error) {
    report.message.clear();
    take_faults({error.fault()}, report);
  } catch (const std::exception& error) {
    report.outcome = Outcome::failed;
    report.message = meaning_of(error);
  } catch (...) {
    report.outcome = Outcome::failed;
    report.message = "run() threw something that is no std::exception";
  }
  return report;
}

template <class T>
RunReport run_once(const std::function<void()>& call, const Gemm<T>& gemm, const RunOrder& order) {
  set_up(order);
  // What a block has not yet stored must not be there from an earlier run.
  if (!order.again) emulator::clear_workspace();
  RunReport found = reported([&](RunReport& report) {
    if (!order.traced) {
      call();
      return;
    }
    const auto lines = lines_of(gemm);
    std::optional<KernelTrace> trace;
    try {
      const emulator::TraceOptions options = {
          .sample = order.sample,
          .complete_shifts = [&](emulator::ArrayShifts& shifts) { return complete(gemm, shifts); },
          .look_for_uncounted = order.watch,
          .host_variables = {},
          .warp = {}};
      trace = emulator::trace(arrays_of(gemm), call, options);
    } catch (const std::logic_error& error) {
      if (dynamic_cast<const ShapeRefused*>(&error) != nullptr) throw;
      report.launched = false;
      report.message = error.what();
      return;
    }
    take_trace(*trace, lines, order.counts, report);
  });
  // What rungs hand over from launch to launch is of no use after a failure.
  if (found.outcome != Outcome::ran) emulator::clear_workspace();
  return found;
}

template RunReport run_once(const std::function<void()>&, const Gemm<float>&, const RunOrder&);
template RunReport run_once(const std::function<void()>&, const Gemm<bfloat16>&, const RunOrder&);

}  // namespace ladder::grader
