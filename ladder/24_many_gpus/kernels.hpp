// SPDX-License-Identifier: MIT
/// \file  ladder/24_many_gpus/kernels.hpp
/// \brief What rung 24 has for one machine, a GPU or the emulator: see launch.cu.
#pragma once

#include <cstddef>

#include "ladder/24_many_gpus/cut.hpp"
#include "ladder/24_many_gpus/stamps.hpp"

namespace ladder::many_gpus {

/// Memory that the step in the kernel takes on each rank.
struct Room {
  std::size_t data_offset;   ///< where a window's data begins: A if it is gathered
  std::size_t window_bytes;  ///< that the rank opens to all others; zero at first
  std::size_t local_bytes;   ///< for itself; zero at first
  int blocks;                ///< that a launch has at most
};

/// One rank's part in a product that the kernel itself distributes.
/// \tparam T  element type of all matrices
template <class T>
struct PeerGemm {
  Cut cut;
  float alpha;
  T* A;        ///< gather: this rank's window's data, with its own rows; scatter: (M, slice)
  const T* B;  ///< this rank's slice
  float beta;
  T* C;                  ///< this rank's part
  void* const* windows;  ///< (ranks)  of all ranks, as this one sees them; in the machine's memory
  void* local;           ///< local_bytes of the machine's memory
  Track* tracks;         ///< (Room::blocks, kTracks)  zero; null: nothing is recorded
};

/// Functions of one machine.
struct Kernels {
  Room (*room_fp32)(const Cut& cut);
  Room (*room_bf16)(const Cut& cut);
  /// \brief  The step in the kernel. All ranks call it, as often as each other.
  void (*in_kernel_fp32)(const PeerGemm<float>& gemm, Stream stream);
  void (*in_kernel_bf16)(const PeerGemm<bfloat16>& gemm, Stream stream);
  /// \brief  C = alpha * (the sum of all parts) + beta*C.
  /// \param  parts  (ranks, count)  added up from `own` on, then the others in the order of ranks
  /// \param  C      (count)  not read when beta == 0
  void (*sum_fp32)(const float* parts, int ranks, int own, std::size_t count, float alpha,
                   float beta, float* C, Stream stream);
  void (*sum_bf16)(const bfloat16* parts, int ranks, int own, std::size_t count, float alpha,
                   float beta, bfloat16* C, Stream stream);
};

/// Those of this program's machine: the GPU. Null in a build without CUDA.
[[gnu::weak]] Kernels kernels();
/// Those of the emulator, which are in a shared library of their own.
Kernels emulated_kernels();

}  // namespace ladder::many_gpus
