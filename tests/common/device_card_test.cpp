// SPDX-License-Identifier: MIT
/// \file  tests/common/device_card_test.cpp
/// \brief The device cards are whole and agree with themselves, a bad card is refused with a
///        sentence, and blocks per SM follow CUDA's rules.
#include "common/device_card.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace ladder {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path kFolder = fs::path(LADDER_SOURCE_DIR) / "common" / "devices";

TEST(DeviceCardTest, NamesAreTheFiles) {
  EXPECT_EQ(card_names(), (std::vector<std::string>{"a100", "b200", "classroom", "h100", "h200",
                                                    "rtx4090", "rtx5090", "t4"}));
}

TEST(DeviceCardTest, ReadsEveryFigure) {
  const DeviceCard card = load_card("h200");
  EXPECT_EQ(card.id, "h200");
  EXPECT_EQ(card.name, "NVIDIA H200 SXM");
  EXPECT_EQ(card.compute_capability, 90);
  EXPECT_EQ(card.sms, 132);
  EXPECT_EQ(card.sm_clock_mhz, 1980);
  EXPECT_EQ(card.max_threads_per_sm, 2048);
  EXPECT_EQ(card.max_warps_per_sm, 64);
  EXPECT_EQ(card.max_blocks_per_sm, 32);
  EXPECT_EQ(card.registers_per_sm, 65536);
  EXPECT_EQ(card.register_allocation_unit, 256);
  EXPECT_EQ(card.shared_bytes_per_sm, 228 * 1024);
  EXPECT_EQ(card.shared_bytes_reserved_per_block, 1024);
  EXPECT_EQ(card.shared_allocation_unit_bytes, 128);
  EXPECT_EQ(card.max_shared_bytes_per_block, 227 * 1024);
  EXPECT_EQ(card.l1_and_shared_bytes_per_sm, 256 * 1024);
  EXPECT_EQ(card.l2_bytes, 60 * 1024 * 1024);
  EXPECT_EQ(card.l2_ways, 16);
  EXPECT_EQ(card.l2_partitions, 2);
  EXPECT_EQ(card.dram_bytes, 143771LL * 1024 * 1024) << "does not fit an int";
  EXPECT_DOUBLE_EQ(card.dram_bytes_per_second, 4.814304e12);
  EXPECT_DOUBLE_EQ(card.fp32_tflops, 66.90816);
  EXPECT_DOUBLE_EQ(card.tf32_tflops.value(), 535.26528);
  EXPECT_DOUBLE_EQ(card.bf16_tflops.value(), 1070.53056);
}

TEST(DeviceCardTest, TensorPeaksAreEmptyWhereTheCoresCannot) {
  const DeviceCard card = load_card("t4");
  EXPECT_FALSE(card.tf32_tflops.has_value());
  EXPECT_FALSE(card.bf16_tflops.has_value());
  EXPECT_EQ(card.shared_bytes_reserved_per_block, 0) << "the one figure that may be 0";
}

/// The cards that are with the sources.
class EveryCardTest : public testing::TestWithParam<std::string> {};

TEST_P(EveryCardTest, LimitsFitTogether) {
  constexpr int kLineBytes = 128;
  const DeviceCard card = load_card(GetParam());
  EXPECT_EQ(card.id, GetParam());
  EXPECT_EQ(card.max_threads_per_sm, 32 * card.max_warps_per_sm);
  EXPECT_LE(card.max_blocks_per_sm, card.max_warps_per_sm);
  EXPECT_EQ(card.registers_per_sm % (4 * card.register_allocation_unit), 0);
  EXPECT_EQ(card.max_shared_bytes_per_block + card.shared_bytes_reserved_per_block,
            card.shared_bytes_per_sm)
      << "one block may take all that is not reserved";
  EXPECT_EQ(card.max_shared_bytes_per_block % card.shared_allocation_unit_bytes, 0);
  EXPECT_LT(card.shared_bytes_per_sm, card.l1_and_shared_bytes_per_sm) << "no L1 is left";
  EXPECT_EQ(card.l2_bytes % (card.l2_ways * kLineBytes), 0) << "the sets are not whole";
  EXPECT_GT(card.dram_bytes, 100 * card.l2_bytes);
}

TEST_P(EveryCardTest, PeaksFollowFromSmsAndClock) {
  struct FlopPerCycle {
    double fp32, tf32, bf16;  // of one SM
  };
  // FP32 units: CUDA C++ Programming Guide, "Compute Capability", Architecture. Tensor cores: the
  // architectures' whitepapers; 8.9 and 12.0 are GeForces, whose FP32 accumulation runs at half
  // rate.
  const std::map<int, FlopPerCycle> of_compute_capability = {
      {75, {128, 0, 0}},       {80, {128, 1024, 2048}},  {89, {256, 256, 512}},
      {90, {256, 2048, 4096}}, {100, {256, 4096, 8192}}, {120, {256, 256, 512}}};
  const DeviceCard card = load_card(GetParam());
  const FlopPerCycle flop = of_compute_capability.at(card.compute_capability);
  const double cycles = 1e-6 * card.sms * card.sm_clock_mhz;  // of all SMs in a second, in tera
  EXPECT_NEAR(card.fp32_tflops, flop.fp32 * cycles, 1e-5);
  EXPECT_NEAR(card.tf32_tflops.value_or(0), flop.tf32 * cycles, 1e-5);
  EXPECT_NEAR(card.bf16_tflops.value_or(0), flop.bf16 * cycles, 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Cards, EveryCardTest, testing::ValuesIn(card_names()),
                         [](const auto& info) { return info.param; });

TEST(DeviceCardTest, TheClassroomIsAPieceOfAnH200) {
  const DeviceCard small = load_card("classroom");
  const DeviceCard whole = load_card("h200");
  EXPECT_EQ(small.sms, 8);
  EXPECT_EQ(small.l2_bytes, 512 * 1024);
  EXPECT_DOUBLE_EQ(small.dram_bytes_per_second / small.sms,
                   whole.dram_bytes_per_second / whole.sms);
  EXPECT_NEAR(small.fp32_tflops / small.sms, whole.fp32_tflops / whole.sms, 1e-9);
  EXPECT_EQ(small.shared_bytes_per_sm, whole.shared_bytes_per_sm);
  EXPECT_EQ(small.registers_per_sm, whole.registers_per_sm);
  EXPECT_EQ(small.max_threads_per_sm, whole.max_threads_per_sm);
}

// -- Blocks per SM --------------------------------------------------------------------------------

/// Blocks per SM and what decides.
void expect_blocks(const char* card_name, const KernelNeeds& needs, int blocks,
                   const std::string& limit) {
  const DeviceCard card = load_card(card_name);
  EXPECT_EQ(blocks_per_sm(card, needs), blocks)
      << card_name << ": " << needs.threads_per_block << " threads, " << needs.registers_per_thread
      << " registers, " << needs.shared_bytes_per_block << " bytes";
  EXPECT_EQ(deciding_limit(card, needs), limit)
      << card_name << ": " << needs.threads_per_block << " threads, " << needs.registers_per_thread
      << " registers, " << needs.shared_bytes_per_block << " bytes";
}

TEST(BlocksPerSmTest, Registers) {
  // 128 * 32 = 4096 a warp; 16384 / 4096 = 4 warps in each of 4 partitions; 16 / 8 = 2 blocks.
  expect_blocks("h200", {256, 128, 0}, 2, "registers");
  // 114 * 32 = 3648, rounded up to 3840: also 4 warps a partition.
  expect_blocks("h200", {256, 114, 0}, 2, "registers");
  // 32 * 32 = 1024: 16 * 4 = 64 warps, as many as the SM holds anyway; 64 / 32 = 2.
  expect_blocks("h200", {1024, 32, 0}, 2, "threads and registers");
  // 33 * 32 = 1056, rounded up to 1280: 12 * 4 / 4 = 12 blocks. Unrounded it would be 15.
  expect_blocks("h200", {128, 33, 0}, 12, "registers");
}

TEST(BlocksPerSmTest, RegistersComeFromOnePartition) {
  // 80 * 32 = 2560: 6 warps a partition, 24 in all, 24 / 5 = 4. The SM's 65536 as a whole would
  // hold 25 warps and 5 blocks.
  expect_blocks("h200", {160, 80, 0}, 4, "registers");
  // 200 * 32 = 6400: 2 warps a partition, 8 in all. 9 warps never fit, though 9 * 6400 < 65536.
  expect_blocks("h200", {288, 200, 0}, 0, "registers");
}

TEST(BlocksPerSmTest, UnknownRegistersDoNotLimit) {
  expect_blocks("h200", {256, 0, 0}, 8, "threads");
}

TEST(BlocksPerSmTest, NoThreadHasMoreThan255Registers) {
  expect_blocks("h200", {32, 255, 0}, 8, "registers");
  expect_blocks("h200", {32, 256, 0}, 0, "registers");
}

TEST(BlocksPerSmTest, SharedMemoryWithWhatCudaReserves) {
  // (49152 + 1024) of 233472: 4.65.
  expect_blocks("h200", {256, 0, 48 * 1024}, 4, "shared memory");
  // 57 KiB would fit 4 times into 228 KiB, but 58 does not; 56 + 1 does.
  expect_blocks("h200", {128, 0, 57 * 1024}, 3, "shared memory");
  expect_blocks("h200", {128, 0, 56 * 1024}, 4, "shared memory");
  // 6506 + 1024 = 7530 fits 31 times into 233472, 7552 = 59 * 128 only 30 times.
  expect_blocks("h200", {32, 0, 6506}, 30, "shared memory");
  // Turing reserves nothing and rounds to 256: 65536 / 5120 = 12.8. By 128 it would be 13.
  expect_blocks("t4", {32, 0, 4900}, 12, "shared memory");
  expect_blocks("t4", {32, 0, 32 * 1024}, 2, "shared memory");
}

TEST(BlocksPerSmTest, TheMostSharedMemory) {
  expect_blocks("h200", {1024, 64, 227 * 1024}, 1, "registers and shared memory");
  expect_blocks("h200", {128, 0, 227 * 1024 + 1}, 0, "shared memory");
  expect_blocks("t4", {128, 0, 64 * 1024}, 1, "shared memory");
  expect_blocks("t4", {128, 0, 64 * 1024 + 1}, 0, "shared memory");
}

TEST(BlocksPerSmTest, ABlockMayBeHeldToLessThanTheSmHas) {
  DeviceCard card = load_card("h200");
  card.max_shared_bytes_per_block = 48 * 1024;
  EXPECT_EQ(blocks_per_sm(card, {128, 0, 48 * 1024}), 4);
  EXPECT_EQ(blocks_per_sm(card, {128, 0, 48 * 1024 + 1}), 0);
  EXPECT_EQ(blocks_per_sm(card, {128, 0, std::numeric_limits<int>::max()}), 0);
}

TEST(BlocksPerSmTest, ThreadsAndBlocks) {
  expect_blocks("h200", {32, 0, 0}, 32, "blocks");
  expect_blocks("h200", {512, 0, 0}, 4, "threads");
  // 33 threads are 2 warps: 64 / 2 = 32.
  expect_blocks("h200", {33, 0, 0}, 32, "threads and blocks");
  // 1000 threads are 32 warps.
  expect_blocks("h200", {1000, 0, 0}, 2, "threads");
  expect_blocks("h200", {1024, 0, 0}, 2, "threads");
  expect_blocks("h200", {1025, 0, 0}, 0, "threads");
}

TEST(BlocksPerSmTest, OtherCards) {
  // 48 warps: one block of 32 and nothing beside it.
  expect_blocks("rtx4090", {1024, 32, 0}, 1, "threads");
  expect_blocks("rtx4090", {32, 0, 0}, 24, "blocks");
  expect_blocks("rtx4090", {256, 0, 48 * 1024}, 2, "shared memory");  // 102400 / 50176 = 2.04
  expect_blocks("a100", {256, 0, 48 * 1024}, 3, "shared memory");     // 167936 / 50176 = 3.35
  expect_blocks("t4", {32, 0, 0}, 16, "blocks");
  expect_blocks("t4", {1024, 64, 0}, 1, "threads and registers");
  expect_blocks("classroom", {256, 128, 0}, 2, "registers");
  // Eight stages of rungs 11 and 12 take the whole SM of one card and less than half of the other.
  expect_blocks("rtx5090", {384, 0, 98432}, 1, "shared memory");
  expect_blocks("b200", {384, 0, 98432}, 2, "shared memory");
  expect_blocks("rtx5090", {384, 0, 100 * 1024}, 0, "shared memory");
}

TEST(BlocksPerSmTest, RefusesWhatMakesNoSense) {
  const DeviceCard card = load_card("h200");
  for (const KernelNeeds& needs :
       {KernelNeeds{0, 32, 0}, {-32, 32, 0}, {32, -1, 0}, {32, 32, -1}}) {
    EXPECT_THROW(blocks_per_sm(card, needs), std::invalid_argument);
    EXPECT_THROW(deciding_limit(card, needs), std::invalid_argument);
  }
}

// -- Bad cards ------------------------------------------------------------------------------------

/// What load_card() says about a card that it refuses.
std::string complaint_about(const std::string& name_or_path) {
  try {
    load_card(name_or_path);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  ADD_FAILURE() << name_or_path << " was accepted";
  return "";
}

TEST(BadCardTest, AnUnknownNameListsTheKnownOnes) {
  const std::string complaint = complaint_about("h300");
  EXPECT_NE(complaint.find("there is no device card \"h300\""), std::string::npos) << complaint;
  for (const std::string& name : card_names()) {
    EXPECT_NE(complaint.find(name), std::string::npos) << complaint;
  }
  EXPECT_NE(complaint_about("").find("no device card \"\""), std::string::npos);
  EXPECT_NE(complaint_about("H200").find("no device card \"H200\""), std::string::npos);
}

/// A folder for cards that is gone after the test.
class BadCardFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "device_card_test_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    std::ifstream file(kFolder / "h200.json");
    card_ = json::parse(file);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// \return the path of a card with this text
  std::string write(const std::string& text) const {
    const fs::path path = folder_ / "mine.json";
    std::ofstream(path) << text;
    return path;
  }

  /// The complaint about a card of which one figure is another.
  std::string complaint_with(const std::string& figure, const json& content) const {
    json card = card_;
    card.at(figure) = content;
    return complaint_about(write(card.dump(2)));
  }

  /// The same for a value that has its source.
  std::string complaint_with_value(const std::string& figure, const json& value) const {
    return complaint_with(figure, {{"value", value}, {"source", "a test"}});
  }

  fs::path folder_;
  json card_;  ///< that of the H200
};

TEST_F(BadCardFileTest, ReadsACardOfYourOwn) {
  card_["sms"]["value"] = 7;
  const DeviceCard card = load_card(write(card_.dump()));
  EXPECT_EQ(card.id, "mine");
  EXPECT_EQ(card.sms, 7);
}

TEST_F(BadCardFileTest, APathIsWhatHasASlashOrEndsInJson) {
  const std::string path = (folder_ / "h200").string();
  fs::copy_file(kFolder / "h200.json", path);
  EXPECT_EQ(load_card(path).sms, 132) << "a slash";
  EXPECT_NE(complaint_about("h200.json").find("cannot read the device card h200.json"),
            std::string::npos)
      << "not the card of that name";
}

TEST_F(BadCardFileTest, UnreadableFiles) {
  const std::string missing = (folder_ / "missing.json").string();
  EXPECT_EQ(complaint_about(missing),
            "cannot read the device card " + missing + ": No such file or directory");
  EXPECT_EQ(complaint_about(folder_.string()),
            "cannot read the device card " + folder_.string() + ": it is a folder");
}

TEST_F(BadCardFileTest, BadJsonIsGivenWithItsPosition) {
  const std::string path = write("{\n  \"sms\": {\n    \"value\": x132\n  }\n}\n");
  const std::string complaint = complaint_about(path);
  EXPECT_EQ(complaint.find(path + " is not valid JSON: parse error at line 3, column 14"), 0u)
      << complaint;
  EXPECT_NE(complaint_about(write("")).find("is not valid JSON: parse error at line 1"),
            std::string::npos);
  EXPECT_NE(complaint_about(write("{\"sms\": 1e999}")).find("is not valid JSON: number overflow"),
            std::string::npos);
}

TEST_F(BadCardFileTest, JsonThatIsNoCard) {
  const std::string path = write("[1, 2]");
  EXPECT_EQ(complaint_about(path),
            path + " is no device card: it must be a JSON object of figures");
}

TEST_F(BadCardFileTest, EveryFigureMustBeThere) {
  for (const auto& [name, figure] : card_.items()) {
    json card = card_;
    card.erase(name);
    const std::string path = write(card.dump());
    const std::string complaint = complaint_about(path);
    EXPECT_EQ(complaint.find(path + " lacks the figure " + name + ";"), 0u) << complaint;
  }
}

TEST_F(BadCardFileTest, EveryFigureNeedsASource) {
  for (const auto& [name, figure] : card_.items()) {
    for (const json& source : {json(""), json(" \t"), json(5), json(nullptr)}) {
      json content = figure;
      content["source"] = source;
      const std::string complaint = complaint_with(name, content);
      EXPECT_EQ(complaint.find(name + " in "), 0u) << complaint;
      EXPECT_NE(complaint.find(" has no source: say where " + figure["value"].dump() + " is from"),
                std::string::npos)
          << complaint;
    }
  }
  EXPECT_NE(complaint_with("sms", {{"value", 132}}).find(" has no source: say where 132 is from"),
            std::string::npos);
}

TEST_F(BadCardFileTest, AFigureIsAValueWithItsSource) {
  for (const json& content : {json(132), json::array({132}), json{{"source", "a test"}}}) {
    const std::string complaint = complaint_with("sms", content);
    EXPECT_EQ(complaint.find("sms in "), 0u) << complaint;
    EXPECT_NE(complaint.find(" is " + content.dump() +
                             ", but must be an object with a value and its source"),
              std::string::npos)
        << complaint;
  }
}

TEST_F(BadCardFileTest, WrongTypesAndValues) {
  struct Case {
    const char* figure;
    json value;
    const char* requirement;
  };
  const std::vector<Case> cases = {
      {"name", 5, "a text"},
      {"name", "", "a text"},
      {"sms", "132", "a whole number"},
      {"sms", 132.5, "a whole number"},
      {"sms", nullptr, "a whole number"},
      {"sms", true, "a whole number"},
      {"sms", 0, "positive"},
      {"sms", -132, "positive"},
      {"sms", 2147483648, "at most 2147483647"},
      {"l2_bytes", 18446744073709551615u, "at most 1073741824"},
      {"l2_bytes", 4000000000000, "at most 1073741824"},
      {"l2_bytes", -1, "positive"},
      {"shared_bytes_reserved_per_block", -1, "0 or more"},
      {"fp32_tflops", "67", "a number"},
      {"fp32_tflops", nullptr, "a number"},
      {"fp32_tflops", 0.0, "positive"},
      {"dram_bytes_per_second", -4.8e12, "positive"},
      {"tf32_tflops", "none", "a number"},
      {"tf32_tflops", 0, "positive"},
      {"bf16_tflops", -1, "positive"},
  };
  for (const auto& [figure, value, requirement] : cases) {
    const std::string complaint = complaint_with_value(figure, value);
    EXPECT_EQ(complaint, std::string(figure) + " in " + (folder_ / "mine.json").string() + " is " +
                             value.dump() + ", but must be " + requirement);
  }
}

}  // namespace
}  // namespace ladder
