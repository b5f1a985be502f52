// SPDX-License-Identifier: MIT
#include "common/emulator/trace/block_tracer.hpp"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

#include "common/emulator/block_runner.hpp"
#include "common/emulator/trace/code_places.hpp"
#include "common/emulator/warp_functions.hpp"

namespace ladder::emulator {

constinit thread_local AccessCursor access_cursor;

namespace {

/// Accesses this near to shared memory are meant for it.
constexpr std::size_t kNearShared = std::size_t{32} * 1024;
constexpr std::size_t kMaxHazards = 200;

}  // namespace

void BlockTracer::start_grid(const GridPlan& plan, const SharedMemory& shared,
                             const TraceWishes& wishes) {
  plan_ = &plan;
  wishes_ = &wishes;
  code_begin_ = plan.code.begin();
  shared_begin_ = reinterpret_cast<std::uintptr_t>(shared.arrays.data());
  if (shared_bytes_ != shared.arrays.size()) shadow_.resize(shared.arrays.size());
  shared_bytes_ = shared.arrays.size();
  const auto dynamic_offset =
      static_cast<std::size_t>(shared.dynamic.data() - shared.arrays.data());
  shared_arrays_ = shared_arrays_of(plan.kernel, dynamic_offset, plan.dynamic_shared_bytes);
  shared_guards_ = shared_guards_of(plan.kernel);

  std::uintptr_t begin = ~std::uintptr_t{0};
  std::uintptr_t end = 0;
  for (const TracedArray& array : wishes.arrays) {
    const auto first = reinterpret_cast<std::uintptr_t>(array.data);
    begin = std::min(begin, first);
    end = std::max(end, first + array.bytes);
  }
  constexpr std::size_t kNearGlobal = std::size_t{1} << 20;
  global_begin_ = wishes.arrays.empty() ? 0 : begin - kNearGlobal;
  global_bytes_ = wishes.arrays.empty() ? 0 : end - begin + 2 * kNearGlobal;
  sites_.clear();
  recent_sites_.fill(nullptr);
  hazards_.clear();
  recorded_.clear();
  order_.start(shared_arrays_);
}

void BlockTracer::start_block(std::uint64_t block) {
  block_ = block;
  shadow_.start_block();
  rows_.fill(0);
  syncs_.fill(0);
  stream_ = {};
  chunks_.fill(0);
  slice_chunk_ = 0;
  access_cursor = {.code_begin = code_begin_,
                   .shared_begin = shared_begin_ - kNearShared,
                   .shared_bytes = shared_bytes_ + 2 * kNearShared,
                   .global_begin = global_begin_,
                   .global_bytes = global_bytes_};
}

void BlockTracer::rest() noexcept {
  access_cursor = {};
  inside_ = false;
}

// -- Logs ----------------------------------------------------------------------------------------

WarpLog& BlockTracer::log_of(unsigned warp) {
  if (logs_[warp] != nullptr) return *logs_[warp];
  if (free_logs_.empty()) {
    all_logs_.push_back(std::make_unique_for_overwrite<WarpLog>());
    free_logs_.push_back(all_logs_.back().get());
  }
  logs_[warp] = free_logs_.back();
  free_logs_.pop_back();
  return *logs_[warp];
}

void BlockTracer::enter(unsigned thread) noexcept {
  WarpLog& log = log_of(thread / 32);
  const unsigned lane = thread % 32;
  auto* const first = reinterpret_cast<std::byte*>(&log.row[0].address[lane]);
  access_cursor.next = first + sizeof(WarpLog::Row) * rows_[thread];
  access_cursor.end = first + sizeof(WarpLog::Row) * row_limit_;
  access_cursor.to_code = reinterpret_cast<std::byte*>(&log.row[0].code[lane]) - first;
  running_ = thread;
  inside_ = true;
}

void BlockTracer::leave(unsigned thread) noexcept {
  if (!inside_) return;
  const auto left =
      static_cast<std::size_t>(access_cursor.end - access_cursor.next) / sizeof(WarpLog::Row);
  rows_[thread] = static_cast<std::uint16_t>(row_limit_ - left);
  inside_ = false;
}

void BlockTracer::flush(unsigned warp) {
  const bool inside = inside_;
  if (inside) leave(running_);
  const std::uint16_t* const rows = &rows_[std::size_t{32} * warp];
  std::uint32_t lanes = 0;
  unsigned fewest = WarpLog::kRows;
  unsigned most = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (rows[lane] == 0) continue;
    lanes |= 1u << lane;
    fewest = std::min<unsigned>(fewest, rows[lane]);
    most = std::max<unsigned>(most, rows[lane]);
  }
  if (lanes != 0) {
    warp_ = warp;
    if (chunks_[warp] > slice_chunk_) {
      stream_.slice_ends.push_back(static_cast<std::uint32_t>(stream_.accesses.size()));
      slice_chunk_ = chunks_[warp];
    }
    WarpLog& log = *logs_[warp];
    const auto same_code = [&](unsigned row) {
      const AccessCode* const code = log.row[row].code;
      const AccessCode first = code[std::countr_zero(lanes)];
      std::uint32_t differs = 0;
      for (unsigned lane = 0; lane < 32; ++lane)
        differs |= (code[lane] != first ? 1u : 0u) << lane;
      return (differs & lanes) == 0;
    };
    bool in_step = fewest == most;
    for (unsigned row = 0; in_step && row < most; ++row)
      in_step = same_code(row);
    if (in_step) {
      for (unsigned row = 0; row < most; ++row)
        request(log.row[row].code[std::countr_zero(lanes)], log.row[row].address, lanes);
    } else {
      flush_unequal(warp, log, most);
    }
    settle_wide_loads();
    std::fill_n(&rows_[std::size_t{32} * warp], 32, std::uint16_t{0});
    free_logs_.push_back(std::exchange(logs_[warp], nullptr));
  }
  if (inside) enter(running_);
}

/// Lanes went different ways. The k-th time that a lane came by a place belongs to the k-th time
/// that the others did.
void BlockTracer::flush_unequal(unsigned warp, const WarpLog& log, unsigned rows) {
  struct Request {
    unsigned row;
    AccessCode code;
    std::uint32_t lanes = 0;
    std::array<std::uint64_t, 32> address = {};
  };
  std::vector<Request> requests;
  std::map<std::tuple<std::uint32_t, AccessCode, unsigned>, std::size_t> found;
  for (unsigned lane = 0; lane < 32; ++lane) {
    std::map<std::pair<std::uint32_t, AccessCode>, unsigned> visits;
    for (unsigned row = 0; row < std::min<unsigned>(rows, rows_[32 * warp + lane]); ++row) {
      const AccessCode code = log.row[row].code[lane];
      const std::uint32_t place = place_number(code_begin_, code);
      const unsigned visit = visits[{place, code & 15}]++;
      const auto [at, is_new] = found.try_emplace({place, code & 15, visit}, requests.size());
      if (is_new) requests.push_back({row, code});
      Request& request = requests[at->second];
      request.row = std::max(request.row, row);
      request.lanes |= 1u << lane;
      request.address[lane] = log.row[row].address[lane];
    }
  }
  std::ranges::stable_sort(requests, {}, &Request::row);
  for (const Request& one : requests)
    request(one.code, one.address.data(), one.lanes);
}

void BlockTracer::pass_barrier() {
  shadow_.pass_barrier();
  if (block_ == wishes_->ordered_block) order_.pass_barrier();
  stream_.slice_ends.push_back(static_cast<std::uint32_t>(stream_.accesses.size()));
  chunks_.fill(0);
  slice_chunk_ = 0;
}

void BlockTracer::begin_chunk(unsigned warp) {
  ++chunks_[warp];
}

void BlockTracer::meet(unsigned warp) {
  flush(warp);
  ++syncs_[warp];
}

void BlockTracer::end_block() {
  for (unsigned warp = 0; 32 * warp < plan_->threads; ++warp)
    flush(warp);
  stream_.slice_ends.push_back(static_cast<std::uint32_t>(stream_.accesses.size()));
  for (WarpLog*& log : logs_) {
    if (log != nullptr) free_logs_.push_back(std::exchange(log, nullptr));
  }
}

// -- Requests ------------------------------------------------------------------------------------

BlockTracer::Site& BlockTracer::site_of(AccessCode code) {
  Site*& recent = recent_sites_[(code ^ code >> 10) % recent_sites_.size()];
  if (recent != nullptr && recent->code == code) return *recent;
  std::unique_ptr<Site>& site = sites_[code];
  if (site == nullptr) {
    site = std::make_unique<Site>();
    site->code = code;
  }
  recent = site.get();
  return *recent;
}

bool BlockTracer::same_pattern(Site& site, const std::uint64_t* address,
                               std::uint32_t lanes) const {
  if (site.lanes != lanes) return false;
  const std::uint64_t base = address[std::countr_zero(lanes)];
  std::uint64_t differs = 0;
  for (unsigned lane = 0; lane < 32; ++lane)
    differs |= (address[lane] - base - site.delta[lane]) & site.active[lane];
  return differs == 0;
}

void BlockTracer::learn_pattern(Site& site, const std::uint64_t* address, std::uint32_t lanes) {
  const std::uint64_t base = address[std::countr_zero(lanes)];
  const unsigned bytes = bytes_of(site.code);
  site.lanes = lanes;
  site.lowest = 0;
  site.highest = 0;
  site.skew = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    const bool active = (lanes >> lane & 1) != 0;
    site.delta[lane] = active ? address[lane] - base : 0;
    site.active[lane] = active ? ~std::uint64_t{0} : 0;
    const auto delta = static_cast<std::int64_t>(site.delta[lane]);
    site.lowest = std::min(site.lowest, delta);
    site.highest = std::max(site.highest, delta);
    site.skew |= site.delta[lane] & (bytes - 1);
  }
  site.highest += bytes;
  site.phases = {};
  site.words.clear();
  site.wide_shapes = {};
}

void BlockTracer::request(AccessCode code, const std::uint64_t* address, std::uint32_t lanes) {
  Site& site = site_of(code);
  if (!same_pattern(site, address, lanes)) learn_pattern(site, address, lanes);
  const unsigned first = static_cast<unsigned>(std::countr_zero(lanes));
  const unsigned bytes = bytes_of(code);
  const bool shared =
      address[first] - (shared_begin_ - kNearShared) < shared_bytes_ + 2 * kNearShared;
  if (((site.skew | address[first]) & (bytes - 1)) != 0) [[unlikely]] {
    for_each_lane(lanes, [&](unsigned lane) {
      if (address[lane] % bytes == 0) return;
      report({.kind = HazardKind::kMisaligned,
              .code = code,
              .thread = static_cast<std::uint16_t>(32 * warp_ + lane),
              .shared = shared,
              .address = shared ? address[lane] - shared_begin_ : address[lane]});
    });
  }
  if (shared) {
    shared_request(site, address, lanes);
  } else {
    global_request(site, address, lanes);
  }
}

// -- Reports -------------------------------------------------------------------------------------

void BlockTracer::report(RawHazard hazard) {
  hazard.block = block_;
  for (RawHazard& known : hazards_) {
    if (known.kind == hazard.kind && known.code == hazard.code && known.earlier == hazard.earlier &&
        known.place == hazard.place && known.column == hazard.column) {
      const std::uint64_t times = known.times + 1;
      if (hazard.block == known.block && hazard.thread < known.thread) known = std::move(hazard);
      known.times = times;
      return;
    }
  }
  if (hazards_.size() < kMaxHazards) hazards_.push_back(std::move(hazard));
}

/// Is this the code that reads a kernel's arguments from wherever the host program keeps them?
bool BlockTracer::is_launch_code(AccessCode code) {
  const auto [known, is_new] = launch_code_.try_emplace(code, false);
  if (is_new) {
    const SourceLine place = place_of(code_begin_, code);
    known->second = place.file.empty() || place.file.ends_with("common/launch.cuh");
  }
  return known->second;
}

/// Is this a local variable, or a constant of the library? They may lie between two arrays.
bool BlockTracer::is_private(std::uintptr_t address) const {
  return BlockRunner::of_this_cpu_thread()->on_stack(address) ||
         plan_->code.library_contains(address);
}

bool BlockTracer::report_elsewhere(unsigned thread, std::uintptr_t address, AccessCode code) {
  if (plan_->code.library_contains(address) || is_launch_code(code)) return false;
  report({.kind = HazardKind::kGlobalOutOfBounds,
          .code = code,
          .thread = static_cast<std::uint16_t>(thread),
          .address = address});
  return true;
}

void BlockTracer::report_index(unsigned thread, Place place, unsigned column,
                               const std::string& text) {
  report({.kind = HazardKind::kSharedOutOfBounds,
          .thread = static_cast<std::uint16_t>(thread),
          .shared = true,
          .text = text,
          .place = std::move(place),
          .column = column});
}

std::vector<std::pair<AccessCode, SiteCounts>> BlockTracer::take_counts() {
  std::vector<std::pair<AccessCode, SiteCounts>> counts;
  for (const auto& [code, site] : sites_)
    counts.emplace_back(code, std::exchange(site->counts, SiteCounts()));
  std::ranges::sort(counts, {}, [](const auto& entry) { return entry.first; });
  return counts;
}

BlockStream BlockTracer::take_stream() {
  return std::exchange(stream_, BlockStream());
}

}  // namespace ladder::emulator
