// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/device_clock.hpp
/// \brief The clocks that a kernel can read. They tick as fast as the card's, so that a kernel
///        which waits for a number of ticks ends; what they count is the CPU's time.
#pragma once

/// Of an SM.
long long clock64();
/// In nanoseconds.
unsigned long long __globaltimer();
