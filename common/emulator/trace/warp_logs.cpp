// SPDX-License-Identifier: MIT
/// \file  common/emulator/trace/warp_logs.cpp
/// \brief BlockTracer's logs: from the rows that lanes fill to the requests of their warp, and the
///        epochs in which they filled them.
#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <utility>

#include "common/emulator/trace/block_tracer.hpp"
#include "common/emulator/trace/code_places.hpp"
#include "common/emulator/words/warp_functions.hpp"

namespace ladder::emulator {
namespace {

/// The lanes whose copies read anything.
std::uint32_t with_address(const std::uint64_t* address) {
  std::uint32_t lanes = 0;
  for (unsigned lane = 0; lane < 32; ++lane)
    lanes |= (address[lane] != 0 ? 1u : 0u) << lane;
  return lanes;
}

}  // namespace

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
  access_cursor.tracer = this;
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

void BlockTracer::look_at(unsigned warp) {
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
    if (!changes_[warp].empty()) sort_changes(warp);
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
      flush_in_step(log, most, lanes);
    } else {
      flush_unequal(warp, log, most);
    }
    settle_wide_loads();
    std::fill_n(&rows_[std::size_t{32} * warp], 32, std::uint16_t{0});
    free_logs_.push_back(std::exchange(logs_[warp], nullptr));
  }
  if (!changes_[warp].empty()) forget_changes(warp);
  if (inside) enter(running_);
}

void BlockTracer::flush_in_step(const WarpLog& log, unsigned rows, std::uint32_t lanes) {
  const auto first = static_cast<unsigned>(std::countr_zero(lanes));
  epochs_ = epochs_at(warp_, 0, lanes);
  see_order_as(warp_, epochs_.earliest);
  for (unsigned row = 0; row < rows; ++row) {
    if (rows_with_changes_[row]) {
      epochs_ = epochs_at(warp_, row, lanes);
      see_order_as(warp_, epochs_.earliest);
    }
    request(log.row[row].code[first], log.row[row].address, lanes);
  }
}

/// Lanes went different ways. The k-th time that a lane came by a place belongs to the k-th time
/// that the others did.
void BlockTracer::flush_unequal(unsigned warp, const WarpLog& log, unsigned rows) {
  struct Request {
    unsigned row;
    AccessCode code;
    Epochs epochs;
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
      const unsigned visit = visits[{place, code & kHowBits}]++;
      const auto [at, is_new] = found.try_emplace({place, code & kHowBits, visit}, requests.size());
      const Epoch epoch = epoch_at(warp, lane, row);
      if (is_new) requests.push_back({row, code, {epoch, epoch}});
      Request& request = requests[at->second];
      request.epochs.earliest = std::min(request.epochs.earliest, epoch);
      request.epochs.latest = std::max(request.epochs.latest, epoch);
      request.row = std::max(request.row, row);
      request.lanes |= 1u << lane;
      request.address[lane] = log.row[row].address[lane];
    }
  }
  std::ranges::stable_sort(requests, {}, &Request::row);
  for (const Request& one : requests) {
    epochs_ = one.epochs;
    see_order_as(warp, epochs_.earliest);
    request(one.code, one.address.data(), one.lanes);
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
  site.pattern = ++patterns_;
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
  if (type_of(code) == AccessType::kCopySource) {
    for_each_lane(lanes, [&](unsigned lane) { copy_source_[lane] = address[lane]; });
    recorded_source_.reset();
    lanes &= with_address(address);
    if (lanes == 0) return;
  }
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

// -- Epochs of a warp's log ----------------------------------------------------------------------

/// The sooner a log is looked at, the nearer to the order in which things happened. Lanes that have
/// done equally much have probably done the same.
void BlockTracer::flush_if_in_step(unsigned warp) {
  if (inside_) {
    leave(running_);
    enter(running_);
  }
  const unsigned lanes = std::min(32u, plan_->threads - 32 * warp);
  const std::uint16_t* const rows = &rows_[std::size_t{32} * warp];
  if (rows[0] == 0) return;
  for (unsigned lane = 1; lane < lanes; ++lane) {
    if (rows[lane] != rows[0]) return;
  }
  look_at(warp);
}

/// \param before  the thread's epoch until now
void BlockTracer::note_epoch(unsigned thread, Epoch before) {
  const Epoch after = clocks_.epoch_of(thread);
  if (after == before || rows_[thread] == 0) return;
  changes_[thread / 32].push_back({.row = rows_[thread],
                                   .lane = static_cast<std::uint8_t>(thread % 32),
                                   .before = before,
                                   .after = after});
}

void BlockTracer::sort_changes(unsigned warp) {
  std::vector<EpochChange>& changes = changes_[warp];
  std::ranges::stable_sort(changes, {}, &EpochChange::lane);
  for (unsigned lane = 0; lane <= 32; ++lane) {
    const auto begin = std::ranges::lower_bound(changes, lane, {}, &EpochChange::lane);
    lane_changes_[lane] = static_cast<std::uint16_t>(begin - changes.begin());
  }
  for (const EpochChange& change : changes)
    rows_with_changes_.set(change.row);
}

void BlockTracer::forget_changes(unsigned warp) {
  changes_[warp].clear();
  rows_with_changes_.reset();
}

/// The epoch in which a lane filled a row of the log.
Epoch BlockTracer::epoch_at(unsigned warp, unsigned lane, unsigned row) const {
  const std::vector<EpochChange>& changes = changes_[warp];
  const Epoch now = clocks_.epoch_of(32 * warp + lane);
  if (changes.empty() || lane_changes_[lane] == lane_changes_[lane + 1]) return now;
  Epoch epoch = changes[lane_changes_[lane]].before;
  for (unsigned i = lane_changes_[lane]; i < lane_changes_[lane + 1]; ++i) {
    if (changes[i].row <= row) epoch = changes[i].after;
  }
  return epoch;
}

BlockTracer::Epochs BlockTracer::epochs_at(unsigned warp, unsigned row, std::uint32_t lanes) const {
  if (!clocks_.is_active()) return {};
  Epochs epochs = {.earliest = ~Epoch{0}, .latest = 0};
  for_each_lane(lanes, [&](unsigned lane) {
    const Epoch epoch = epoch_at(warp, lane, row);
    epochs.earliest = std::min(epochs.earliest, epoch);
    epochs.latest = std::max(epochs.latest, epoch);
  });
  return epochs;
}

}  // namespace ladder::emulator
