// SPDX-License-Identifier: MIT
/// \file  ladder/24_many_gpus/bf16_launch.hpp
/// \brief The launch of rung 24's BF16 kernel: see Kernels.
#pragma once

#include "ladder/24_many_gpus/kernels.hpp"

namespace ladder::many_gpus {

/// Bytes of memory that is opened to other ranks, or that follows such a part, as NCCL wants them.
constexpr std::size_t rounded_up(std::size_t bytes) {
  constexpr std::size_t kAlignment = 4096;
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

Room room_bf16(const Cut& cut);
void in_kernel_bf16(const PeerGemm<bfloat16>& gemm, Stream stream);

}  // namespace ladder::many_gpus
