// SPDX-License-Identifier: MIT
#include "emulator/run/block/warpgroup_products.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <ranges>
#include <span>

#include "emulator/run/block/block_runner.hpp"
#include "emulator/run/block/whole_warp.hpp"

namespace ladder::emulator {
namespace {

constexpr int kDepth = 16;       // elements of K in a product
constexpr int kRowsOfWarp = 16;  // of the 64
constexpr int kPiece = 8;        // elements in 16 bytes
constexpr std::size_t kPieceBytes = 16;

/// \brief Where a descriptor begins to count. A GPU has 14 bits for that, in units of 16 bytes.
///        Here the arrays of all kernels of a library lie one after the other, so more are needed:
///        two above the 14, which take what is added to a descriptor, and ten that PTX leaves free.
constexpr unsigned kChunkBits = 15;  // of the lower part; half of what its 16 bits hold
constexpr unsigned kChunkPlace = 52;

/// What a descriptor says, PTX ISA 9.7.15.5.1.2.2.
struct Descriptor {
  std::size_t start, leading, stride;  // bytes
  SwizzleNumber swizzle;
};

Descriptor decoded(std::uint64_t bits) {
  constexpr std::uint64_t kField = 0x3FFF;
  constexpr std::array<SwizzleNumber, 4> kSwizzles = {0, 3, 2, 1};
  constexpr std::uint64_t kStart = 0xFFFF, kChunk = 0x3FF;
  const std::uint64_t start = (bits & kStart) + ((bits >> kChunkPlace & kChunk) << kChunkBits);
  return {start << 4, (bits >> 16 & kField) << 4, (bits >> 32 & kField) << 4,
          kSwizzles.at(bits >> 62)};
}

/// \brief  Bytes from the start of shared memory to the 16 bytes with an element.
/// \param  along  the factor's lines are along the rows in memory, which are across K
std::size_t piece_offset(const Descriptor& place, bool along, int line, int k) {
  const std::size_t row_bytes = swizzled_row_bytes(place.swizzle);
  const std::size_t pieces = row_bytes / kPieceBytes;
  const auto l = static_cast<std::size_t>(line), d = static_cast<std::size_t>(k);
  const bool plain = place.swizzle == 0;
  if (!along) {
    return place.start + l / 8 * place.stride + l % 8 * row_bytes +
           d / kPiece * (plain ? place.leading : kPieceBytes);
  }
  const std::size_t piece = l / kPiece;
  return place.start + piece % pieces * kPieceBytes +
         piece / pieces * (plain ? place.stride : place.leading) + d % 8 * row_bytes +
         d / 8 * (plain ? place.leading : place.stride);
}

/// Calls visit(a register's place in (16, columns), its lane, its number there) for all sums.
template <class Visit>
void visit_sums(int columns, const Visit& visit) {
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < columns / 2; ++i) {
      const int row = lane / 4 + i / 2 % 2 * 8;
      const int column = i / 4 * 8 + lane % 4 * 2 + i % 2;
      visit(static_cast<std::size_t>(row * columns + column), static_cast<std::size_t>(lane), i);
    }
  }
}

/// What all lanes have to have in common.
bool same_product(const WgmmaCall& one, const WgmmaCall& other) {
  return one.columns == other.columns && one.format == other.format && one.a == other.a &&
         one.b == other.b && one.a_along_rows == other.a_along_rows &&
         one.b_along_columns == other.b_along_columns && one.adds == other.adds;
}

}  // namespace

void WarpgroupProducts::start_block() {
  if (!used_) return;
  used_ = false;
  for (Warp& warp : warps_) {
    warp.products.clear();
    warp.groups.clear();
    warp.sums.clear();
    warp.uncommitted = 0;
    warp.fenced = false;
    warp.started = 0;
  }
  for (Warpgroup& group : warpgroups_)
    group.waiting = {};
}

WarpgroupProducts::Warp& WarpgroupProducts::warp_of_running() {
  return warps_[scheduler_.running().number / 32];
}

std::span<WarpgroupProducts::Warp> WarpgroupProducts::warpgroup_of_running() {
  const unsigned first = scheduler_.running().number / 32 / kWarpsOfGroup * kWarpsOfGroup;
  return std::span(warps_).subspan(first, kWarpsOfGroup);
}

std::uint64_t WarpgroupProducts::descriptor(const void* shared, unsigned leading_bytes,
                                            unsigned stride_bytes, SwizzleNumber swizzle,
                                            std::source_location where) {
  shared_.require_inside("wgmma-factor", shared, kPieceBytes, where);
  shared_.require_alignment("wgmma-factor", shared, kPieceBytes, where);
  constexpr std::array<std::uint64_t, 4> kModes = {0, 3, 2, 1};
  const std::uint64_t start = (reinterpret_cast<std::uintptr_t>(shared) - window()) >> 4;
  const std::uint64_t chunk = start >> kChunkBits;
  return (start - (chunk << kChunkBits)) | chunk << kChunkPlace |
         std::uint64_t{leading_bytes >> 4} << 16 | std::uint64_t{stride_bytes >> 4} << 32 |
         kModes.at(swizzle) << 62;
}

/// What descriptors count from: where shared memory begins, or a little before, so that swizzles
/// see the same bits in both.
std::uintptr_t WarpgroupProducts::window() const {
  constexpr std::uintptr_t kSwizzleBytes = 1024;
  return reinterpret_cast<std::uintptr_t>(shared_.memory().arrays.data()) / kSwizzleBytes *
         kSwizzleBytes;
}

void WarpgroupProducts::fence() {
  used_ = true;
  warp_of_running().fenced = true;
}

/// The lanes' sums, taken over from the program unless the tensor cores have them already.
std::list<WarpgroupProducts::Sums>::iterator WarpgroupProducts::sums_for(
    Warp& warp, const std::array<const WgmmaCall*, 32>& calls, std::source_location where) {
  const auto known = std::ranges::find_if(
      warp.sums, [&](const Sums& sums) { return sums.registers[0] == calls[0]->sums; });
  if (known != warp.sums.end()) return known;
  if (!warp.fenced) {
    scheduler_.fail({FaultKind::kWgmmaUnfenced}, scheduler_.running().number / 32 * 32, where);
  }
  Sums& sums = warp.sums.emplace_back();
  const int columns = calls[0]->columns;
  const auto count = static_cast<std::size_t>(columns / 2);
  sums.values.resize(32 * count);
  visit_sums(columns, [&](std::size_t at, std::size_t lane, int i) {
    sums.values[at] = std::bit_cast<std::uint32_t>(calls[lane]->sums[i]);
  });
  for (std::size_t lane = 0; lane < 32; ++lane) {
    sums.registers[lane] = calls[lane]->sums;
    std::memset(calls[lane]->sums, 0xFF, count * sizeof(float));  // NaN until somebody waits
  }
  return std::prev(warp.sums.end());
}

void WarpgroupProducts::start(const WgmmaCall& call, std::source_location where) {
  const BlockThreads& threads = scheduler_.threads();
  if (threads.count() % (32 * kWarpsOfGroup) != 0) {
    scheduler_.fail({FaultKind::kWgmmaNoWarpgroup, {{"threads", threads.count()}}}, where);
  }
  Collective<const WgmmaCall> mine = {&call, "wgmma", where};
  meet_all(mine, [](const WarpRequests& requests) {
    const std::array<const WgmmaCall*, 32> calls = all_of<const WgmmaCall>(requests);
    const auto& any = *static_cast<const Collective<const WgmmaCall>*>(requests.request[0]);
    BlockRunner::of_this_cpu_thread()->products().start_all(calls, any.where);
  });
}

void WarpgroupProducts::start_all(const std::array<const WgmmaCall*, 32>& calls,
                                  std::source_location where) {
  for (const WgmmaCall* const call : calls) {
    if (same_product(*call, *calls[0])) continue;
    scheduler_.fail({FaultKind::kWarpDifferentMatrices, {{"function", "wgmma"}}},
                    scheduler_.running().number / 32 * 32, where);
  }
  used_ = true;
  Warp& warp = warp_of_running();
  const auto sums = sums_for(warp, calls, where);
  ++sums->products;
  ++warp.started;
  warp.latest = where;
  ++warp.uncommitted;
  const unsigned first = scheduler_.running().number / 32 * 32;
  warp.products.push_back({warp.started, *calls[0], sums, false, first, where, {}});
  if (BlockObserver* const observer = scheduler_.observer(); observer != nullptr) {
    Product& product = warp.products.back();
    product.pieces = pieces_of(product);
    observer->product_started(first, product.pieces, where);
  }
  if (arrival_ == CopyArrival::kEarly) compute(warp.products.back());
  scheduler_.note_progress();
  scheduler_.wake(warpgroups_[first / 32 / kWarpsOfGroup].waiting);
}

/// Where the 16 bytes with an element are.
std::uintptr_t WarpgroupProducts::piece_at(const Product& product, bool is_b, int line,
                                           int k) const {
  const Descriptor place = decoded(is_b ? product.call.b : product.call.a);
  const bool along = is_b ? product.call.b_along_columns : product.call.a_along_rows;
  return swizzled(window() + piece_offset(place, along, line, k), place.swizzle);
}

/// All that a warp's part of a product reads; the check that it is in shared memory comes later.
std::vector<std::uintptr_t> WarpgroupProducts::pieces_of(const Product& product) const {
  std::vector<std::uintptr_t> pieces;
  const auto add = [&](bool is_b, bool along, int first, int lines) {
    for (int line = first; line < first + lines; line += along ? kPiece : 1) {
      for (int k = 0; k < kDepth; k += along ? 1 : kPiece) {
        const std::uintptr_t piece = piece_at(product, is_b, line, k);
        if (shared_.holds(reinterpret_cast<const void*>(piece), kPieceBytes)) {
          pieces.push_back(piece);
        }
      }
    }
  };
  const int first_row = static_cast<int>(product.thread / 32 % kWarpsOfGroup) * kRowsOfWarp;
  add(false, product.call.a_along_rows, first_row, kRowsOfWarp);
  add(true, product.call.b_along_columns, 0, product.call.columns);
  return pieces;
}

/// Some lines of a factor, 16 elements each. The first is the first of a piece.
TensorFactor WarpgroupProducts::factor(const Product& product, bool is_b, int first, int lines) {
  const bool along = is_b ? product.call.b_along_columns : product.call.a_along_rows;
  TensorFactor factor(product.call.format, static_cast<std::size_t>(lines), kDepth);
  for (int line = first; line < first + lines; line += along ? kPiece : 1) {
    for (int k = 0; k < kDepth; k += along ? 1 : kPiece) {
      const auto* const piece = reinterpret_cast<const void*>(piece_at(product, is_b, line, k));
      if (!shared_.holds(piece, kPieceBytes)) {
        scheduler_.fail({FaultKind::kOutsideShared, {{"argument", "wgmma-factor"}}}, product.thread,
                        product.where);
      }
      std::array<std::uint16_t, kPiece> bits;
      std::memcpy(&bits, piece, kPieceBytes);
      for (int i = 0; i < kPiece; ++i) {
        factor.set(static_cast<std::size_t>(line - first + (along ? i : 0)),
                   static_cast<std::size_t>(k + (along ? 0 : i)), bits[static_cast<unsigned>(i)]);
      }
    }
  }
  return factor;
}

void WarpgroupProducts::compute(Product& product) {
  const int columns = product.call.columns;
  const int first_row = static_cast<int>(product.thread / 32 % kWarpsOfGroup) * kRowsOfWarp;
  const TensorFactor a = factor(product, false, first_row, kRowsOfWarp);
  const TensorFactor b = factor(product, true, 0, columns);
  if (!product.call.adds) std::ranges::fill(product.sums->values, 0);
  add_products(a, b, kDepth, false, product.sums->values);
  product.computed = true;
}

void WarpgroupProducts::commit() {
  if (scheduler_.running().number % 32 != 0) return;  // once for the warp
  Warp& warp = warp_of_running();
  warp.groups.push_back(warp.uncommitted);
  warp.uncommitted = 0;
}

/// The sums of the oldest product are the program's again, unless a younger one has them, too.
void WarpgroupProducts::finish_oldest(Warp& warp) {
  Product& product = warp.products.front();
  if (!product.computed) compute(product);
  Sums& sums = *product.sums;
  if (--sums.products == 0) {
    visit_sums(product.call.columns, [&](std::size_t at, std::size_t lane, int i) {
      sums.registers[lane][i] = std::bit_cast<float>(sums.values[at]);
    });
    warp.sums.erase(product.sums);
    warp.fenced = false;
  }
  warp.products.pop_front();
}

void WarpgroupProducts::wait(unsigned newest, std::source_location where) {
  Collective<const unsigned> mine = {&newest, "wgmma_wait", where};
  meet_all(mine, [](const WarpRequests& requests) {
    const unsigned left = *all_of<const unsigned>(requests)[0];
    Warp& warp = BlockRunner::of_this_cpu_thread()->products().warp_of_running();
    std::size_t later = warp.uncommitted;
    for (std::size_t i = warp.groups.size() - std::min<std::size_t>(left, warp.groups.size());
         i < warp.groups.size(); ++i) {
      later += warp.groups[i];
    }
    warp.awaited = warp.started - static_cast<unsigned>(later);
  });
  scheduler_.running().where = where;
  const unsigned group = scheduler_.running().number / 32 / kWarpsOfGroup;
  const auto is_behind = [&](const Warp& warp) { return warp.started < warp_of_running().awaited; };
  while (std::ranges::any_of(warpgroup_of_running(), is_behind)) {
    scheduler_.wait_for({&warpgroups_[group], 0}, warpgroups_[group].waiting);
  }
  meet_all(mine, [](const WarpRequests& requests) {
    const unsigned left = *all_of<const unsigned>(requests)[0];
    WarpgroupProducts& products = BlockRunner::of_this_cpu_thread()->products();
    products.compute_awaited();
    products.finish_groups(left);
  });
}

/// The tensor cores have read the factors of all four warps.
void WarpgroupProducts::compute_awaited() {
  BlockObserver* const observer = scheduler_.observer();
  const unsigned thread = scheduler_.running().number / 32 * 32;
  for (Warp& warp : warpgroup_of_running()) {
    for (Product& product : warp.products) {
      if (product.number > warp_of_running().awaited) break;
      if (!product.computed) compute(product);
      if (product.pieces.empty()) continue;  // nobody observes it, or it has ended
      observer->product_ended(thread, product.number, product.pieces, product.where);
      product.pieces.clear();
    }
  }
  if (observer != nullptr) observer->products_awaited(thread / 32, warp_of_running().awaited);
}

/// Of the warp that runs: all but the newest.
void WarpgroupProducts::finish_groups(unsigned newest) {
  Warp& warp = warp_of_running();
  for (; warp.groups.size() > newest; warp.groups.pop_front()) {
    for (std::size_t left = warp.groups.front(); left > 0; --left)
      finish_oldest(warp);
  }
}

void WarpgroupProducts::fail_if_partial() {
  if (!used_) return;
  const auto started = [&](unsigned i) { return warps_[i].started; };
  for (unsigned i = 0; i < scheduler_.threads().count() / 32; i += kWarpsOfGroup) {
    const auto group = std::views::iota(i, i + kWarpsOfGroup);
    const unsigned most = std::ranges::max(group, {}, started);
    const unsigned least = std::ranges::min(group, {}, started);
    if (started(least) == started(most)) continue;
    scheduler_.fail({FaultKind::kWgmmaPartial,
                     {{"warp", least % kWarpsOfGroup},
                      {"products", started(most)},
                      {"other_products", started(least)}}},
                    32 * most, warps_[most].latest);
  }
}

void WarpgroupProducts::check_at_end() {
  if (!used_) return;
  for (unsigned i = 0; i < scheduler_.threads().count() / 32; ++i) {
    if (warps_[i].products.empty()) continue;
    const Product& oldest = warps_[i].products.front();
    scheduler_.fail({FaultKind::kWgmmaUnfinished}, oldest.thread, oldest.where);
  }
  fail_if_partial();
}

}  // namespace ladder::emulator
