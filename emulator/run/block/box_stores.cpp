// SPDX-License-Identifier: MIT
#include "emulator/run/block/box_stores.hpp"

#include <algorithm>
#include <cstring>

#include "emulator/run/block/block_observer.hpp"
#include "emulator/run/block/box_place.hpp"

namespace ladder::emulator {
namespace {

constexpr std::size_t kPiece = 16;  // bytes that a swizzle leaves together

/// The part of a stored box that lies in its matrix: its first rows and columns, or none.
struct Inside {
  int rows, columns;

  Inside(const ptx::TensorMap& map, int row, int column)
      : rows(std::min(map.rows - row, map.box_rows)),
        columns(std::min(map.columns - column, map.box_columns)) {}
};

/// Calls visit(address, offset in the box) for all pieces of a box.
template <class Visit>
void for_each_piece(const ptx::TensorMap& map, const void* shared, Visit visit) {
  const auto begin = reinterpret_cast<std::uintptr_t>(shared);
  for (std::size_t at = 0; at < static_cast<std::size_t>(map.box_bytes()); at += kPiece)
    visit(swizzled(begin + at, map.swizzle), at);
}

/// Addresses of all pieces of a box that lie in its matrix as a whole.
std::vector<std::uintptr_t> pieces_of(const ptx::TensorMap& map, int row, int column,
                                      const void* shared) {
  const Inside inside(map, row, column);
  const auto row_bytes = static_cast<std::size_t>(map.box_row_bytes());
  std::vector<std::uintptr_t> pieces;
  for_each_piece(map, shared, [&](std::uintptr_t address, std::size_t at) {
    const int in_row = static_cast<int>(at / row_bytes);
    const int first = static_cast<int>(at % row_bytes) / map.element_bytes;
    const int end = first + static_cast<int>(kPiece) / map.element_bytes;
    if (in_row < inside.rows && end <= inside.columns) pieces.push_back(address);
  });
  return pieces;
}

std::vector<std::byte> box_in_rows(const ptx::TensorMap& map, const void* shared) {
  std::vector<std::byte> data(static_cast<std::size_t>(map.box_bytes()));
  for_each_piece(map, shared, [&](std::uintptr_t address, std::size_t at) {
    std::memcpy(&data[at], reinterpret_cast<const void*>(address), kPiece);
  });
  return data;
}

}  // namespace

void BoxStores::start(const ptx::TensorMap& map, int row, int column, const void* shared,
                      std::source_location where) {
  shared_.require_alignment("tma_store-source", shared, kBoxAlignment, where);
  shared_.require_inside("tma_store-source", shared, static_cast<std::size_t>(map.box_bytes()),
                         where);
  require_box_place(scheduler_, map, row, column, true, where);
  const unsigned thread = scheduler_.running().number;
  Queue& queue = queues_[thread];
  Store& store = queue.stores.emplace_back(Store{map, row, column, shared, where, {}, {}});
  ++queue.uncommitted;
  if (BlockObserver* const observer = scheduler_.observer(); observer != nullptr) {
    store.pieces = pieces_of(map, row, column, shared);
    observer->box_store_started(thread, store.pieces, map, row, column, box_in_rows(map, shared),
                                where);
  }
  if (arrival_ == CopyArrival::kLate) return;
  store.data = box_in_rows(map, shared);
  write(store);
}

void BoxStores::commit() {
  Queue& queue = queues_[scheduler_.running().number];
  queue.groups.push_back(queue.uncommitted);
  queue.uncommitted = 0;
}

void BoxStores::wait(unsigned newest, bool only_read) {
  constexpr std::size_t kMostUnwritten = 64;  // a GPU does not put them off for long, either
  const unsigned thread = scheduler_.running().number;
  Queue& queue = queues_[thread];
  std::size_t left = queue.stores.size() - queue.uncommitted;
  for (std::size_t i = 0; i < std::min<std::size_t>(newest, queue.groups.size()); ++i)
    left -= queue.groups[queue.groups.size() - 1 - i];
  for (std::size_t i = 0; i < left; ++i) {
    Store& store = queue.stores[i];
    finish_reading(thread, store);
    if (!only_read || left - i > kMostUnwritten) write(store);
  }
  drop_written(queue);
}

/// Groups whose stores have all written are no more.
void BoxStores::drop_written(Queue& queue) {
  while (!queue.groups.empty()) {
    const auto end = queue.stores.begin() + static_cast<std::ptrdiff_t>(queue.groups.front());
    const bool over = std::all_of(queue.stores.begin(), end, [](const Store& store) {
      return store.is_awaited && store.is_written;
    });
    if (!over) return;
    queue.stores.erase(queue.stores.begin(), end);
    queue.groups.pop_front();
  }
}

void BoxStores::finish_reading(unsigned thread, Store& store) {
  if (store.is_awaited) return;
  store.is_awaited = true;
  if (!store.is_written) store.data = box_in_rows(store.map, store.shared);
  if (store.pieces.empty()) return;  // nobody observes it, or it reads nothing
  scheduler_.observer()->box_store_read(thread, store.pieces, store.where);
  store.pieces.clear();
}

void BoxStores::write(Store& store) {
  if (store.is_written) return;
  store.is_written = true;
  const ptx::TensorMap& map = store.map;
  const Inside inside(map, store.row, store.column);
  if (inside.columns <= 0) return;
  for (int r = 0; r < inside.rows; ++r) {
    std::memcpy(
        const_cast<std::byte*>(map.matrix) + map.offset(store.row + r, store.column),
        &store.data[static_cast<std::size_t>(r * map.box_row_bytes())],
        static_cast<std::size_t>(inside.columns) * static_cast<std::size_t>(map.element_bytes));
  }
}

void BoxStores::check_at_end() {
  for (auto& [thread, queue] : queues_) {
    for (Store& store : queue.stores) {
      if (!store.is_awaited) scheduler_.fail({FaultKind::kStoreUnfinished}, thread, store.where);
      write(store);
    }
  }
}

}  // namespace ladder::emulator
