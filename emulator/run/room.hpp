// SPDX-License-Identifier: MIT
/// \file  emulator/run/room.hpp
/// \brief Where one CPU thread keeps its blocks: the one that runs, and those that wait for others.
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/run/block/block_runner.hpp"
#include "emulator/run/waits/watched.hpp"

namespace ladder::emulator {

/// \brief A place for one block: its threads, and its shared memory while another block of the same
///        CPU thread runs.
struct Room {
  BlockRunner runner;
  std::vector<std::byte> shared;
  BlockState state = BlockState::kEnded;
  std::uint64_t grid = 0;  ///< the grid that it is ready for

  bool is_free() const { return state == BlockState::kEnded; }
  /// Whether its block waits for something that has happened.
  bool may_go_on() const { return state == BlockState::kWaiting && runner.may_go_on(); }
};

/// One CPU thread that runs blocks.
struct Worker {
  pthread_t thread = {};
  std::atomic<pid_t> id = 0;  ///< to the system; 0: it has not begun
  unsigned number = 0;
  Watched watched;

  SharedMemory memory;                       ///< of this CPU thread
  std::vector<std::unique_ptr<Room>> rooms;  ///< made when first needed
  Room* loaded = nullptr;                    ///< the room whose shared memory is in `memory`
  std::size_t next_spinner = 0;              ///< the room whose turn is next
  std::uint64_t blocks = 0;                  ///< blocks of this grid that ended well
  std::uint64_t barriers = 0;                ///< the most that one of them passed
  bool waited = false;                       ///< a block of this grid waited for another

  /// Whether any block waits or spins.
  bool has_parked() const {
    for (const auto& room : rooms) {
      if (!room->is_free()) return true;
    }
    return false;
  }

  /// A room whose block may go on; null if there is none.
  Room* room_that_may_go_on() const {
    for (const auto& room : rooms) {
      if (room->may_go_on()) return room.get();
    }
    return nullptr;
  }

  /// The next of the rooms whose blocks spin, in turns; null if there is none.
  Room* take_spinner() {
    for (std::size_t step = 0; step < rooms.size(); ++step) {
      Room& room = *rooms[(next_spinner + step) % rooms.size()];
      if (room.state != BlockState::kSpinning) continue;
      next_spinner = (next_spinner + step + 1) % rooms.size();
      return &room;
    }
    return nullptr;
  }

  /// A room without a block; makes one if there is none.
  Room& free_room() {
    for (const auto& room : rooms) {
      if (room->is_free()) return *room;
    }
    return *rooms.emplace_back(std::make_unique<Room>());
  }

  /// \brief  Replaces the shared memory of the last room by this room's.
  /// \param  fresh  true: a new block will fill it itself
  void load(Room& room, bool fresh, std::size_t dynamic_bytes) {
    if (loaded == &room) return;
    if (loaded != nullptr && !loaded->is_free()) memory.save(dynamic_bytes, loaded->shared);
    if (!fresh) memory.restore(dynamic_bytes, room.shared);
    loaded = &room;
  }
};

}  // namespace ladder::emulator
