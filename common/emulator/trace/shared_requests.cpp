// SPDX-License-Identifier: MIT
/// \file  common/emulator/trace/shared_requests.cpp
/// \brief BlockTracer's requests to shared memory: their wavefronts and words, who races with whom,
///        and the scalar loads that a GPU's compiler makes wide ones.
#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "common/emulator/trace/block_tracer.hpp"
#include "common/emulator/words/warp_functions.hpp"

namespace ladder::emulator {

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
    site.shape = type == AccessType::kLoad     ? shared_load_shape(request)
                 : type == AccessType::kAtomic ? shared_atomic_shape(request)
                                               : shared_store_shape(request);
    site.copies.clear();
  }
  if (site.is_guard) return;
  check_shared(site, first);

  if (type_of(site.code) == AccessType::kLoad) {
    if (block_ == wishes_->ordered_block) order_.shared_load(warp_, first);
    if (bytes_of(site.code) == 4 && widen(site, address, lanes)) return;
  } else if (type_of(site.code) == AccessType::kCopyLanded) {
    if (block_ == wishes_->ordered_block) {
      order_.copy_landed(warp_, first + static_cast<std::uint64_t>(site.lowest),
                         first + static_cast<std::uint64_t>(site.highest));
    }
    return;  // nothing that counts
  } else if (type_of(site.code) == AccessType::kCopyTarget) {
    if (block_ == wishes_->ordered_block) {
      order_.copy_started(warp_, first + static_cast<std::uint64_t>(site.lowest));
    }
  } else {
    settle_wide_loads();
    if (block_ == wishes_->ordered_block) {
      order_.shared_store(warp_, first + static_cast<std::uint64_t>(site.lowest),
                          first + static_cast<std::uint64_t>(site.highest));
    }
  }
  if (type_of(site.code) == AccessType::kCopyTarget) {
    count_copy(site, address, lanes);
  } else {
    count_shared(site, address, lanes, site.shape);
  }
}

/// Which words the pattern touches, each once per store lane and once per request for loads.
void BlockTracer::find_words(Site& site, const std::uint64_t* address) {
  const unsigned bytes = bytes_of(site.code);
  const std::uint64_t base_word = address[std::countr_zero(site.lanes)] / 4;
  std::map<std::pair<std::int32_t, std::uint8_t>, TouchedWord> words;
  for_each_lane(site.lanes, [&](unsigned lane) {
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
    for_each_lane(site.lanes, [&](unsigned lane) {
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
  const SharedShadow::SettledWords settled = shadow_.settled_words(warp_, epochs_.latest);
  for (const TouchedWord& touched : site.words) {
    const auto word =
        static_cast<std::uint32_t>(base_word + static_cast<std::uint64_t>(touched.word));
    if (any_outside) [[unlikely]] {
      // The others' accesses count: what they store is not uninitialised later.
      const std::uint64_t at = std::uint64_t{4} * word;
      const auto byte = static_cast<unsigned>(std::countr_zero(unsigned{touched.bytes}));
      if (!inside(at + byte, at + std::bit_width(unsigned{touched.bytes}))) continue;
    }
    if (type == AccessType::kLoad && settled.contain(word)) continue;
    const WordAccess access = {.word = word,
                               .bytes = touched.bytes,
                               .several = touched.several,
                               .thread = static_cast<std::uint16_t>(32 * warp_ + touched.lane),
                               .sync = syncs_[warp_],
                               .code = site.code,
                               .epoch = epochs_.latest,
                               .knows = epochs_.earliest};
    const Conflict conflict = type == AccessType::kLoad         ? shadow_.load(access)
                              : type == AccessType::kStore      ? shadow_.store(access)
                              : type == AccessType::kAtomic     ? shadow_.update(access)
                              : type == AccessType::kCopyTarget ? shadow_.start_copy(access)
                                                                : shadow_.land_copy(access);
    if (conflict.kind != Conflict::Kind::kNone) [[unlikely]]
      report_conflict(access, conflict);
  }
}

void BlockTracer::report_conflict(const WordAccess& access, const Conflict& conflict) {
  HazardKind kind = HazardKind::kUninitialisedShared;
  if (conflict.kind == Conflict::Kind::kRace) kind = HazardKind::kRace;
  if (conflict.kind == Conflict::Kind::kInFlight) kind = HazardKind::kInFlight;
  if (conflict.kind == Conflict::Kind::kUnfenced) kind = HazardKind::kUnfenced;
  // What filled the word may be in a log that nobody could look at yet.
  const bool is_unfilled =
      kind == HazardKind::kUninitialisedShared || kind == HazardKind::kInFlight;
  if (is_unfilled && clocks_.is_active() && is_written_in_logs(access.word)) return;
  report({.kind = kind,
          .code = access.code,
          .earlier = conflict.earlier,
          .thread = access.thread,
          .earlier_thread = conflict.earlier_thread,
          .shared = true,
          .address = std::uint64_t{4} * access.word +
                     static_cast<unsigned>(std::countr_zero(unsigned{access.bytes}))});
}

/// Is a store to this word, or the end of a copy, in another warp's log?
bool BlockTracer::is_written_in_logs(std::uint32_t word) const {
  const std::uint64_t begin = shared_begin_ + std::uint64_t{4} * word;
  const auto covers = [&](const WarpLog::Row& row, unsigned lane) {
    const AccessType type = type_of(row.code[lane]);
    return type != AccessType::kLoad && type != AccessType::kCopySource &&
           type != AccessType::kCopyTarget && row.address[lane] < begin + 4 &&
           row.address[lane] + bytes_of(row.code[lane]) > begin;
  };
  for (unsigned warp = 0; warp < logs_.size(); ++warp) {
    if (logs_[warp] == nullptr || warp == warp_) continue;
    for (unsigned lane = 0; lane < 32; ++lane) {
      for (unsigned row = 0; row < rows_[32 * warp + lane]; ++row) {
        if (covers(logs_[warp]->row[row], lane)) return true;
      }
    }
  }
  return false;
}

void BlockTracer::count_shared(Site& site, const std::uint64_t* address, std::uint32_t lanes,
                               const SharedShape& shape) {
  const auto active = static_cast<unsigned>(std::popcount(lanes));
  const AccessCounts counts = {.requests = 1,
                               .lanes = active,
                               .bytes = std::uint64_t{active} * bytes_of(site.code),
                               .wavefronts = shape.wavefronts,
                               .ideal_wavefronts = shape.ideal_wavefronts};
  site.counts.shared += counts;
  if (is_recorded()) {
    RawRequest raw = {.code = site.code, .shared = true, .lanes = lanes, .counts = counts};
    for_each_lane(lanes, [&](unsigned lane) { raw.address[lane] = address[lane] - shared_begin_; });
    recorded_.push_back(raw);
  }
}

/// What a copy costs depends on both of its sides: its lanes' sources are those of the request
/// before.
void BlockTracer::count_copy(Site& site, const std::uint64_t* address, std::uint32_t lanes) {
  const unsigned bytes = bytes_of(site.code);
  WarpAddresses source = {copy_source_.data(), 0, bytes};
  for_each_lane(
      lanes, [&](unsigned lane) { source.lanes |= (copy_source_[lane] != 0 ? 1u : 0u) << lane; });
  const WarpAddresses target = {address, lanes, bytes};
  Site& source_site =
      site_of((site.code & ~kHowBits) | pack_access(0, AccessType::kCopySource, bytes));
  CopyShape shape;
  if (source.lanes != 0 && same_pattern(source_site, source.address, source.lanes)) {
    const std::uint64_t phases =
        source.address[std::countr_zero(source.lanes)] % kLineBytes * kLineBytes +
        address[std::countr_zero(lanes)] % kLineBytes;
    constexpr std::size_t kMostKept = 256;
    if (site.copies.size() >= kMostKept) site.copies.clear();
    const auto [known, is_new] = site.copies.try_emplace(
        std::uint64_t{source_site.pattern} * kLineBytes * kLineBytes + phases);
    if (is_new) known->second = copy_shape(source, target);
    shape = known->second;
  } else {
    shape = copy_shape(source, target);
  }
  const AccessCounts read = {.sectors = shape.source.sectors,
                             .distinct_sectors = shape.source.distinct_sectors,
                             .ideal_sectors = shape.source.ideal_sectors,
                             .lines = shape.source.tags};
  if (source.lanes == 0) site.counts.shared.zeros += 1;
  site.counts.shared += read;
  if (recorded_source_) recorded_[*recorded_source_].counts = read;
  count_shared(site, address, lanes, shape.target);
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
        (load.code & ~kHowBits) | pack_access(0, AccessType::kLoad, 4 * words);
    count_shared(site_of(wide_code), address.data(), load.lanes, shape);
    left -= words;
    for (std::uint64_t& lane : address)
      lane += std::uint64_t{4} * words;
  }
}

}  // namespace ladder::emulator
