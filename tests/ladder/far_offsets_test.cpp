// SPDX-License-Identifier: MIT
/// \file  tests/ladder/far_offsets_test.cpp
/// \brief Offsets into A, B and C may exceed 32 bits: every rung finds elements that far away.
///
/// The matrices have up to 21 GB, of which nobody touches more than the end: memory that no page
/// backs until somebody writes to it. Of the grid, only the last block runs.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <vector>

#include "common/work_plan.hpp"
#include "emulator/run/block/block_observer.hpp"
#include "emulator/run/grid_runner.hpp"
#include "emulator/run/worker_pool.hpp"
#include "ladder/ladder.hpp"

namespace ladder {
namespace {

/// Floats that are zero, and take memory where they are touched.
class SparseFloats {
 public:
  explicit SparseFloats(std::size_t count) : bytes_(count * sizeof(float)) {
    begin_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (begin_ == MAP_FAILED)
      throw std::runtime_error(fmt::format("no {} bytes of address space", bytes_));
  }
  ~SparseFloats() { munmap(begin_, bytes_); }
  SparseFloats(const SparseFloats&) = delete;
  SparseFloats& operator=(const SparseFloats&) = delete;

  float* data() const { return static_cast<float*>(begin_); }

 private:
  std::size_t bytes_;
  void* begin_;
};

/// Sees nothing: the blocks are chosen, not watched.
class Unobserved final : public emulator::BlockObserver {
 public:
  void start_block(std::uint64_t) override {}
  void enter(unsigned) noexcept override {}
  void leave(unsigned) noexcept override {}
  void look_at(unsigned) override {}
  void go_on(unsigned) override {}
  void pass_barrier() override {}
  void report(unsigned, emulator::Fault) override {}
  void meet(unsigned) override {}
  void meet_lanes(unsigned, std::uint32_t) override {}
  void exchange(unsigned) override {}
  void give_values(unsigned, std::uint32_t) override {}
  std::uint16_t give_undefined(unsigned, const emulator::UndefinedShuffle&) override { return 0; }
  void end_block() override {}
  bool has_news() override { return true; }
  bool has_slice() const override { return false; }
  void copy_started(unsigned, void*, const void*, unsigned, unsigned,
                    std::source_location) override {}
  void copy_landed(void*, unsigned) override {}
  void box_requested(unsigned, const ptx::TensorMap&, int, int, std::source_location) override {}
  void box_started(unsigned, BlockObserver&, void*, const ptx::TensorMap&, int, int, const void*,
                   std::source_location) override {}
  void box_store_started(unsigned, std::span<const std::uintptr_t>, const ptx::TensorMap&, int, int,
                         std::span<const std::byte>, std::source_location) override {}
  void box_store_read(unsigned, std::span<const std::uintptr_t>, std::source_location) override {}
  void box_landed(void*, unsigned, const void*) override {}
  void product_started(unsigned, std::span<const std::uintptr_t>, std::source_location) override {}
  void product_ended(unsigned, unsigned, std::span<const std::uintptr_t>,
                     std::source_location) override {}
  void products_awaited(unsigned, unsigned) override {}
  void arrive_at_cluster_barrier() override {}
  void pass_cluster_barrier() override {}
  void pass_grid_barrier() override {}
  void released(unsigned, const void*) override {}
  void arrived(unsigned, const void*) override {}
  void arrived_elsewhere(unsigned, BlockObserver&, const void*) override {}
  void completed(const void*) override {}
  void completed_elsewhere(const BlockObserver&, const void*, const void*) override {}
  void acquired(unsigned, const void*) override {}
  void fenced_for_copies(unsigned) override {}
  std::uint32_t take_step(unsigned) override { return 1; }
  bool knows_step(unsigned, unsigned, std::uint32_t) const override { return true; }
  void previous_kernel_awaited(unsigned) override {}
  void block_ended(std::uint64_t) override {}
  void block_failed(const emulator::KernelError&) override {}
  void end_grid() override {}
};

/// The last blocks of a grid; as many clusters, where it has clusters.
class LastBlocks final : public emulator::GridObserver {
 public:
  LastBlocks(const emulator::GridPlan& plan, std::uint64_t count)
      : count_(std::min(count * plan.cluster, plan.blocks)), first_(plan.blocks - count_) {}

  std::uint64_t count() const override { return count_; }
  std::uint64_t block(std::uint64_t i) const override { return first_ + i; }
  emulator::Extent extent() const override { return emulator::Extent::kAll; }
  emulator::BlockObserver& observe(const emulator::SharedMemory&) override { return unobserved_; }

 private:
  std::uint64_t count_;
  std::uint64_t first_;
  Unobserved unobserved_;
};

class RunsLastBlocks final : public emulator::GridRunner {
 public:
  explicit RunsLastBlocks(std::uint64_t count) : count_(count) { emulator::set_grid_runner(this); }
  ~RunsLastBlocks() override { emulator::set_grid_runner(nullptr); }
  RunsLastBlocks(const RunsLastBlocks&) = delete;
  RunsLastBlocks& operator=(const RunsLastBlocks&) = delete;

  emulator::GridStats run(const emulator::GridPlan& plan) override {
    LastBlocks last(plan, count_);
    return emulator::WorkerPool::instance().run(plan, emulator::cpu_threads(),
                                                emulator::hang_limit(), &last);
  }

 private:
  std::uint64_t count_;
};

constexpr int kRows = 8;  // of the corner of C that is checked
constexpr int kColumns = 8;
constexpr float kAlpha = 2.0f;
constexpr float kBeta = -1.0f;

/// \brief  Multiplies small integers in the last rows of A, all rows of the last columns of B, and
///         the corner of C where they meet. All else is zero.
/// \param  rows  of the corner
/// \return what is wrong with the corner, which is known to the last bit; empty: nothing
std::string wrong_corner(const Run& run, const Shape& shape, int rows, std::uint64_t seed) {
  const auto [M, N, K] = shape;
  const auto at = [](std::int64_t row, int stride, int column) { return row * stride + column; };
  const int columns = std::min(N, kColumns);
  const SparseFloats a(static_cast<std::size_t>(M) * K);
  const SparseFloats b(static_cast<std::size_t>(K) * N);
  const SparseFloats c(static_cast<std::size_t>(M) * N);
  std::mt19937_64 random(seed);
  const auto draw = [&] { return static_cast<float>(static_cast<int>(random() % 7) - 3); };
  std::vector<float> before;
  for (int m = M - rows; m < M; ++m) {
    for (int k = 0; k < K; ++k)
      a.data()[at(m, K, k)] = draw();
    for (int n = N - columns; n < N; ++n)
      before.push_back(c.data()[at(m, N, n)] = draw());
  }
  for (int k = 0; k < K; ++k) {
    for (int n = N - columns; n < N; ++n)
      b.data()[at(k, N, n)] = draw();
  }
  run(Gemm<float>{M, N, K, kAlpha, a.data(), b.data(), kBeta, c.data()}, nullptr);
  std::size_t i = 0;
  for (int m = M - rows; m < M; ++m) {
    for (int n = N - columns; n < N; ++n, ++i) {
      std::int64_t sum = 0;
      for (int k = 0; k < K; ++k) {
        sum += static_cast<std::int64_t>(a.data()[at(m, K, k)]) *
               static_cast<std::int64_t>(b.data()[at(k, N, n)]);
      }
      const float expected = kAlpha * static_cast<float>(sum) + kBeta * before[i];
      const float found = c.data()[at(m, N, n)];
      if (found != expected)
        return fmt::format("C[{}][{}] is {}, and should be {}", m, n, found, expected);
    }
  }
  return "";
}

/// The corner of C is right where only the last blocks of a launch run.
void expect_right_corner(const std::string& name, const Run& run, const Shape& shape,
                         std::uint64_t blocks, int rows) {
  constexpr std::uint64_t kSeed = 31;
  const RunsLastBlocks only_last(blocks);
  SCOPED_TRACE(
      fmt::format("{}: M = {}, N = {}, K = {}, seed = {}", name, shape.M, shape.N, shape.K, kSeed));
  EXPECT_EQ(wrong_corner(run, shape, std::min(shape.M, rows), kSeed), "");
}

class FarOffsetsTest : public testing::Test {
 protected:
  void TearDown() override { emulator::set_multiprocessors(usual_sms_); }

  /// \param  blocks      that reach the corner: the last ones
  /// \param  persistent  for rungs whose blocks may take tile after tile, of which the last one
  ///                     runs; in each of their configurations
  void expect_right(const Shape& shape, std::uint64_t blocks, const Shape& persistent) {
    for (const Rung& rung : emulated_rungs()) {
      if (rung.number == 0 || rung.precision != kFp32) continue;
      if (rung.took != nullptr) continue;  // its parts fit no workspace of the emulator
      if (rung.plans == nullptr) {
        emulator::set_multiprocessors(usual_sms_);
        expect_right_corner(label(rung), rung.run, shape, blocks, kRows);
        continue;
      }
      emulator::set_multiprocessors(kManySms);
      for (const WorkPlan& plan : rung.plans(persistent)) {
        expect_right_corner(fmt::format("{}, {}", label(rung), plan.name), plan.launch, persistent,
                            1, std::min(kRows, plan.tile.BM));
      }
    }
  }

  static constexpr int kManySms = 504;  // the workspace has room for 511 partial tiles
  int usual_sms_ = emulator::multiprocessors();
};

TEST_F(FarOffsetsTest, IntoA) {
  // 4.3e9 elements; where blocks are persistent 2.15e9, in 504 tiles of 128 rows.
  expect_right({2'097'088, 4, 2064}, 1, {504 * 128, 4, 33'292});
}

TEST_F(FarOffsetsTest, IntoBAndC) {
  // 5.4e9 elements each; where blocks are persistent 2.7e9. Bands of 16 tiles have one in C.
  expect_right({8, 671'088'640, 8}, 16, {8, 504 * 2601 * 256, 8});
}

}  // namespace
}  // namespace ladder
