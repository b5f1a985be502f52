// SPDX-License-Identifier: MIT
#include "emulator/trace/global_requests.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

#include "emulator/run/block/block_runner.hpp"
#include "emulator/trace/code_places.hpp"

namespace ladder::emulator {
namespace {

/// See StreamAccess::store.
std::uint32_t store_of(AccessType type, unsigned bytes) {
  if (type == AccessType::kCopySource) return bytes == 16 ? 2 : 0;
  return type == AccessType::kLoad ? 0 : 1;
}

GlobalShape shape_of(AccessType type, const WarpAddresses& request) {
  switch (type) {
    case AccessType::kLoad:
      return global_load_shape(request);
    case AccessType::kStore:
    case AccessType::kAtomicStore:
      return global_store_shape(request);
    case AccessType::kAtomic:
      return global_atomic_shape(request);
    case AccessType::kCopySource:
      return request.bytes == 16 ? global_copy_shape(request) : global_shape(request);
    default:
      return global_shape(request);
  }
}

/// Sectors of all lines that a box is asked for in.
std::uint64_t sectors_of_box(const ptx::TensorMap& map, int row, int column) {
  constexpr std::int64_t kLine = kLineBytes;
  constexpr std::int64_t kSector = kSectorBytes;
  const std::int64_t row_bytes = map.box_row_bytes();
  std::uint64_t sectors = 0;
  for (std::int64_t r = 0; r < map.box_rows; ++r) {
    const auto from = reinterpret_cast<std::int64_t>(map.matrix) + map.offset(row + r, column);
    for (std::int64_t done = 0; done < row_bytes;) {
      const std::int64_t part = std::min(row_bytes - done, kLine - (r * row_bytes + done) % kLine);
      sectors += static_cast<std::uint64_t>((from + done + part - 1) / kSector -
                                            (from + done) / kSector + 1);
      done += part;
    }
  }
  return sectors;
}

bool loads_only(AccessCode code) {
  return type_of(code) == AccessType::kLoad || type_of(code) == AccessType::kCopySource;
}

FaultKind kind_of(GlobalConflict::Kind conflict) {
  if (conflict == GlobalConflict::Kind::kUnwritten) return FaultKind::kUninitialisedGlobal;
  return conflict == GlobalConflict::Kind::kBlocksRace ? FaultKind::kRaceBetweenBlocks
                                                       : FaultKind::kRaceInGlobal;
}

}  // namespace

void GlobalRequests::start_grid() {
  constexpr std::size_t kNearGlobal = std::size_t{1} << 20;
  const ArrayIndex& index = state_.wishes->index;
  const bool any = !state_.wishes->arrays.empty();
  begin_ = any ? index.begin() - kNearGlobal : 0;
  bytes_ = any ? index.end() - index.begin() + 2 * kNearGlobal : 0;
  checked_ = kNoArray;
  of_cluster_ = {};
  uses_.assign(state_.wishes->arrays.size(), {});
  if (code_begin_ != state_.code_begin) launch_code_.clear();
  code_begin_ = state_.code_begin;
}

const GlobalPhase& GlobalRequests::phase_of(RequestSite& site, const std::uint64_t* address) const {
  const std::uint64_t base = address[std::countr_zero(site.lanes)];
  GlobalPhase& phase = site.phases[base % kLineBytes];
  if (phase.sectors == 0) {
    const WarpAddresses request = {address, site.lanes, bytes_of(site.code)};
    const GlobalShape shape = shape_of(type_of(site.code), request);
    phase = {.pattern = state_.wishes->patterns->number_of(shape.lines),
             .sectors = static_cast<std::uint16_t>(shape.sectors),
             .distinct_sectors = static_cast<std::uint16_t>(shape.distinct_sectors),
             .ideal_sectors = static_cast<std::uint16_t>(shape.ideal_sectors),
             .lines = static_cast<std::uint16_t>(shape.tags),
             .wavefronts = static_cast<std::uint16_t>(shape.wavefronts),
             .ideal_wavefronts = static_cast<std::uint16_t>(shape.ideal_wavefronts)};
  }
  return phase;
}

// -- Arrays --------------------------------------------------------------------------------------

bool GlobalRequests::is_in(std::size_t array, std::uint64_t begin, std::uint64_t end) const {
  if (array == kNoArray) return false;
  const TracedArray& one = state_.wishes->arrays[array];
  const auto first = reinterpret_cast<std::uint64_t>(one.data);
  return begin >= first && end <= first + one.bytes;
}

/// Counted from the start of the array.
std::int64_t GlobalRequests::line_of(std::size_t array, std::uint64_t address) const {
  const auto first = reinterpret_cast<std::uint64_t>(state_.wishes->arrays[array].data);
  return static_cast<std::int64_t>(address / kLineBytes - first / kLineBytes);
}

// -- Requests ------------------------------------------------------------------------------------

void GlobalRequests::request(RequestSite& site, const std::uint64_t* address, std::uint32_t lanes) {
  const std::uint64_t base = address[std::countr_zero(lanes)];
  const std::uint64_t begin = base + static_cast<std::uint64_t>(site.lowest);
  const std::uint64_t end = base + static_cast<std::uint64_t>(site.highest);
  if (!is_in(site.array, begin, end)) site.array = state_.wishes->index.with(begin, end);
  const GlobalPhase* phase = nullptr;
  if (site.array != kNoArray) [[likely]] {
    phase = &phase_of(site, address);
    visit_array(site.code, site.array, address, lanes, begin, phase->pattern);
    site.count_for(site.array);
  } else {
    if (!visit_apart(site, address, lanes)) return;
    phase = &phase_of(site, address);
  }
  const auto active = static_cast<unsigned>(std::popcount(lanes));
  const AccessType type = type_of(site.code);
  AccessCounts counts = {.requests = 1,
                         .lanes = active,
                         .bytes = std::uint64_t{active} * bytes_of(site.code),
                         .sectors = phase->sectors,
                         .distinct_sectors = phase->distinct_sectors,
                         .ideal_sectors = phase->ideal_sectors,
                         .lines = phase->lines,
                         .wavefronts = phase->wavefronts,
                         .ideal_wavefronts = phase->ideal_wavefronts};
  if (type == AccessType::kCopySource) counts = {};  // see SharedCounts::count_copy()
  site.counts.global += counts;
  site.counts.see(state_.warp_of_grid(), false, address, lanes, 0, counts);
  if (state_.is_ordered() && type == AccessType::kLoad) order_.global_load(state_.warp);
  recorded_.add(site.code, false, lanes, address, 0, counts);
}

/// What a request, or those of its lanes that access this array, do there.
void GlobalRequests::visit_array(AccessCode code, std::size_t array, const std::uint64_t* address,
                                 std::uint32_t lanes, std::uint64_t begin, std::uint32_t pattern) {
  const AccessType type = type_of(code);
  const bool stores = type == AccessType::kStore || is_atomic(code);
  uses_[array].stored |= stores;
  uses_[array].loaded |= !stores || type == AccessType::kAtomic;
  if (state_.wishes->shadow != nullptr) check(code, array, address, lanes);
  stream_.add({.line = line_of(array, begin),
               .pattern = pattern,
               .array = static_cast<std::uint32_t>(array),
               .store = store_of(type, bytes_of(code))});
}

/// \brief  Of a request whose lanes access several arrays, or none. It counts for the array of the
///         first lane that accesses any.
/// \return false: it is of no concern
bool GlobalRequests::visit_apart(RequestSite& site, const std::uint64_t* address,
                                 std::uint32_t lanes) {
  const std::uint64_t first = address[std::countr_zero(lanes)];
  const unsigned bytes = bytes_of(site.code);
  if (is_of_no_concern(first, site.code)) return false;
  site.count_for(kNoArray);
  for (std::uint32_t left = lanes; left != 0;) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    left &= left - 1;
    const std::size_t array = state_.wishes->index.with(
        address[lane], address[lane] + bytes_at(site.code, address[lane]));
    if (array == kNoArray) {
      report(state_.thread(lane), site.code, address[lane]);
      continue;
    }
    WarpAddresses same = {address, 1u << lane, bytes};
    std::uint64_t begin = address[lane];
    for_each_lane(left, [&](unsigned other) {
      if (!is_in(array, address[other], address[other] + bytes_at(site.code, address[other])))
        return;
      same.lanes |= 1u << other;
      begin = std::min(begin, address[other]);
    });
    left &= ~same.lanes;
    const GlobalShape shape = shape_of(type_of(site.code), same);
    visit_array(site.code, array, address, same.lanes, begin,
                state_.wishes->patterns->number_of(shape.lines));
    if (site.counts.array == kNoArray) site.count_for(array);
  }
  return true;
}

/// Races, and loads of what nobody wrote.
void GlobalRequests::check(AccessCode code, std::size_t array, const std::uint64_t* address,
                           std::uint32_t lanes) {
  GlobalShadow& shadow = *state_.wishes->shadow;
  lanes &= state_.unchecked;
  if (!concerns(code, array) || lanes == 0) return;
  const auto lock = shadow.lock(array);
  const auto check_slowly = [&](unsigned lane) {
    check_lane(lane_access(code, address, lane), array);
  };
  const bool load = type_of(code) == AccessType::kLoad;
  if ((!load && type_of(code) != AccessType::kStore) || state_.marks.volatiles != 0)
    return for_each_lane(lanes, check_slowly);
  const auto data = reinterpret_cast<std::uint64_t>(state_.wishes->arrays[array].data);
  const unsigned bytes = bytes_of(code);
  for_each_lane(lanes, [&](unsigned lane) {
    const GlobalAccess access = {.code = code,
                                 .phase = state_.grid_phase,
                                 .thread = static_cast<std::uint16_t>(state_.thread(lane)),
                                 .value = state_.stored[lane]};
    const std::size_t at = address[lane] - data;
    const bool done = load ? shadow.load_quietly(array, at, bytes, access, thread_order_)
                           : shadow.store_quietly(array, at, bytes, access, thread_order_);
    if (!done) check_slowly(lane);
  });
}

inline LaneAccess GlobalRequests::lane_access(AccessCode code, const std::uint64_t* address,
                                              unsigned lane) const {
  return {.code = code,
          .address = address[lane],
          .thread = state_.thread(lane),
          .value = state_.stored[lane],
          .is_volatile = (state_.marks.volatiles >> lane & 1) != 0,
          .is_of_block = (state_.marks.of_block >> lane & 1) != 0};
}

/// How many an access of a lane takes.
inline unsigned GlobalRequests::bytes_at(AccessCode code, std::uint64_t address) const {
  const unsigned bytes = bytes_of(code);
  if (type_of(code) != AccessType::kCopySource || copied_in_part_.empty()) return bytes;
  const auto part = copied_in_part_.find(address);
  return part == copied_in_part_.end() ? bytes : part->second;
}

void GlobalRequests::check_alone(const LaneAccess& access) {
  const std::uint64_t end = access.address + bytes_at(access.code, access.address);
  if (state_.checks_cluster() && is_in_cluster(access.address)) {
    check_in_cluster(access);
    return;
  }
  if (state_.is_near_shared(access.address)) return;
  if (!is_in(checked_, access.address, end))
    checked_ = state_.wishes->index.with(access.address, end);
  if (checked_ == kNoArray || !concerns(access.code, checked_)) return;
  const auto lock = state_.wishes->shadow->lock(checked_);
  check_lane(access, checked_);
}

bool GlobalRequests::concerns(AccessCode code, std::size_t array) const {
  const GlobalShadow& shadow = *state_.wishes->shadow;
  return loads_only(code) ? shadow.concerns_loads(array) : shadow.concerns_stores(array);
}

/// Under the lock of the array.
inline GlobalConflict GlobalRequests::conflict_of(GlobalShadow& shadow, const LaneAccess& lane,
                                                  std::size_t array, std::size_t at) const {
  const bool atomic = is_atomic(lane.code);
  const unsigned bytes = bytes_at(lane.code, lane.address);
  const GlobalAccess access = {.code = lane.code,
                               .phase = state_.grid_phase,
                               .thread = static_cast<std::uint16_t>(lane.thread),
                               .value = lane.value,
                               .is_strong = atomic || lane.is_volatile,
                               .is_of_block = lane.is_of_block,
                               .is_lenient = state_.is_lenient,
                               .address = lane.address};
  if (loads_only(lane.code)) return shadow.load(array, at, bytes, access, thread_order_);
  if (!atomic) return shadow.store(array, at, bytes, access, thread_order_);
  const bool reads = type_of(lane.code) == AccessType::kAtomic;
  return shadow.update(array, at, bytes, reads, access, thread_order_);
}

inline void GlobalRequests::check_lane(const LaneAccess& lane, std::size_t array) {
  const std::size_t at =
      lane.address - reinterpret_cast<std::uint64_t>(state_.wishes->arrays[array].data);
  const GlobalConflict conflict = conflict_of(*state_.wishes->shadow, lane, array, at);
  if (conflict.kind == GlobalConflict::Kind::kNone) [[likely]]
    return;
  if (conflict.kind == GlobalConflict::Kind::kUnwritten && loads_only(lane.code)) {
    // Padding, or a member that nobody set, of an object that is loaded whole?
    const auto [first, last] =
        state_.object_around(at, lane.code, state_.wishes->arrays[array].element_bytes);
    if (state_.wishes->shadow->is_written(array, first, last)) return;
  }
  RawHazard hazard = {.kind = kind_of(conflict.kind),
                      .code = lane.code,
                      .earlier = conflict.earlier,
                      .thread = static_cast<std::uint16_t>(lane.thread),
                      .earlier_thread = conflict.thread,
                      .address = lane.address};
  if (conflict.kind == GlobalConflict::Kind::kBlocksRace) hazard.earlier_block = conflict.block;
  hazards_.report(hazard);
}

// -- Shared memory of a cluster ------------------------------------------------------------------

bool GlobalRequests::is_in_cluster(std::uintptr_t address) const {
  return BlockRunner::of_this_cpu_thread()->cluster().shared_contains(address);
}

void GlobalRequests::check_in_cluster(AccessCode code, const std::uint64_t* address,
                                      std::uint32_t lanes) {
  for_each_lane(lanes & state_.unchecked,
                [&](unsigned lane) { check_in_cluster(lane_access(code, address, lane)); });
}

GlobalShadow& GlobalRequests::shadow_of_cluster(unsigned rank) {
  const std::span<std::byte> memory = BlockRunner::of_this_cpu_thread()->cluster().shared(rank);
  auto& [known, shadow] = of_cluster_[rank];
  if (known != memory.data()) {
    known = memory.data();
    shadow = &state_.wishes->clusters->of(memory.data(), memory.size());
  }
  return *shadow;
}

/// Races of the block's own threads are found by its own shadow.
void GlobalRequests::check_in_cluster(const LaneAccess& lane) {
  const AccessType type = type_of(lane.code);
  const bool is_access =
      type == AccessType::kLoad || type == AccessType::kStore || is_atomic(lane.code);
  const ClusterMember& member = BlockRunner::of_this_cpu_thread()->cluster();
  const auto place = member.place_of(lane.address);
  if (!is_access || !place) return;
  const auto& [rank, at] = *place;
  GlobalShadow& shadow = shadow_of_cluster(rank);
  const auto lock = shadow.lock(0);
  const GlobalConflict conflict = conflict_of(shadow, lane, 0, at);
  if (conflict.kind != GlobalConflict::Kind::kBlocksRace || !thread_order_.is_near(conflict.block))
    return;
  hazards_.report({.kind = FaultKind::kRaceBetweenBlocks,
                   .code = lane.code,
                   .earlier = conflict.earlier,
                   .thread = static_cast<std::uint16_t>(lane.thread),
                   .earlier_thread = conflict.thread,
                   .earlier_block = conflict.block,
                   .shared = true,
                   .address = at});
}

namespace {

/// The rows of a box that lie in its matrix: calls visit(address of the first byte, and past the
/// last, and where the first is in the box) for each.
template <class Visit>
void for_each_row_inside(const ptx::TensorMap& map, int row, int column, Visit visit) {
  const int end_row = std::min(row + map.box_rows, map.rows);
  const int first_column = std::max(column, 0);
  const int end_column = std::min(column + map.box_columns, map.columns);
  if (first_column >= end_column) return;
  for (int r = std::max(row, 0); r < end_row; ++r) {
    visit(reinterpret_cast<std::uint64_t>(map.matrix + map.offset(r, first_column)),
          reinterpret_cast<std::uint64_t>(map.matrix + map.offset(r, end_column)),
          static_cast<std::size_t>((r - row) * map.box_row_bytes() +
                                   std::int64_t{first_column - column} * map.element_bytes));
  }
}

std::uint64_t sectors_in(std::uint64_t begin, std::uint64_t end) {
  return (end - 1) / kSectorBytes - begin / kSectorBytes + 1;
}

/// A box counts for its matrix, also where it lies outside of it and moves nothing.
template <class Index>
void count_for_matrix(RequestSite& site, const Index& index, const ptx::TensorMap& map) {
  const auto begin = reinterpret_cast<std::uint64_t>(map.matrix);
  const std::size_t array = index.with(begin, begin + 1);
  if (array != kNoArray) site.count_for(array);
}

}  // namespace

void GlobalRequests::request_box(RequestSite& site, unsigned thread, const ptx::TensorMap& map,
                                 int row, int column) {
  count_for_matrix(site, state_.wishes->index, map);
  std::uint64_t left = sectors_of_box(map, row, column);
  for_each_row_inside(map, row, column, [&](std::uint64_t begin, std::uint64_t end, std::size_t) {
    const std::size_t array = state_.wishes->index.with(begin, end);
    if (array == kNoArray) {
      report(thread, site.code, begin);
      return;
    }
    site.count_for(array);
    early_.check(thread, site.code, begin, end, AccessVerb::kLoad);
    stream_row(array, begin, end, 2);
    left -= sectors_in(begin, end);
  });
  stream_beyond(map, row, column, left);
  site.counts.global += AccessCounts{.requests = 1, .lanes = 1};
}

void GlobalRequests::receive_box(RequestSite& site, const ptx::TensorMap& map, int row,
                                 int column) {
  AccessCounts counts = {.sectors = sectors_of_box(map, row, column)};
  count_for_matrix(site, state_.wishes->index, map);
  for_each_row_inside(map, row, column, [&](std::uint64_t begin, std::uint64_t end, std::size_t) {
    const std::size_t array = state_.wishes->index.with(begin, end);
    if (array == kNoArray) return;
    uses_[array].loaded = true;
    site.count_for(array);
    count_row(counts, begin, end);
  });
  counts.ideal_sectors = (counts.bytes + kSectorBytes - 1) / kSectorBytes;
  site.counts.global += counts;
}

void GlobalRequests::store_box(RequestSite& site, unsigned thread, const ptx::TensorMap& map,
                               int row, int column, std::span<const std::byte> data) {
  AccessCounts counts = {.requests = 1, .lanes = 1};
  count_for_matrix(site, state_.wishes->index, map);
  for_each_row_inside(
      map, row, column, [&](std::uint64_t begin, std::uint64_t end, std::size_t at) {
        const std::size_t array = state_.wishes->index.with(begin, end);
        if (array == kNoArray) {
          report(thread, site.code, begin);
          return;
        }
        uses_[array].stored = true;
        site.count_for(array);
        early_.check(thread, site.code, begin, end, AccessVerb::kStore);
        stream_row(array, begin, end, 1);
        count_row(counts, begin, end);
        check_row_of_store(site.code, thread, array, begin, data.subspan(at, end - begin));
      });
  counts.sectors = counts.distinct_sectors;
  counts.ideal_sectors = (counts.bytes + kSectorBytes - 1) / kSectorBytes;
  site.counts.global += counts;
}

void GlobalRequests::stream_row(std::size_t array, std::uint64_t begin, std::uint64_t end,
                                std::uint32_t store) {
  stream_.add({.line = line_of(array, begin),
               .pattern = state_.wishes->patterns->number_of(lines_of(begin, end)),
               .array = static_cast<std::uint32_t>(array),
               .store = store});
}

/// What the copy engine asks L2 for, too: rows and columns beyond the edges of the matrix, and
/// sectors that lie in two lines of shared memory.
void GlobalRequests::stream_beyond(const ptx::TensorMap& map, int row, int column,
                                   std::uint64_t sectors) {
  const auto matrix = reinterpret_cast<std::uint64_t>(map.matrix);
  const std::size_t array = state_.wishes->index.with(matrix, matrix + 1);
  if (array == kNoArray || sectors == 0) return;
  LinePattern lines;
  constexpr std::uint64_t kSectorsPerLine = kLineBytes / kSectorBytes;
  for (std::int32_t line = 0; sectors > 0; ++line) {
    const std::uint64_t here = std::min(sectors, kSectorsPerLine);
    lines.push_back({.line = line, .sectors = (1u << here) - 1, .again = true});
    sectors -= here;
  }
  const int last_row = std::clamp(row, 0, map.rows - 1);
  const int last_column = std::clamp(column, 0, map.columns - 1);
  const std::uint64_t nearest =
      matrix + static_cast<std::uint64_t>(map.offset(last_row, last_column));
  stream_.add({.line = line_of(array, nearest),
               .pattern = state_.wishes->patterns->number_of(lines),
               .array = static_cast<std::uint32_t>(array),
               .store = 2});
}

void GlobalRequests::count_row(AccessCounts& counts, std::uint64_t begin, std::uint64_t end) {
  counts.bytes += end - begin;
  counts.lines += lines_of(begin, end).size();
  counts.distinct_sectors += sectors_in(begin, end);
}

/// Races of what the copy engine writes for a thread.
void GlobalRequests::check_row_of_store(AccessCode code, unsigned thread, std::size_t array,
                                        std::uint64_t begin, std::span<const std::byte> data) {
  if (state_.wishes->shadow == nullptr || !concerns(code, array)) return;
  const TracedArray& traced = state_.wishes->arrays[array];
  const auto unit = static_cast<unsigned>(std::min<std::size_t>(4, traced.element_bytes));
  const std::size_t first = begin - reinterpret_cast<std::uint64_t>(traced.data);
  GlobalShadow& shadow = *state_.wishes->shadow;
  const auto lock = shadow.lock(array);
  for (std::size_t at = 0; at + unit <= data.size(); at += unit) {
    GlobalAccess access = {.code = code,
                           .phase = state_.grid_phase,
                           .thread = static_cast<std::uint16_t>(thread),
                           .is_lenient = state_.is_lenient,
                           .address = begin + at};
    std::memcpy(&access.value, &data[at], unit);
    if (shadow.store_quietly(array, first + at, unit, access, thread_order_)) continue;
    const GlobalConflict conflict = shadow.store(array, first + at, unit, access, thread_order_);
    if (conflict.kind == GlobalConflict::Kind::kNone) continue;
    RawHazard hazard = {.kind = kind_of(conflict.kind),
                        .code = code,
                        .earlier = conflict.earlier,
                        .thread = static_cast<std::uint16_t>(thread),
                        .earlier_thread = conflict.thread,
                        .address = begin + at};
    if (conflict.kind == GlobalConflict::Kind::kBlocksRace) hazard.earlier_block = conflict.block;
    hazards_.report(hazard);
  }
}

// -- Accesses elsewhere --------------------------------------------------------------------------

void GlobalRequests::report(unsigned thread, AccessCode code, std::uint64_t address) {
  hazards_.report({.kind = FaultKind::kGlobalOutOfBounds,
                   .code = code,
                   .thread = static_cast<std::uint16_t>(thread),
                   .address = address});
}

bool GlobalRequests::report_elsewhere(unsigned thread, std::uintptr_t address, AccessCode code) {
  if (is_of_no_concern(address, code)) return false;
  report(thread, code, address);
  return true;
}

/// Is this a local variable, a constant of the library, or the shared memory of another block of
/// the cluster? They may lie between two arrays. Or the launch itself?
bool GlobalRequests::is_of_no_concern(std::uintptr_t address, AccessCode code) {
  BlockRunner& runner = *BlockRunner::of_this_cpu_thread();
  return runner.threads().stacks().contains(address) || runner.cluster().shared_contains(address) ||
         (state_.plan->code.library_contains(address) && !is_of_host(address)) ||
         is_launch_code(code);
}

bool GlobalRequests::is_of_host(std::uintptr_t address) const {
  return std::ranges::any_of(state_.wishes->host_variables, [&](std::span<const std::byte> bytes) {
    return address - reinterpret_cast<std::uintptr_t>(bytes.data()) < bytes.size();
  });
}

/// Is this the code that reads a kernel's arguments from wherever the host program keeps them?
bool GlobalRequests::is_launch_code(AccessCode code) {
  const auto [known, is_new] = launch_code_.try_emplace(code, false);
  if (is_new) {
    const SourceLine place = place_of(state_.code_begin, code);
    known->second = place.file.empty() || place.file.ends_with("common/launch.cuh");
  }
  return known->second;
}

}  // namespace ladder::emulator
