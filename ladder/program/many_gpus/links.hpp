// SPDX-License-Identifier: MIT
/// \file  ladder/program/many_gpus/links.hpp
/// \brief How matrices travel between ranks: by NCCL between GPUs, by MPI between emulated ones.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "common/machine.hpp"
#include "ladder/24_many_gpus/kernels.hpp"
#include "ladder/program/many_gpus/ranks.hpp"

namespace ladder::many_gpus {

/// Memory that each rank opens to all others; all ranks' are of the same size, and zero at first.
struct OpenMemory {
  unsigned char* mine;   ///< this rank's own
  void* const* windows;  ///< (ranks)  all ranks', in the machine's memory, for a kernel
};

/// What a copy that runs beside a kernel takes, and what it leaves.
struct Beside {
  int blocks;   ///< SMs that it takes at most. Each moves some 20 GB/s
  int cluster;  ///< blocks of the kernel that need neighbouring SMs: what is left should hold them
};

/// \brief The links between ranks. Every function is called by all ranks in the same order. On a
///        GPU, they return before the work is done, and streams order it.
class Links {
 public:
  virtual ~Links() = default;

  /// "NCCL 2.28.9", "MPI on host memory"
  virtual std::string name() const = 0;
  virtual std::map<std::string, std::string> versions() const = 0;
  /// A second stream, for what travels while the first one multiplies.
  virtual Stream second_stream() = 0;
  /// What is started on `later` from now on waits for what has been started on `earlier`.
  virtual void order(Stream earlier, Stream later) = 0;

  /// \brief Each rank has its `count` elements at rank*count of `whole`, and gets the others'.
  virtual void all_gather(Elements whole, std::size_t count, Stream stream) = 0;
  /// \brief mine = the sum over all ranks of parts + rank*count.
  /// \param parts  (ranks, count)
  virtual void reduce_scatter(ConstElements parts, Elements mine, std::size_t count,
                              Stream stream) = 0;
  /// \brief Sends elements to one rank and gets some from another. Kernels that run meanwhile
  ///        should spare blocks_of_exchange() SMs.
  virtual void exchange(ConstElements out, std::size_t out_count, int to, Elements in,
                        std::size_t in_count, int from, Stream stream) = 0;
  virtual int blocks_of_exchange() const = 0;

  /// Empty if open_memory() works, else the reason why not.
  virtual std::string why_no_open_memory() const = 0;
  /// Until close_memory(), or the end.
  virtual OpenMemory open_memory(std::size_t bytes) = 0;
  virtual void close_memory() = 0;
  /// "NCCL window", "CUDA IPC", "MPI shared window": what open_memory() took
  virtual std::string kind_of_memory() const = 0;

  /// Copies a rectangle within this rank's memory.
  virtual void copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t row_bytes, std::size_t rows) = 0;
};

/// MPI on this computer's memory.
std::unique_ptr<Links> make_host_links(const Ranks& ranks);
/// \brief  NCCL between the current GPUs of all ranks.
/// \param  beside  for exchange()
/// \throws MachineError  this build is without CUDA or NCCL, or the NCCL it finds is too old
std::unique_ptr<Links> make_nccl_links(const Ranks& ranks, const Beside& beside);

}  // namespace ladder::many_gpus
