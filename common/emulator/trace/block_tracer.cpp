// SPDX-License-Identifier: MIT
#include "common/emulator/trace/block_tracer.hpp"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

#include "common/emulator/block_runner.hpp"
#include "common/emulator/trace/code_places.hpp"

namespace ladder::emulator {

constinit thread_local AccessCursor access_cursor;

namespace {

/// Accesses this near to shared memory are meant for it.
constexpr std::size_t kNearShared = std::size_t{32} * 1024;
constexpr std::size_t kMaxHazards = 200;

template <class Visit>
void for_each_lane_of(std::uint32_t lanes, Visit visit) {
  for (; lanes != 0; lanes &= lanes - 1)
    visit(static_cast<unsigned>(std::countr_zero(lanes)));
}

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
    for_each_lane_of(lanes, [&](unsigned lane) {
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

// -- Global memory -------------------------------------------------------------------------------

const BlockTracer::Site::Phase& BlockTracer::phase_of(Site& site, const std::uint64_t* address) {
  const std::uint64_t base = address[std::countr_zero(site.lanes)];
  Site::Phase& phase = site.phases[base % kLineBytes];
  if (phase.sectors == 0) {
    const WarpAddresses request = {address, site.lanes, bytes_of(site.code)};
    const GlobalShape shape = type_of(site.code) == AccessType::kAtomic
                                  ? global_atomic_shape(request)
                                  : global_shape(request);
    phase = {.pattern = wishes_->patterns->number_of(shape.lines),
             .sectors = static_cast<std::uint16_t>(shape.sectors),
             .distinct_sectors = static_cast<std::uint16_t>(shape.distinct_sectors),
             .ideal_sectors = static_cast<std::uint16_t>(shape.ideal_sectors),
             .lines = static_cast<std::uint16_t>(shape.tags)};
  }
  return phase;
}

std::size_t BlockTracer::array_with(std::uint64_t begin, std::uint64_t end) const {
  for (std::size_t i = 0; i < wishes_->arrays.size(); ++i) {
    const auto first = reinterpret_cast<std::uint64_t>(wishes_->arrays[i].data);
    if (begin >= first && end <= first + wishes_->arrays[i].bytes) return i;
  }
  return kMaxArrays;
}

void BlockTracer::global_request(Site& site, const std::uint64_t* address, std::uint32_t lanes) {
  const std::uint64_t base = address[std::countr_zero(lanes)];
  const std::uint64_t begin = base + static_cast<std::uint64_t>(site.lowest);
  const std::uint64_t end = base + static_cast<std::uint64_t>(site.highest);
  const auto inside = [&](std::size_t array) {
    if (array == kMaxArrays) return false;
    const auto first = reinterpret_cast<std::uint64_t>(wishes_->arrays[array].data);
    return begin >= first && end <= first + wishes_->arrays[array].bytes;
  };
  if (!inside(site.array)) {
    site.array = array_with(begin, end);
    if (site.array == kMaxArrays) [[unlikely]] {
      if (is_launch_code(site.code) || is_private(address[std::countr_zero(lanes)])) return;
      report_global(site, address, lanes);
    }
  }

  const Site::Phase& phase = phase_of(site, address);
  const auto active = static_cast<unsigned>(std::popcount(lanes));
  AccessCounts counts = {.requests = 1,
                         .lanes = active,
                         .bytes = std::uint64_t{active} * bytes_of(site.code),
                         .sectors = phase.sectors,
                         .distinct_sectors = phase.distinct_sectors,
                         .ideal_sectors = phase.ideal_sectors,
                         .lines = phase.lines};
  site.counts.global += counts;
  if (site.array != kMaxArrays) {
    const auto first = reinterpret_cast<std::uint64_t>(wishes_->arrays[site.array].data);
    stream_.accesses.push_back(
        {.line = static_cast<std::int64_t>(begin / kLineBytes - first / kLineBytes),
         .pattern = phase.pattern,
         .array = static_cast<std::uint16_t>(site.array),
         .store = static_cast<std::uint16_t>(type_of(site.code) == AccessType::kLoad ? 0 : 1)});
  }
  if (block_ == wishes_->ordered_block && type_of(site.code) == AccessType::kLoad) {
    order_.global_load(warp_);
  }
  if (is_recorded()) {
    RawRequest raw = {.code = site.code, .shared = false, .lanes = lanes, .counts = counts};
    for_each_lane_of(lanes, [&](unsigned lane) { raw.address[lane] = address[lane]; });
    recorded_.push_back(raw);
  }
}

bool BlockTracer::is_recorded() const {
  return wishes_->warp && wishes_->warp->first == block_ && wishes_->warp->second == warp_ &&
         recorded_.size() < kMaxRecordedRequests;
}

void BlockTracer::report_global(Site& site, const std::uint64_t* address, std::uint32_t lanes) {
  for_each_lane_of(lanes, [&](unsigned lane) {
    if (array_with(address[lane], address[lane] + bytes_of(site.code)) != kMaxArrays) return;
    report({.kind = HazardKind::kGlobalOutOfBounds,
            .code = site.code,
            .thread = static_cast<std::uint16_t>(32 * warp_ + lane),
            .address = address[lane]});
  });
}

// -- Shared memory -------------------------------------------------------------------------------

void BlockTracer::shared_request(Site& site, const std::uint64_t* address, std::uint32_t lanes) {
  const auto first_lane = static_cast<unsigned>(std::countr_zero(lanes));
  const std::uint64_t first = address[first_lane] - shared_begin_;
  if (site.words.empty() || site.phase_in_word != first % 4) {
    site.phase_in_word = static_cast<unsigned>(first % 4);
    site.is_guard = std::ranges::any_of(shared_guards_, [&](const SharedArray& guard) {
      return first - guard.offset < guard.bytes;
    });
    find_words(site, address);
    const WarpAddresses request = {address, lanes, bytes_of(site.code)};
    const AccessType type = type_of(site.code);
    site.shape = type == AccessType::kLoad    ? shared_load_shape(request)
                 : type == AccessType::kStore ? shared_store_shape(request)
                                              : shared_atomic_shape(request);
  }
  if (site.is_guard) return;
  check_shared(site, first);

  if (type_of(site.code) == AccessType::kLoad) {
    if (block_ == wishes_->ordered_block) order_.shared_load(warp_, first);
    if (bytes_of(site.code) == 4 && widen(site, address, lanes)) return;
  } else {
    settle_wide_loads();
    if (block_ == wishes_->ordered_block) {
      order_.shared_store(warp_, first + static_cast<std::uint64_t>(site.lowest),
                          first + static_cast<std::uint64_t>(site.highest));
    }
  }
  count_shared(site, address, lanes, site.shape);
}

/// Which words the pattern touches, each once per store lane and once per request for loads.
void BlockTracer::find_words(Site& site, const std::uint64_t* address) {
  const unsigned bytes = bytes_of(site.code);
  const std::uint64_t base_word = address[std::countr_zero(site.lanes)] / 4;
  std::map<std::pair<std::int32_t, std::uint8_t>, TouchedWord> words;
  for_each_lane_of(site.lanes, [&](unsigned lane) {
    const std::uint64_t last = (address[lane] + bytes - 1) / 4;
    for (std::uint64_t word = address[lane] / 4; word <= last; ++word) {
      const std::uint64_t low = std::max(address[lane], word * 4) % 4;
      const std::uint64_t high = std::min(address[lane] + bytes, word * 4 + 4) - word * 4;
      const auto mask = static_cast<std::uint8_t>((1u << high) - (1u << low));
      const auto relative = static_cast<std::int32_t>(word - base_word);
      const auto [found, is_new] = words.try_emplace(
          {relative, mask}, TouchedWord{relative, static_cast<std::uint8_t>(lane), mask, false});
      if (!is_new) found->second.several = true;
    }
  });
  site.words.clear();
  for (const auto& [place, word] : words)
    site.words.push_back(word);
  std::ranges::stable_sort(site.words, {}, &TouchedWord::lane);  // the lowest thread is reported
}

void BlockTracer::check_shared(Site& site, std::uint64_t first) {
  const std::uint64_t begin = first + static_cast<std::uint64_t>(site.lowest);
  const std::uint64_t end = first + static_cast<std::uint64_t>(site.highest);
  const auto inside = [&](std::uint64_t from, std::uint64_t to) {
    return std::ranges::any_of(shared_arrays_, [&](const SharedArray& array) {
      return from >= array.offset && to <= array.offset + array.bytes;
    });
  };
  bool any_outside = false;
  if (!inside(begin, end)) [[unlikely]] {
    for_each_lane_of(site.lanes, [&](unsigned lane) {
      const std::uint64_t at = first + site.delta[lane];
      if (inside(at, at + bytes_of(site.code))) return;
      any_outside = true;
      report({.kind = HazardKind::kSharedOutOfBounds,
              .code = site.code,
              .thread = static_cast<std::uint16_t>(32 * warp_ + lane),
              .shared = true,
              .address = at});
    });
  }
  const AccessType type = type_of(site.code);
  const std::uint64_t base_word = first / 4;
  for (const TouchedWord& touched : site.words) {
    const auto word =
        static_cast<std::uint32_t>(base_word + static_cast<std::uint64_t>(touched.word));
    if (any_outside) [[unlikely]] {
      // The others' accesses count: what they store is not uninitialised later.
      const std::uint64_t at = std::uint64_t{4} * word;
      const auto byte = static_cast<unsigned>(std::countr_zero(unsigned{touched.bytes}));
      if (!inside(at + byte, at + std::bit_width(unsigned{touched.bytes}))) continue;
    }
    if (type == AccessType::kLoad && shadow_.is_settled(word)) continue;
    const WordAccess access = {.word = word,
                               .bytes = touched.bytes,
                               .several = touched.several,
                               .thread = static_cast<std::uint16_t>(32 * warp_ + touched.lane),
                               .sync = syncs_[warp_],
                               .code = site.code};
    const Conflict conflict = type == AccessType::kLoad    ? shadow_.load(access)
                              : type == AccessType::kStore ? shadow_.store(access)
                                                           : shadow_.update(access);
    if (conflict.kind == Conflict::Kind::kNone) [[likely]]
      continue;
    const bool race = conflict.kind == Conflict::Kind::kRace;
    report({.kind = race ? HazardKind::kRace : HazardKind::kUninitialisedShared,
            .code = site.code,
            .earlier = conflict.earlier,
            .thread = access.thread,
            .earlier_thread = conflict.earlier_thread,
            .shared = true,
            .address = std::uint64_t{4} * access.word +
                       static_cast<unsigned>(std::countr_zero(unsigned{access.bytes}))});
  }
}

void BlockTracer::count_shared(Site& site, const std::uint64_t* address, std::uint32_t lanes,
                               const SharedShape& shape) {
  const auto active = static_cast<unsigned>(std::popcount(lanes));
  const unsigned bytes = bytes_of(site.code);
  const AccessCounts counts = {.requests = 1,
                               .lanes = active,
                               .bytes = std::uint64_t{active} * bytes,
                               .wavefronts = shape.wavefronts,
                               .ideal_wavefronts = shape.ideal_wavefronts};
  site.counts.shared += counts;
  if (is_recorded()) {
    RawRequest raw = {
        .code = (site.code & ~AccessCode{15}) | (pack_access(0, type_of(site.code), bytes) & 15),
        .shared = true,
        .lanes = lanes,
        .counts = counts};
    for_each_lane_of(lanes,
                     [&](unsigned lane) { raw.address[lane] = address[lane] - shared_begin_; });
    recorded_.push_back(raw);
  }
}

// -- Scalar loads that become wide ones ----------------------------------------------------------

/// nvcc's assembler makes one LDS.128 of four scalar loads from neighbouring words when all lanes
/// are aligned and no store lies between (LDS.64 of two). True where it unrolls the loop that the
/// loads stand in, which it does to the inner loops of tiles. False: the load stays as it is.
bool BlockTracer::widen(Site& site, const std::uint64_t* address, std::uint32_t lanes) {
  const auto first = static_cast<unsigned>(std::countr_zero(lanes));
  for (std::size_t i = 0; i < wide_.size(); ++i) {
    WideLoad& load = wide_[i];
    if (load.lanes != lanes || address[first] != load.address[first] + 4 * load.count) continue;
    std::uint64_t differs = 0;
    for (unsigned lane = 0; lane < 32; ++lane)
      differs |= (address[lane] - load.address[lane] - 4 * load.count) & site.active[lane];
    if (differs != 0) continue;
    if (++load.count == load.limit) {
      const WideLoad full = load;
      wide_.erase(wide_.begin() + static_cast<std::ptrdiff_t>(i));
      emit(full);
    }
    return true;
  }
  std::uint64_t bits = address[first];  // that are set in any lane's address
  for (unsigned lane = 0; lane < 32; ++lane)
    bits |= site.delta[lane] & site.active[lane];
  const unsigned limit = (bits & 15) == 0 ? 4 : (bits & 7) == 0 ? 2 : 1;
  if (limit == 1) return false;
  if (wide_.size() >= 128) {
    const WideLoad oldest = wide_.front();
    wide_.erase(wide_.begin());
    emit(oldest);
  }
  WideLoad& load = wide_.emplace_back();
  load.code = site.code;
  load.lanes = lanes;
  load.count = 1;
  load.limit = limit;
  std::copy_n(address, 32, load.address.begin());
  return true;
}

void BlockTracer::settle_wide_loads() {
  for (const WideLoad& load : wide_)
    emit(load);
  wide_.clear();
}

void BlockTracer::emit(const WideLoad& load) {
  Site& site = site_of(load.code);
  std::array<std::uint64_t, 32> address = load.address;
  for (unsigned left = load.count; left > 0;) {
    const unsigned words = left >= 4 ? 4 : left >= 2 ? 2 : 1;
    const WarpAddresses request = {address.data(), load.lanes, 4 * words};
    SharedShape once;
    // The site may have gone on to another pattern since the run began.
    const bool known = same_pattern(site, load.address.data(), load.lanes);
    SharedShape& shape = known ? site.wide_shapes[words] : once;
    if (shape.wavefronts == 0) shape = shared_load_shape(request);
    const AccessCode wide_code =
        (load.code & ~AccessCode{15}) | (pack_access(0, AccessType::kLoad, 4 * words) & 15);
    count_shared(site_of(wide_code), address.data(), load.lanes, shape);
    left -= words;
    for (std::uint64_t& lane : address)
      lane += std::uint64_t{4} * words;
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
