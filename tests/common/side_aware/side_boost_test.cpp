// SPDX-License-Identifier: MIT
/// \file  tests/common/side_aware/side_boost_test.cpp
/// \brief libside_aware.so from allocation to result: pages, machine code and launches are those of
///        a GPU, the driver is made up, and the emulator runs the kernels.
#include "common/side_aware/side_boost.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <fstream>
#include <numeric>
#include <span>
#include <sstream>
#include <string>

#include "tests/common/side_aware/elementwise_probes.hpp"
#include "tests/common/side_aware/made_up_cuda.hpp"

extern "C" int cuDevicePrimaryCtxRetain(void** context, int device);
extern "C" int cuCtxSetCurrent(void* context);

namespace {

using ladder::near_probes::Probe;
using ladder::side_aware::ElementwiseArguments;

constexpr std::size_t kMiB = std::size_t{1} << 20;

/// What stands behind the machine code of the next launches.
Probe running = Probe::listed_copy;

void run_on_emulator(const char* name, unsigned blocks, void** parameters) {
  const bool aligned = std::string(name) == "elementwise_aligned";
  ladder::near_probes::run(running, *static_cast<const ElementwiseArguments*>(parameters[0]),
                           aligned, blocks);
}

std::string listing(const std::string& name) {
  std::ifstream file(std::string(LADDER_SOURCE_DIR) + "/tests/common/side_aware/listings/" + name +
                     ".txt");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A made-up GPU whose kernels run. Skips where NVRTC is not installed.
class SideBoost : public testing::Test {
 protected:
  void SetUp() override {
    if (std::string(sideaware_compiler()).empty()) GTEST_SKIP() << sideaware_error();
    made_up_run_kernels_by(run_on_emulator);
    made_up_limit_pages(1000);
  }
};

/// A block of memory that is given back.
template <class T>
class Array {
 public:
  explicit Array(std::size_t count, int device = -1) : count_(count), device_(device) {
    EXPECT_EQ(sideaware_malloc_async(&first_, count * sizeof(T), device), 0) << sideaware_error();
  }
  ~Array() { EXPECT_EQ(sideaware_free_async(first_, device_), 0) << sideaware_error(); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  T* data() const { return first_; }
  std::span<T> all() const { return {first_, count_}; }

 private:
  std::size_t count_;
  int device_;
  T* first_ = nullptr;
};

TEST_F(SideBoost, MemoryBeginsAtFourMebibytesAndIsUsedAgain) {
  EXPECT_EQ(sideaware_mask(0), kMadeUpMask);
  float* first = nullptr;
  ASSERT_EQ(sideaware_malloc_async(&first, 5 * kMiB), 0) << sideaware_error();
  EXPECT_EQ(std::bit_cast<std::uintptr_t>(first) % (4 * kMiB), 0u);
  std::array<unsigned long long, 3> state = {};
  ASSERT_EQ(sideaware_state(0, &state[0], &state[1], &state[2]), 0);
  EXPECT_EQ(state[0], 6 * kMiB);  // whole pages
  EXPECT_EQ(state[2], 0u);        // each page is on the side that its address tells
  ASSERT_EQ(sideaware_free_async(first), 0) << sideaware_error();
  float* second = nullptr;
  ASSERT_EQ(sideaware_malloc_async(&second, 5 * kMiB), 0);
  EXPECT_EQ(second, first);
  sideaware_free_auto(second, 5 * kMiB, 0, nullptr);
  EXPECT_EQ(sideaware_malloc_auto(6 * kMiB, 0, nullptr), first);
  EXPECT_EQ(sideaware_free_async(first), 0);
  EXPECT_EQ(sideaware_free_async(nullptr), 0);
  EXPECT_EQ(sideaware_malloc_auto(0, 0, nullptr), nullptr);
}

TEST_F(SideBoost, CopiesAnyNumberOfBytes) {
  const Array<unsigned char> from(7 * kMiB);
  const Array<unsigned char> to(7 * kMiB);
  for (std::size_t i = 0; i < from.all().size(); ++i)
    from.data()[i] = static_cast<unsigned char>(1 + i % 251);
  for (const auto& [first, bytes] : {std::pair<std::size_t, std::size_t>{0, 7 * kMiB},
                                     {0, 4 * kMiB + 2},
                                     {48, 100'001},
                                     {16, 3},
                                     {0, 0}}) {
    running = bytes % 4 == 0 ? Probe::listed_copy : Probe::copy_bytes;
    std::ranges::fill(to.all(), 0);
    sideaware_memcpy(to.data() + first, from.data() + first, bytes);
    const std::span<unsigned char> copied = to.all().subspan(first, bytes);
    EXPECT_TRUE(std::ranges::equal(copied, from.all().subspan(first, bytes))) << bytes;
    EXPECT_EQ(std::ranges::count(to.all(), 0), std::ssize(to.all()) - std::ssize(copied)) << bytes;
  }
}

TEST_F(SideBoost, RunsAKernelOfAHeaderInTheTextsOrderOfArguments) {
  constexpr std::size_t kElements = 12 * 100'000;
  const Array<int> out(kElements);
  const Array<int> in0(kElements);
  const Array<signed char> in1(kElements);
  std::iota(in0.all().begin(), in0.all().end(), 5);
  std::ranges::fill(in1.all(), 2);
  std::ranges::fill(out.all(), -1);
  const void* const kernel = sideaware_create_kernel(listing("sideband").c_str());
  ASSERT_NE(kernel, nullptr) << sideaware_error();
  EXPECT_EQ(sideaware_create_kernel(listing("sideband").c_str()), kernel);
  running = Probe::listed_sideband;
  std::array<int, 3> places = {1, 0, -1};
  int stream = 0;
  ASSERT_EQ(sideaware_elementwise(kernel, kElements * sizeof(int),           //
                                  out.data(), nullptr, nullptr, nullptr,     //
                                  in0.data(), in1.data(), nullptr, nullptr,  //
                                  0, &stream, 3, places.data()),
            0)
      << sideaware_error();
  EXPECT_EQ(made_up_last_stream(), &stream);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < kElements; ++i) {
    const int place = places[i / 4 % 3];
    const std::size_t from = i / 12 * 12 + 4 * static_cast<std::size_t>(place) + i % 4;
    wrong += out.all()[i] != (place < 0 ? -1 : in0.all()[from] + 2 * 3 + static_cast<int>(i));
  }
  EXPECT_EQ(wrong, 0u);
}

TEST_F(SideBoost, RopeOfTheTextLeavesValuesAlone) {
  constexpr std::size_t kPairs = std::size_t{1024} * 96 * 64 / 16;  // 64 tokens
  const Array<std::array<float, 2>> in_out(kPairs);
  const Array<std::array<float, 2>> freqs(std::size_t{1024} * 64);
  for (std::size_t i = 0; i < kPairs; ++i)
    in_out.data()[i] = {static_cast<float>(i % 1000), 1.0f};
  std::ranges::fill(freqs.all(), std::array<float, 2>{0.0f, 1.0f});  // a quarter turn
  running = Probe::listed_rope;
  const void* const kernel = sideaware_create_kernel(listing("rope").c_str());
  ASSERT_EQ(sideaware_elementwise(kernel, kPairs * 8,                        //
                                  in_out.data(), nullptr, nullptr, nullptr,  //
                                  in_out.data(), freqs.data(), nullptr, nullptr),
            0)
      << sideaware_error();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < kPairs; ++i) {
    const auto before = static_cast<float>(i % 1000);
    const bool turned = i / 64 % 96 < 64;
    wrong += in_out.data()[i] !=
             (turned ? std::array<float, 2>{-1.0f, before} : std::array<float, 2>{before, 1.0f});
  }
  EXPECT_EQ(wrong, 0u);
}

TEST_F(SideBoost, TheCurrentDeviceIsThatOfTheThreadsContext) {
  const auto in_use = [](int device) {
    std::array<unsigned long long, 3> state = {};
    EXPECT_EQ(sideaware_state(device, &state[0], &state[1], &state[2]), 0) << sideaware_error();
    return state[0];
  };
  void* context = nullptr;
  cuDevicePrimaryCtxRetain(&context, 1);
  cuCtxSetCurrent(context);
  {
    const Array<int> array(1000);
    EXPECT_EQ(in_use(0), 0u);
    EXPECT_EQ(in_use(1), 2 * kMiB);
  }
  cuCtxSetCurrent(nullptr);
  const Array<int> array(1000);
  EXPECT_EQ(in_use(0), 2 * kMiB);
  EXPECT_EQ(in_use(1), 0u);
}

/// Whether the last error says this.
testing::AssertionResult error_has(const std::string& part) {
  const std::string error = sideaware_error();
  if (error.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "'" << error << "' has no '" << part << "'";
}

TEST_F(SideBoost, MistakesOfCallsAreSentences) {
  const Array<int> array(1000);
  const void* const copy = sideaware_create_kernel(listing("memcpy").c_str());
  const int before = made_up_launches();
  const auto run = [&](const void* kernel, std::size_t bytes, int* out, const int* in) {
    return sideaware_elementwise(kernel, bytes, out, nullptr, nullptr, nullptr, in, nullptr,
                                 nullptr, nullptr);
  };
  EXPECT_EQ(run(copy, 4001, array.data(), array.data()), 1);
  EXPECT_TRUE(error_has("elements of 4 bytes")) << "num_bytes";
  EXPECT_EQ(run(copy, 4000, array.data(), nullptr), 1);
  EXPECT_TRUE(error_has("input 0"));
  EXPECT_EQ(run(copy, 400, array.data() + 1, array.data()), 1);
  EXPECT_TRUE(error_has("16 bytes"));
  EXPECT_EQ(run(nullptr, 4000, array.data(), array.data()), 1);
  EXPECT_TRUE(error_has("no kernel"));
  EXPECT_EQ(sideaware_create_kernel("typedef nonsense o0;"), nullptr);
  EXPECT_TRUE(error_has("nonsense"));
  testing::internal::CaptureStderr();
  sideaware_memcpy(array.data(), array.data() + 1, 400);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("a copy failed"), std::string::npos);
  EXPECT_EQ(made_up_launches(), before);
}

TEST_F(SideBoost, MistakesWithMemoryAreSentences) {
  int* block = nullptr;
  EXPECT_EQ(sideaware_malloc_async(&block, 0), 1);
  EXPECT_TRUE(error_has("0 bytes"));
  EXPECT_EQ(sideaware_malloc_async(&block, 100, kMadeUpDevices), 1);
  EXPECT_TRUE(error_has("made-up error"));
  int other = 0;
  EXPECT_EQ(sideaware_free_async(&other), 1);
  EXPECT_TRUE(error_has("No block"));
  testing::internal::CaptureStderr();
  sideaware_free_auto(&other, 4, 0, nullptr);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("freeing failed"), std::string::npos);
  made_up_limit_pages(3);
  block = &other;
  EXPECT_EQ(sideaware_malloc_async(&block, 500 * kMiB), 1);
  EXPECT_EQ(block, nullptr);
  testing::internal::CaptureStderr();
  EXPECT_EQ(sideaware_malloc_auto(500 * kMiB, 0, nullptr), nullptr);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("an allocation failed"), std::string::npos);
  EXPECT_EQ(sideaware_write_cubin(listing("memcpy").c_str(), nullptr, 90, "/no/such/folder/file"),
            1);
  EXPECT_TRUE(error_has("/no/such/folder/file cannot be written"));
}

}  // namespace
