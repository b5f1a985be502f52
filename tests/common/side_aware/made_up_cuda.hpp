// SPDX-License-Identifier: MIT
/// \file  tests/common/side_aware/made_up_cuda.hpp
/// \brief A libcuda.so.1 without a GPU: its memory is the host's, and a test runs its kernels. A
///        program that is linked with it, or has loaded it, gets it in place of NVIDIA's driver.
#pragma once

#include <cstdint>

extern "C" {

constexpr std::uint64_t kMadeUpMask =
    0xB3000;  ///< within a page; bit 21 of the page's number is random
constexpr int kMadeUpDevices = 2;
constexpr int kMadeUpSms = 8;  ///< the odd ones are on side 1

/// A kernel that the program launches. Without one, nothing runs.
using MadeUpKernel = void (*)(const char* name, unsigned blocks, void** parameters);
void made_up_run_kernels_by(MadeUpKernel kernel);

/// Kernels launched so far, on all devices; those that probe sides are not counted.
int made_up_launches();
/// The stream of the last of them.
void* made_up_last_stream();
/// Pages of 2 MiB that each device may still create.
void made_up_limit_pages(int pages);
}
