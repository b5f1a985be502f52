// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/virtual_tables.hpp
/// \brief Objects with virtual functions. On a GPU each side has tables of its own: an object that
///        the host made names one of the host's, where a kernel finds nothing that it can call.
///
/// A class has one table here, so an object's pointer says nothing of who made it. While a kernel
/// runs, objects of the host have another table, of functions that end the kernel; what kernels
/// made keeps a copy of the class's own from the end of its kernel on. Copies take either along.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ladder::glassbox {

/// Words for both, among the program's own variables, which kernels may read.
constexpr std::size_t kRoomForTables = 2048;
/// One for each program: of one with several libraries, no tables are told apart.
bool offer_room_for_tables(std::uintptr_t* words);

/// \brief As long as a kernel runs; in it Allocations::Door is open. Looks at all arrays, if the
///        program has classes with virtual functions; once they are more than 32 MiB, never again.
class TablesOfLaunch {
 public:
  TablesOfLaunch();
  ~TablesOfLaunch();
  TablesOfLaunch(const TablesOfLaunch&) = delete;
  TablesOfLaunch& operator=(const TablesOfLaunch&) = delete;

 private:
  bool is_open_ = false;
};

}  // namespace ladder::glassbox
