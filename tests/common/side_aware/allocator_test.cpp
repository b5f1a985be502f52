// SPDX-License-Identifier: MIT
/// \file  tests/common/side_aware/allocator_test.cpp
/// \brief The allocator maps pages by their sides, uses freed blocks again when it is safe, and
///        gives everything back.
#include "common/side_aware/allocator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "common/side_aware/error.hpp"
#include "common/side_aware/launch_plan.hpp"
#include "tests/common/side_aware/fake_driver.hpp"

namespace ladder::side_aware {
namespace {

constexpr std::uint64_t kMask = 0xAB000;
const Stream kFirst = fake_stream(1);
const Stream kSecond = fake_stream(2);

/// Expects that the rule names the side of each page of a block.
void expect_sides(const FakeDriver& driver, const Allocator& allocator, Address block,
                  std::size_t pages) {
  const std::optional<SideRule> rule = allocator.rule_of(block);
  ASSERT_TRUE(rule);
  EXPECT_EQ(rule->block, block);
  EXPECT_EQ(rule->bytes, pages * kPageBytes);
  for (std::size_t page = 0; page < pages; ++page) {
    const Address at = block + page * kPageBytes;
    EXPECT_EQ(side_of(at, *rule, kMask), driver.side_at(at)) << "page " << page;
  }
}

TEST(SideAwareAllocator, AddressesTellTheSide) {
  FakeDriver driver;
  {
    Allocator allocator(driver);
    for (const std::size_t pages : {1u, 2u, 5u, 64u, 33u}) {
      const Address block = allocator.malloc_async(pages * kPageBytes - 5, kFirst);
      EXPECT_EQ(block % (2 * kPageBytes), 0u);
      expect_sides(driver, allocator, block, pages);
      EXPECT_TRUE(allocator.rule_of(block)->off_rule.empty());
    }
    EXPECT_EQ(allocator.state().blocks_in_use, 5u);
    EXPECT_EQ(allocator.state().bytes_in_use, 105 * kPageBytes);
  }
  EXPECT_TRUE(driver.clean());
}

TEST(SideAwareAllocator, EqualBlocksBeginOnTheSameSide) {
  FakeDriver driver;
  Allocator allocator(driver);
  const Address source = allocator.malloc_async(7 * kPageBytes, kFirst);
  const Address target = allocator.malloc_async(7 * kPageBytes, kFirst);
  for (std::uint64_t offset = 0; offset < 7 * kPageBytes; offset += kPageBytes)
    EXPECT_EQ(driver.side_at(source + offset), driver.side_at(target + offset));
}

TEST(SideAwareAllocator, WhereASideRunsOutPagesAreMarked) {
  FakeDriver driver(16, 4);  // 16 pages, of which 4 are of side 1
  Allocator allocator(driver);
  const Address block = allocator.malloc_async(12 * kPageBytes, kFirst);
  const std::optional<SideRule> rule = allocator.rule_of(block);
  EXPECT_EQ(std::ranges::count(rule->off_rule, true), 2);  // 6 of either side were wanted
  EXPECT_EQ(allocator.state().pages_off_rule, 2u);
  expect_sides(driver, allocator, block, 12);
}

TEST(SideAwareAllocator, TheStreamThatFreedABlockGetsItAtOnce) {
  FakeDriver driver;
  Allocator allocator(driver);
  const Address first = allocator.malloc_async(3 * kPageBytes, kFirst);
  allocator.free_async(first, kFirst);
  EXPECT_EQ(allocator.malloc_async(3 * kPageBytes, kFirst), first);
  EXPECT_TRUE(driver.stream_waits.empty());
  EXPECT_TRUE(driver.events.empty());
  EXPECT_EQ(allocator.state().reuses, 1u);
  EXPECT_NE(allocator.malloc_async(3 * kPageBytes, kFirst), first);
}

TEST(SideAwareAllocator, AnotherStreamWaitsForTheWorkBefore) {
  FakeDriver driver;
  Allocator allocator(driver);
  const Address block = allocator.malloc_async(kPageBytes, kFirst);
  allocator.free_async(block, kFirst);
  const EventHandle event = driver.events.begin()->first;
  EXPECT_EQ(allocator.malloc_async(kPageBytes, kSecond), block);
  ASSERT_EQ(driver.stream_waits.size(), 1u);
  EXPECT_EQ(driver.stream_waits[0], std::pair(kSecond, event));
}

TEST(SideAwareAllocator, AnotherStreamNeedNotWaitForWorkThatIsDone) {
  FakeDriver driver;
  Allocator allocator(driver);
  const Address busy = allocator.malloc_async(kPageBytes, kFirst);
  const Address done = allocator.malloc_async(kPageBytes, kFirst);
  allocator.free_async(busy, kFirst);
  allocator.free_async(done, kFirst);
  driver.events.rbegin()->second.second = true;
  EXPECT_EQ(allocator.malloc_async(kPageBytes, kSecond), done);
  EXPECT_TRUE(driver.stream_waits.empty());
}

TEST(SideAwareAllocator, AnotherSizeIsAnotherBlock) {
  FakeDriver driver;
  Allocator allocator(driver);
  const Address block = allocator.malloc_async(2 * kPageBytes, kFirst);
  allocator.free_async(block, kFirst);
  EXPECT_NE(allocator.malloc_async(3 * kPageBytes, kFirst), block);
  EXPECT_EQ(allocator.malloc_async(kPageBytes + 1, kFirst), block);  // two pages as well
}

TEST(SideAwareAllocator, WhatExceedsItsLimitGoesBackAfterItsWork) {
  FakeDriver driver;
  Allocator allocator(driver, {.most_bytes = 5 * kPageBytes, .kept_bytes = 0});
  const Address kept = allocator.malloc_async(4 * kPageBytes, kFirst);
  const Address freed = allocator.malloc_async(6 * kPageBytes, kFirst);
  allocator.free_async(freed, kSecond);
  EXPECT_EQ(driver.waited.size(), 1u);
  EXPECT_EQ(driver.pages_alive(), 4u);
  EXPECT_EQ(allocator.state().bytes_cached, 0u);
  EXPECT_FALSE(allocator.rule_of(freed));
  EXPECT_TRUE(allocator.rule_of(kept));
}

TEST(SideAwareAllocator, BeyondItsLimitTheCacheShrinksByItself) {
  FakeDriver driver;
  Allocator allocator(driver, {.most_bytes = 8 * kPageBytes, .kept_bytes = 3 * kPageBytes});
  std::vector<Address> blocks;
  for (int i = 0; i < 5; ++i)
    blocks.push_back(allocator.malloc_async(2 * kPageBytes, kFirst));
  for (const Address block : blocks)
    allocator.free_async(block, kFirst);
  EXPECT_LE(allocator.state().bytes_cached, 3 * kPageBytes);
}

TEST(SideAwareAllocator, FullMemoryIsTakenFromTheCacheFirst) {
  FakeDriver driver(20);
  Allocator allocator(driver);
  const Address freed = allocator.malloc_async(16 * kPageBytes, kFirst);
  allocator.free_async(freed, kFirst);
  const Address block = allocator.malloc_async(18 * kPageBytes, kFirst);
  expect_sides(driver, allocator, block, 18);
  EXPECT_THROW(allocator.malloc_async(3 * kPageBytes, kFirst), OutOfMemory);
  EXPECT_EQ(allocator.state().blocks_in_use, 1u);  // the failure took nothing
  EXPECT_NO_THROW(allocator.malloc_async(2 * kPageBytes, kFirst));
}

TEST(SideAwareAllocator, MistakesAreToldInSentences) {
  FakeDriver driver(4);
  Allocator allocator(driver);
  const auto message_of = [](auto failing) -> std::string {
    try {
      failing();
    } catch (const SideAwareError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_NE(message_of([&] { allocator.malloc_async(0, kFirst); }).find("at least one byte"),
            std::string::npos);
  const Address block = allocator.malloc_async(1, kFirst);
  EXPECT_NE(message_of([&] { allocator.free_async(block + 16, kFirst); }).find("0x"),
            std::string::npos);
  allocator.free_async(block, kFirst);
  EXPECT_NE(message_of([&] { allocator.free_async(block, kFirst); }).find("freed before"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              allocator.malloc_async(40 * kPageBytes, kFirst);
            }).find("40 pages of 2 MiB"),
            std::string::npos);
}

TEST(SideAwareAllocator, AFailureInTheMiddleLeavesNothingBehind) {
  int failures = 0;
  for (int calls = 0; calls < 60; ++calls) {
    SCOPED_TRACE("after " + std::to_string(calls) + " calls");
    FakeDriver driver;
    {
      Allocator allocator(driver);
      driver.calls_until_failure = calls;
      try {
        allocator.malloc_async(5 * kPageBytes, kFirst);
      } catch (const SideAwareError&) {
        ++failures;
        EXPECT_EQ(allocator.state().blocks_in_use, 0u);
      }
      driver.calls_until_failure = -1;
      expect_sides(driver, allocator, allocator.malloc_async(5 * kPageBytes, kFirst), 5);
    }
    EXPECT_TRUE(driver.clean());
  }
  EXPECT_GT(failures, 20);  // of each kind: addresses, pages, access, probes
  EXPECT_LT(failures, 60);
}

TEST(SideAwareAllocator, ARandomHistoryLeavesNothingBehind) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    FakeDriver driver(120, 2 + seed % 3);
    {
      Allocator allocator(driver, {.most_bytes = 40 * kPageBytes, .kept_bytes = 10 * kPageBytes});
      std::vector<std::pair<Address, std::size_t>> blocks;
      for (int step = 0; step < 300; ++step) {
        const Stream stream = fake_stream(1 + random() % 3);
        if (random() % 2 == 0 || blocks.empty()) {
          const std::size_t pages = 1 + random() % 9;
          try {
            blocks.emplace_back(allocator.malloc_async(pages * kPageBytes, stream), pages);
            expect_sides(driver, allocator, blocks.back().first, pages);
          } catch (const OutOfMemory&) {
            ASSERT_FALSE(blocks.empty());
          }
        } else {
          const std::size_t i = random() % blocks.size();
          allocator.free_async(blocks[i].first, stream);
          blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(i));
        }
        ASSERT_EQ(allocator.state().blocks_in_use, blocks.size());
        ASSERT_EQ(allocator.state().pages_of_driver, driver.pages_alive());
      }
    }
    EXPECT_TRUE(driver.clean());
  }
}

}  // namespace
}  // namespace ladder::side_aware
