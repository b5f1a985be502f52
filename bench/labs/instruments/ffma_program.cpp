// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/ffma_program.cpp
/// \brief Writes multiply-adds with chosen registers and control bits into a compiled kernel.
#include "bench/labs/instruments/ffma_program.hpp"

#include <elf.h>

#include <cstring>
#include <set>
#include <stdexcept>

#include "bench/labs/instruments/instruments.hpp"

namespace ladder::labs {
namespace {

constexpr std::uint64_t kOpcodeMask = 0xfff;
constexpr std::uint64_t kFfma = 0x223;
constexpr std::uint64_t kAlways = 0x7000;  // predicate PT
constexpr std::uint64_t kByte = 0xff;
constexpr int kDestinationBit = 16;
constexpr int kABit = 24;
constexpr int kBBit = 32;
// Of the upper half:
constexpr int kPauseBit = 41;
constexpr int kStayBit = 45;
constexpr std::uint64_t kWaits = 0xfffULL << 46;  // barriers that it sets and waits for
constexpr int kReuseBit = 58;                     // of a; b and c follow

MachineWord word_at(const std::vector<char>& image, std::size_t at) {
  MachineWord word;
  std::memcpy(&word, image.data() + at, sizeof word);
  return word;
}

template <typename T>
T header_at(const std::vector<char>& image, std::size_t at) {
  T header;
  if (at > image.size() || image.size() - at < sizeof header)
    throw LabError("This image is no cubin: it ends before its headers do");
  std::memcpy(&header, image.data() + at, sizeof header);
  return header;
}

/// Where the FFMAs of a kernel begin, in bytes of the image.
std::vector<std::size_t> ffmas_of(const std::vector<char>& image, const std::string& kernel) {
  const auto elf = header_at<Elf64_Ehdr>(image, 0);
  if (std::memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0)
    throw LabError("This image is no cubin: it is no ELF file");
  const auto section = [&](std::size_t index) {
    return header_at<Elf64_Shdr>(image, elf.e_shoff + index * sizeof(Elf64_Shdr));
  };
  const Elf64_Shdr names = section(elf.e_shstrndx);
  for (std::size_t index = 0; index < elf.e_shnum; ++index) {
    const Elf64_Shdr text = section(index);
    const std::size_t name = names.sh_offset + text.sh_name;
    if (name >= image.size() || text.sh_offset > image.size() ||
        text.sh_size > image.size() - text.sh_offset)
      throw LabError("This image is no cubin: a section lies beyond its end");
    if (std::string(image.data() + name, strnlen(image.data() + name, image.size() - name)) !=
        ".text." + kernel)
      continue;
    std::vector<std::size_t> found;
    for (std::size_t at = text.sh_offset; at + sizeof(MachineWord) <= text.sh_offset + text.sh_size;
         at += sizeof(MachineWord))
      if (is_ffma(word_at(image, at))) found.push_back(at);
    return found;
  }
  throw LabError("The cubin has no kernel " + kernel);
}

int register_at(std::uint64_t half, int bit) {
  return static_cast<int>(half >> bit & kByte);
}

}  // namespace

bool is_ffma(const MachineWord& word) {
  return (word.low & kOpcodeMask) == kFfma;
}

MachineWord encoded(const MachineWord& word, const FfmaStep& step) {
  const auto number = [](int reg) {
    if (reg < 0 || reg > kZeroRegister) throw std::invalid_argument("there is no such register");
    return static_cast<std::uint64_t>(reg);
  };
  if (step.pause < 1 || step.pause > kLongestPause)
    throw std::invalid_argument("a pause has 1 to 11 cycles");
  const auto& [a, b, c] = step.sources;
  MachineWord result;
  result.low = kFfma | kAlways | number(step.destination) << kDestinationBit |
               number(a.reg) << kABit | number(b.reg) << kBBit;
  result.high = (word.high & kWaits) | number(c.reg) |
                static_cast<std::uint64_t>(step.pause) << kPauseBit |
                static_cast<std::uint64_t>(!step.yields) << kStayBit;
  for (std::size_t slot = 0; slot < step.sources.size(); ++slot)
    result.high |= static_cast<std::uint64_t>(step.sources[slot].reuse) << (kReuseBit + slot);
  return result;
}

std::vector<int> free_registers(const std::vector<char>& cubin, const std::string& kernel) {
  const std::vector<std::size_t> ffmas = ffmas_of(cubin, kernel);
  std::set<int> free;
  for (const std::size_t at : ffmas)
    free.insert(register_at(word_at(cubin, at).low, kDestinationBit));
  for (std::size_t at = ffmas.empty() ? 0 : ffmas.front(); !ffmas.empty() && at < ffmas.back();
       at += sizeof(MachineWord)) {
    const MachineWord word = word_at(cubin, at);
    if (is_ffma(word)) continue;
    for (const int bit : {kDestinationBit, kABit, kBBit})
      free.erase(register_at(word.low, bit));
    free.erase(register_at(word.high, 0));
  }
  return {free.begin(), free.end()};
}

std::vector<char> with_program(std::vector<char> cubin, const std::string& kernel,
                               const FfmaProgram& program) {
  const std::vector<std::size_t> ffmas = ffmas_of(cubin, kernel);
  if (program.empty() || ffmas.empty() || ffmas.size() % program.size() != 0)
    throw LabError("The program does not go into the FFMAs of " + kernel +
                   " a whole number of times");
  for (std::size_t i = 0; i < ffmas.size(); ++i) {
    const MachineWord word = encoded(word_at(cubin, ffmas[i]), program[i % program.size()]);
    std::memcpy(cubin.data() + ffmas[i], &word, sizeof word);
  }
  return cubin;
}

}  // namespace ladder::labs
