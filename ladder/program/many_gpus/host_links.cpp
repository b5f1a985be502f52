// SPDX-License-Identifier: MIT
/// \file  ladder/program/many_gpus/host_links.cpp
/// \brief Links between emulated GPUs: MPI on this computer's memory. Nothing returns before it is
///        done, so streams need no order.
#include <fmt/format.h>
#include <mpi.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "ladder/program/many_gpus/links.hpp"

namespace ladder::many_gpus {
namespace {

/// A count as MPI takes it.
int mpi_count(std::size_t count) {
  if (count > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw MachineError(fmt::format("MPI moves at most 2^31 - 1 elements at a time, not {}", count));
  }
  return static_cast<int>(count);
}

MPI_Datatype mpi_type(const float*) {
  return MPI_FLOAT;
}
MPI_Datatype mpi_type(const bfloat16*) {
  return MPI_UINT16_T;
}

/// MPI knows no bfloat16: sums of them, for a reduction.
void add_bfloat16(void* in, void* in_out, int* count, MPI_Datatype*) {
  const auto* const from = static_cast<const bfloat16*>(in);
  auto* const to = static_cast<bfloat16*>(in_out);
  for (int i = 0; i < *count; ++i) {
    to[i] = bfloat16(static_cast<float>(from[i]) + static_cast<float>(to[i]));
  }
}

constexpr std::size_t kPage = 4096;

/// The first address of a page from here on: the same in all processes, which map whole pages.
void* whole_page(void* memory) {
  return reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(memory) + kPage - 1) / kPage *
                                 kPage);
}

class HostLinks final : public Links {
 public:
  explicit HostLinks(const Ranks& ranks) : ranks_(ranks) {
    MPI_Op_create(add_bfloat16, /*commute=*/1, &sum_of_bfloat16_);
  }
  ~HostLinks() override {
    close();
    MPI_Op_free(&sum_of_bfloat16_);
  }

  std::string name() const override { return "MPI on host memory"; }
  std::map<std::string, std::string> versions() const override { return {{"mpi", mpi_version()}}; }
  Stream second_stream() override { return nullptr; }
  void order(Stream, Stream) override {}

  void all_gather(Elements whole, std::size_t count, Stream) override {
    const Watchdog::Wait wait(ranks_.watchdog(), "an all-gather");
    std::visit(
        [&](auto* elements) {
          MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, elements, mpi_count(count),
                        mpi_type(elements), MPI_COMM_WORLD);
        },
        whole);
  }

  void reduce_scatter(ConstElements parts, Elements mine, std::size_t count, Stream) override {
    const Watchdog::Wait wait(ranks_.watchdog(), "a reduce-scatter");
    std::visit(
        [&]<class T>(T* to) {
          const MPI_Op sum = kFormatOf<T> == Format::bf16 ? sum_of_bfloat16_ : MPI_SUM;
          MPI_Reduce_scatter_block(std::get<const T*>(parts), to, mpi_count(count), mpi_type(to),
                                   sum, MPI_COMM_WORLD);
        },
        mine);
  }

  void exchange(ConstElements out, std::size_t out_count, int to, Elements in, std::size_t in_count,
                int from, Stream) override {
    const Watchdog::Wait wait(ranks_.watchdog(), fmt::format("rank {} or {}", to, from));
    constexpr int kTag = 0;
    std::visit(
        [&]<class T>(T* target) {
          MPI_Sendrecv(std::get<const T*>(out), mpi_count(out_count), mpi_type(target), to, kTag,
                       target, mpi_count(in_count), mpi_type(target), from, kTag, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
        },
        in);
  }
  int blocks_of_exchange() const override { return 0; }

  std::string why_no_open_memory() const override {
    if (ranks_.ranks_on_host() == ranks_.ranks()) return "";
    return "the ranks are on several hosts, whose memory kernels cannot reach";
  }

  OpenMemory open_memory(std::size_t bytes) override {
    close();
    const Watchdog::Wait wait(ranks_.watchdog(), "all ranks' shared memory");
    void* unaligned = nullptr;
    MPI_Win_allocate_shared(static_cast<MPI_Aint>(bytes + kPage), 1, MPI_INFO_NULL, MPI_COMM_WORLD,
                            &unaligned, &window_);
    windows_.clear();
    for (int q = 0; q < ranks_.ranks(); ++q) {
      MPI_Aint size = 0;
      int unit = 0;
      void* theirs = nullptr;
      MPI_Win_shared_query(window_, q, &size, &unit, &theirs);
      windows_.push_back(whole_page(theirs));
    }
    void* const mine = windows_[ranks_.rank()];
    std::memset(mine, 0, bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    return {static_cast<unsigned char*>(mine), windows_.data()};
  }
  void close_memory() override { close(); }
  std::string kind_of_memory() const override { return "MPI shared window"; }

  void copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                 std::size_t row_bytes, std::size_t rows) override {
    for (std::size_t row = 0; row < rows; ++row) {
      std::memcpy(static_cast<char*>(to) + row * to_pitch,
                  static_cast<const char*>(from) + row * from_pitch, row_bytes);
    }
  }

 private:
  static std::string mpi_version() {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
    int length = 0;
    MPI_Get_library_version(text, &length);
    const std::string all(text, static_cast<std::size_t>(length));
    return all.substr(0, all.find(','));
  }

  void close() {
    if (window_ != MPI_WIN_NULL) MPI_Win_free(&window_);
  }

  const Ranks& ranks_;
  MPI_Op sum_of_bfloat16_ = MPI_OP_NULL;
  MPI_Win window_ = MPI_WIN_NULL;
  std::vector<void*> windows_;
};

}  // namespace

std::unique_ptr<Links> make_host_links(const Ranks& ranks) {
  return std::make_unique<HostLinks>(ranks);
}

}  // namespace ladder::many_gpus
