// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/allocations.hpp
/// \brief The memory that a program has taken from the run time, by the names of its variables.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "emulator/trace/trace.hpp"
#include "glassbox/runtime/call_problem.hpp"

namespace ladder::glassbox {

/// Who may touch it.
enum class MemoryKind {
  kDevice,      ///< kernels alone: cudaMalloc
  kHeap,        ///< likewise: malloc() in kernels
  kManaged,     ///< both: cudaMallocManaged
  kHost,        ///< both, but it is the host's: cudaMallocHost
  kRegistered,  ///< the host's own: cudaHostRegister
};

/// One array.
struct Allocation {
  std::string name;  ///< of the variable it was assigned to
  MemoryKind kind = MemoryKind::kDevice;
  emulator::Place place;          ///< of the call that made it
  emulator::Place freed_at = {};  ///< of the call that freed it
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  std::size_t element_bytes = 4;  ///< as kernels that are given the array see it
  bool written = false;           ///< by a copy, by the host or by a kernel
  bool freed = false;
  bool given_back = false;      ///< by a call that a failed kernel made fail, so it is no leak
  int doors = 0;                ///< that are open to this array alone
  bool stream_ordered = false;  ///< cudaFree waits for nobody who uses it

  /// Written, or it no longer holds what all memory holds at first. The host writes to memory that
  /// it shares with kernels without a call.
  bool is_written() const;

  /// Elements from a byte on that hold what all memory holds at first, in every byte.
  std::size_t unwritten_elements(const void* begin, std::size_t bytes_of_them) const;

  bool contains(const void* address) const {
    return address >= data && address < data + (bytes == 0 ? 1 : bytes);
  }
};

/// All of them. While no kernel runs and nothing is copied, the host cannot touch what is a
/// kernel's alone: as on a machine with a GPU, that ends the program.
class Allocations {
 public:
  static Allocations& instance();

  /// \brief  Takes memory, filled with 0xFF, between guards.
  /// \throws std::bad_alloc  there is not that much
  void* add(std::size_t bytes, MemoryKind kind, const std::string& name,
            const emulator::Place& place);

  /// From now on kernels may touch this memory of the host.
  void add_registered(void* data, std::size_t bytes, const std::string& name,
                      const emulator::Place& place);

  /// \return the array that starts there; null if none does
  Allocation* starting_at(const void* address);
  /// \return the live array that holds this byte; null if none does
  Allocation* with(const void* address);
  /// Likewise of those that were freed.
  const Allocation* freed_with(const void* address);
  /// The array, live or freed, that holds this byte or has it in its guards; null if none does.
  const Allocation* around(const void* address);

  /// Gives the memory back; its addresses are not given out again. The host's own is forgotten.
  /// \param place  of the call that frees it
  void free(Allocation& allocation, const emulator::Place& place);

  /// Live arrays of the program, in the order in which they were taken.
  std::vector<Allocation*> live();

  /// Opens what belongs to kernels to this process, and closes it again. Other threads of the host
  /// wait for that: work is done one piece after the other, and nothing is freed meanwhile.
  class Door {
   public:
    Door();
    /// Only of the arrays that hold these bytes.
    Door(std::initializer_list<const void*> touched);
    ~Door();
    Door(const Door&) = delete;
    Door& operator=(const Door&) = delete;

   private:
    std::lock_guard<std::recursive_mutex> lock_;
    bool all_ = true;
    std::vector<Allocation*> touched_;
  };

 private:
  Allocations() = default;
  Allocation& keep(Allocation array);
  Allocation* nearest_before(const void* address);
  std::string take_name(const std::string& name);
  void give_back_name(const std::string& name);

  std::list<Allocation> all_;
  std::map<const std::byte*, Allocation*> by_address_;
  std::unordered_set<std::string> names_;             ///< of live arrays
  std::unordered_map<std::string, int> next_number_;  ///< of a name that is taken: lower ones are
  int doors_ = 0;
  std::recursive_mutex mutex_;
};

/// \brief  What is wrong with bytes that a call of the run time reads or writes; nothing if all is
///         well.
/// \param  role           of the pointer in the call: "target", "alpha"
/// \param  device_wanted  they have to be where a kernel may touch them; else, where the host may
std::optional<CallProblem> wrong_access(const char* role, const void* address, std::size_t bytes,
                                        bool device_wanted);

/// Where it was freed, as fields of a finding; nothing if no call of the user's did.
void add_freed_at(emulator::Fields& fields, const Allocation& freed);

/// The array that holds these bytes was written.
void note_written(void* address, std::size_t bytes);

}  // namespace ladder::glassbox
