// SPDX-License-Identifier: MIT
/// \file  glassbox/cuda_headers/cuda_runtime.h
/// \brief CUDA's header of this name for whole programs: the emulator's words, and the run time.
#pragma once

#ifndef __cplusplus
#include "glassbox/runtime/c_calls.h"
#else

// CUDA's own header brings these, and some of <math.h>.
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmath>

#include "emulator/words/cuda_words.hpp"

#ifdef LADDER_KEEP_SPACES
#define __managed__ __attribute__((ladder_managed))
#else
// What the host shares with kernels: see program_variables.hpp.
#define __managed__ __attribute__((section("ladder_managed")))
#endif
#define __cluster_dims__(...)
// An address that the host takes: see glassbox/host_addresses.hpp.
#ifdef LADDER_PLAIN_ADDRESSES
#define LADDER_TAKEN_ON_HOST(...) (__VA_ARGS__)
#else
#define LADDER_TAKEN_ON_HOST(...) ::ladder::glassbox::taken_on_host<__VA_ARGS__>(#__VA_ARGS__)
#endif
// Other headers ask for these to know that CUDA's are there.
#define __CUDA_RUNTIME_H__
#define __DRIVER_TYPES_H__
#define CUDART_VERSION 12080
#define CUDART_CB

#include "emulator/words/inline_ptx.hpp"
#include "glassbox/runtime/array_calls.hpp"
#include "glassbox/runtime/device_calls.hpp"
#include "glassbox/runtime/device_clock.hpp"
#include "glassbox/runtime/error_codes.hpp"
#include "glassbox/runtime/extended_launch.hpp"
#include "glassbox/runtime/graph_calls.hpp"
#include "glassbox/runtime/host_functions.hpp"
#include "glassbox/runtime/kernel_launch.hpp"
#include "glassbox/runtime/memory_calls.hpp"
#include "glassbox/runtime/missing_words.hpp"
#include "glassbox/runtime/room_for_tables.hpp"
#include "glassbox/runtime/stream_calls.hpp"
#include "glassbox/runtime/surface_calls.hpp"
#include "glassbox/runtime/symbol_calls.hpp"
#include "glassbox/runtime/texture_calls.hpp"
#include "glassbox/runtime/volume_calls.hpp"

using std::isfinite;
using std::isinf;
using std::isnan;
using std::signbit;

#endif
