// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/ffma_program_test.cpp
/// \brief FFMAs are encoded as ptxas encodes them, and go where a cubin has FFMAs.
#include "bench/labs/instruments/ffma_program.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "bench/labs/instruments/instruments.hpp"

namespace ladder::labs {
namespace {

// An FFMA as ptxas 13.0 encodes it and nvdisasm prints it. It waits for a load first.
constexpr MachineWord kGolden = {0x0000000407037223, 0x044fe20000000003};
constexpr std::string_view kGoldenText = "FFMA R3, R7.reuse, R4, R3";

FfmaStep golden_step() {
  FfmaStep step;
  step.destination = 3;
  step.sources = {FfmaSource{7, true}, FfmaSource{4}, FfmaSource{3}};
  return step;
}

/// The words as a cubin with one kernel.
std::vector<char> cubin_of(const std::vector<MachineWord>& words, const std::string& kernel) {
  const std::string names = std::string(1, '\0') + ".text." + kernel + '\0';
  std::array<Elf64_Shdr, 2> sections{};
  const std::size_t text_at = sizeof(Elf64_Ehdr) + sizeof sections;
  const std::size_t text_bytes = words.size() * sizeof(MachineWord);
  sections[0].sh_offset = text_at + text_bytes;
  sections[0].sh_size = names.size();
  sections[1].sh_name = 1;
  sections[1].sh_offset = text_at;
  sections[1].sh_size = text_bytes;
  Elf64_Ehdr elf{};
  std::memcpy(elf.e_ident, ELFMAG, SELFMAG);
  elf.e_shoff = sizeof elf;
  elf.e_shnum = sections.size();
  std::vector<char> image(text_at + text_bytes + names.size());
  std::memcpy(image.data(), &elf, sizeof elf);
  std::memcpy(image.data() + sizeof elf, sections.data(), sizeof sections);
  std::memcpy(image.data() + text_at, words.data(), text_bytes);
  std::memcpy(image.data() + text_at + text_bytes, names.data(), names.size());
  return image;
}

MachineWord word_of(const std::vector<char>& image, std::size_t index) {
  MachineWord word;
  std::memcpy(&word,
              image.data() + sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Shdr) + index * sizeof word,
              sizeof word);
  return word;
}

constexpr MachineWord kNop = {0x0000000000007918, 0x000fc00000000000};
constexpr MachineWord kAddsToR4 = {0x0000000104047810, 0x000fc80007ffe0ff};  // IADD3 R4, R4, 1, RZ

TEST(FfmaProgramTest, AnFfmaHasThePtxasBits) {
  EXPECT_TRUE(is_ffma(kGolden));
  EXPECT_FALSE(is_ffma(kNop));
  EXPECT_EQ(encoded(kGolden, golden_step()), kGolden);
}

TEST(FfmaProgramTest, WhatItWaitsForStays) {
  MachineWord waits = kGolden;
  waits.high |= 1ULL << 52;
  EXPECT_EQ(encoded(waits, golden_step()), waits);
}

TEST(FfmaProgramTest, EachFieldChangesItsOwnBits) {
  FfmaStep step = golden_step();
  step.destination = 254;
  EXPECT_EQ(encoded(kGolden, step).low ^ kGolden.low, std::uint64_t{254 ^ 3} << 16);
  step = golden_step();
  step.sources[1].reuse = true;
  step.sources[2].reuse = true;
  EXPECT_EQ(encoded(kGolden, step).high ^ kGolden.high, 3ULL << 59);
  step = golden_step();
  step.pause = 10;
  step.yields = true;
  EXPECT_EQ(encoded(kGolden, step).high ^ kGolden.high, (10ULL ^ 1) << 41 | 1ULL << 45);
}

TEST(FfmaProgramTest, WhatCannotBeEncodedIsRefused) {
  for (const int reg : {-1, 256}) {
    FfmaStep step = golden_step();
    step.sources[2].reg = reg;
    EXPECT_THROW(encoded(kGolden, step), std::invalid_argument);
  }
  for (const int pause : {0, 12}) {
    FfmaStep step = golden_step();
    step.pause = pause;
    EXPECT_THROW(encoded(kGolden, step), std::invalid_argument);
  }
}

TEST(FfmaProgramTest, AProgramGoesIntoTheFfmasAlone) {
  const std::vector<char> cubin = cubin_of({kNop, kGolden, kNop, kGolden, kNop}, "f");
  FfmaStep other = golden_step();
  other.destination = 9;
  const std::vector<char> changed = with_program(cubin, "f", {golden_step(), other});
  EXPECT_EQ(word_of(changed, 0), kNop);
  EXPECT_EQ(word_of(changed, 1), kGolden);
  EXPECT_EQ(word_of(changed, 2), kNop);
  EXPECT_EQ(word_of(changed, 3), encoded(kGolden, other));
  EXPECT_EQ(changed.size(), cubin.size());
}

TEST(FfmaProgramTest, RegistersOfOtherInstructionsAreNotFree) {
  FfmaStep second = golden_step();
  second.destination = 4;
  const MachineWord other = encoded(kGolden, second);
  EXPECT_EQ(free_registers(cubin_of({kGolden, other}, "f"), "f"), (std::vector<int>{3, 4}));
  EXPECT_EQ(free_registers(cubin_of({kGolden, kAddsToR4, other}, "f"), "f"), (std::vector<int>{3}));
  EXPECT_TRUE(free_registers(cubin_of({kNop}, "f"), "f").empty());
}

TEST(FfmaProgramTest, ImagesThatAreNoCubinAreRefused) {
  const std::vector<char> cubin = cubin_of({kGolden, kGolden}, "f");
  EXPECT_THROW(with_program(cubin, "g", {golden_step()}), LabError);
  EXPECT_THROW(with_program(cubin, "f", {}), LabError);
  EXPECT_THROW(with_program(cubin, "f", FfmaProgram(3, golden_step())), LabError);
  EXPECT_THROW(free_registers({}, "f"), LabError);
  EXPECT_THROW(free_registers(std::vector<char>(100, 'x'), "f"), LabError);
  for (const std::size_t bytes : {sizeof(Elf64_Ehdr), sizeof(Elf64_Ehdr) + 100, cubin.size() - 9})
    EXPECT_THROW(free_registers({cubin.begin(), cubin.begin() + static_cast<long>(bytes)}, "f"),
                 LabError)
        << bytes;
}

TEST(FfmaProgramTest, NvdisasmReadsWhatWasMeant) {
  const std::string raw = testing::TempDir() + "ffma_program_test.bin";
  std::ofstream(raw, std::ios::binary)
      .write(reinterpret_cast<const char*>(&kGolden), sizeof kGolden);
  std::string text;
  for (const char* const folder : {"", "/usr/local/cuda/bin/"}) {
    std::FILE* const pipe =
        popen(fmt::format("{}nvdisasm -b SM90 {} 2>/dev/null", folder, raw).c_str(), "r");
    std::array<char, 4096> part;
    while (pipe != nullptr && std::fgets(part.data(), part.size(), pipe) != nullptr)
      text += part.data();
    if (pipe != nullptr) pclose(pipe);
  }
  std::filesystem::remove(raw);
  if (text.empty()) GTEST_SKIP() << "there is no nvdisasm";
  EXPECT_NE(text.find(kGoldenText), std::string::npos) << text;
}

}  // namespace
}  // namespace ladder::labs
