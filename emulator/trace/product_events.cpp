// SPDX-License-Identifier: MIT
#include "emulator/trace/product_events.hpp"

namespace ladder::emulator {
namespace {

constexpr std::size_t kPieceBytes = 16;

/// \brief  Wavefronts in which tensor cores read a warp's part of a product, as an H100 counts them
///         with a swizzle of 128 bytes: 16 rows of A for the warp alone, and B once for four warps.
std::uint64_t wavefronts_of(std::size_t pieces) {
  constexpr std::size_t kPiecesOfA = 32, kPiecesOfWavefront = 8, kWarps = 4;
  if (pieces < kPiecesOfA) return 0;  // the factors are in registers
  return (kPiecesOfA + (pieces - kPiecesOfA) / kWarps) / kPiecesOfWavefront;
}

}  // namespace

void ProductEvents::started(RequestSite& site, unsigned thread,
                            std::span<const std::uintptr_t> pieces) {
  const std::uint64_t wavefronts = wavefronts_of(pieces.size());
  site.counts.global += AccessCounts{.requests = 1,
                                     .lanes = 32,
                                     .bytes = kPieceBytes * pieces.size(),
                                     .wavefronts = wavefronts,
                                     .ideal_wavefronts = wavefronts};
  if (pieces.empty()) return;
  WordAccess access = by_warp(site.code, thread);
  for (const std::uintptr_t piece : pieces) {
    access.word = word_of(piece);
    const Conflict conflict = shadow_.start_reading(access);
    if (conflict.kind != Conflict::Kind::kNone) [[unlikely]]
      requests_.report_conflict(access, conflict);
  }
  if (!state_.is_ordered()) return;
  order_.see_phases(static_cast<int>(clocks_.phases_known(thread / 32, access.epoch)));
  for (const std::uintptr_t piece : pieces)
    order_.shared_load(thread / 32, piece - state_.shared_begin);
}

void ProductEvents::ended(AccessCode code, unsigned thread, unsigned number,
                          std::span<const std::uintptr_t> pieces) {
  for (const std::uintptr_t piece : pieces)
    shadow_.end_product(word_of(piece), code, thread / 32, number);
}

WordAccess ProductEvents::by_warp(AccessCode code, unsigned thread) const {
  const Epoch epoch = clocks_.epoch_of(thread);
  return {.bytes = 15,
          .several = true,
          .thread = static_cast<std::uint16_t>(thread),
          .code = code,
          .epoch = epoch,
          .knows = epoch,
          .lanes = ~0u};
}

std::uint32_t ProductEvents::word_of(std::uintptr_t piece) const {
  return static_cast<std::uint32_t>((piece - state_.shared_begin) / 4);
}

}  // namespace ladder::emulator
