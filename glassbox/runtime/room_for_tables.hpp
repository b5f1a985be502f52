// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/room_for_tables.hpp
/// \brief What a program has for virtual_tables.hpp; the run time itself includes this nowhere.
#pragma once

#include "glassbox/runtime/virtual_tables.hpp"

namespace ladder::glassbox {

inline std::uintptr_t room_for_tables[kRoomForTables];
inline const bool has_room_for_tables = offer_room_for_tables(room_for_tables);

}  // namespace ladder::glassbox
