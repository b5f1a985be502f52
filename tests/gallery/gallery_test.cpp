// SPDX-License-Identifier: MIT
/// \file  tests/gallery/gallery_test.cpp
/// \brief The tracer finds the fault of every broken kernel, at its line and by its name, and finds
///        none in the sound ones.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <new>
#include <optional>
#include <ostream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "emulator/run/settings.hpp"
#include "emulator/trace/trace.hpp"
#include "tests/gallery/gallery.hpp"

namespace ladder::emulator {

void PrintTo(FaultGroup group, std::ostream* out) {
  *out << code_of(group);
}

void PrintTo(const Place& place, std::ostream* out) {
  *out << place.file << ":" << place.line;
}

}  // namespace ladder::emulator

namespace ladder::gallery {

void PrintTo(const Broken& broken, std::ostream* out) {
  *out << broken.name;
}

void PrintTo(const Sound& sound, std::ostream* out) {
  *out << sound.name;
}

namespace {

using emulator::Fault;
using emulator::FaultGroup;
using emulator::KernelTrace;
using emulator::Place;
using emulator::to_text;

// -- Marks in the sources
// --------------------------------------------------------------------------

/// The marked lines of one kernel.
struct Marks {
  std::string words;  ///< behind `// fault: `
  Place fault;
  std::vector<Place> here;  ///< `// and here`

  bool contain(const Place& place) const {
    return place == fault || std::ranges::count(here, place) != 0;
  }
};

/// What stands behind the last `mark` in the line, to its end; nothing if it is not there.
std::optional<std::string> behind(const std::string& line, const std::string& mark) {
  const std::size_t at = line.rfind(mark);
  if (at == std::string::npos) return std::nullopt;
  return line.substr(at + mark.size());
}

/// The marks of all kernels of a source, and of functions that kernels call. One begins at
/// __global__ or __device__ and ends at a brace that begins a line.
/// \throws std::runtime_error  a mark is where none belongs
std::vector<Marks> marks_in(std::istream& source, const std::string& name) {
  std::vector<Marks> kernels;
  Marks kernel;
  bool inside = false;
  std::string line;
  for (unsigned number = 1; std::getline(source, line); ++number) {
    const Place place = {name, number};
    const std::optional<std::string> words = behind(line, "// fault: ");
    const bool here = line.ends_with("// and here");
    if ((words || here) && !inside)
      throw std::runtime_error(name + ":" + std::to_string(number) + ": a mark outside of kernels");
    if (line.starts_with("__global__") || line.starts_with("__device__")) {
      inside = true;
      kernel = {};
    }
    if (words && kernel.fault.line != 0)
      throw std::runtime_error(name + ":" + std::to_string(number) + ": a second fault");
    if (words) {
      kernel.words = *words;
      kernel.fault = place;
    }
    if (here) kernel.here.push_back(place);
    if (!line.starts_with("}") || !inside) continue;
    inside = false;
    if (kernel.fault.line != 0) kernels.push_back(kernel);
    if (kernel.fault.line == 0 && !kernel.here.empty())
      throw std::runtime_error(name + ":" + std::to_string(number) + ": a mark without a fault");
  }
  return kernels;
}

/// The marks of all sources of the gallery, by the words behind `// fault: `.
const std::map<std::string, Marks>& all_marks() {
  static const std::map<std::string, Marks> marks = [] {
    std::map<std::string, Marks> found;
    for (const auto& entry :
         std::filesystem::directory_iterator(LADDER_SOURCE_DIR "/tests/gallery")) {
      if (entry.path().extension() != ".cu") continue;
      std::ifstream source(entry.path());
      const std::string name = "tests/gallery/" + entry.path().filename().string();
      for (const Marks& kernel : marks_in(source, name)) {
        if (!found.emplace(kernel.words, kernel).second)
          throw std::runtime_error("two kernels have the fault: " + kernel.words);
      }
    }
    return found;
  }();
  return marks;
}

TEST(GalleryMarks, AreReadFromTheSource) {
  std::istringstream source(
      "__global__ void sound() {\n"
      "  x = 1;\n"
      "}\n"
      "__global__ void broken() {\n"
      "  x = 1;  // and here\n"
      "  y = x;  // fault: x is old\n"
      "}\n");
  const std::vector<Marks> marks = marks_in(source, "a.cu");
  ASSERT_EQ(marks.size(), 1u);
  EXPECT_EQ(marks[0].words, "x is old");
  EXPECT_EQ(marks[0].fault, (Place{"a.cu", 6}));
  EXPECT_EQ(marks[0].here, (std::vector<Place>{{"a.cu", 5}}));
  EXPECT_TRUE(marks[0].contain({"a.cu", 5}));
  EXPECT_FALSE(marks[0].contain({"a.cu", 4}));
}

TEST(GalleryMarks, StandInKernelsWithAFault) {
  const std::vector<std::string> wrong = {
      "int x;  // fault: outside\n",
      "__global__ void kernel() {\n  x = 1;  // and here\n}\n",
      "__global__ void kernel() {\n  x = 1;  // fault: one\n  x = 2;  // fault: two\n}\n",
  };
  for (const std::string& text : wrong) {
    std::istringstream source(text);
    EXPECT_THROW(marks_in(source, "a.cu"), std::runtime_error) << text;
  }
}

// -- The tables
// ------------------------------------------------------------------------------------

TEST(GalleryTable, NamesAreUnique) {
  std::set<std::string> names;
  for (const Broken& broken : broken_kernels())
    EXPECT_TRUE(names.insert(broken.name).second) << broken.name;
  for (const Sound& sound : sound_kernels())
    EXPECT_TRUE(names.insert(sound.name).second) << sound.name;
}

TEST(GalleryTable, HasEveryMarkedFaultAndNoOther) {
  std::set<std::string> listed;
  std::set<std::string> marked;
  for (const Broken& broken : broken_kernels())
    EXPECT_TRUE(listed.insert(broken.fault).second) << broken.fault;
  for (const auto& [words, marks] : all_marks())
    marked.insert(words);
  EXPECT_EQ(listed, marked);
}

TEST(GalleryTable, ShowsEveryGroupOfFaultsOfPlainKernels) {
  EXPECT_GE(broken_kernels().size(), 30u);
  std::set<FaultGroup> groups;
  for (const Broken& broken : broken_kernels())
    groups.insert(group_of(broken.kind));
  EXPECT_EQ(groups,
            (std::set<FaultGroup>{FaultGroup::kRace, FaultGroup::kOutOfBounds,
                                  FaultGroup::kAlignment, FaultGroup::kUninitialised,
                                  FaultGroup::kBarrier, FaultGroup::kHang, FaultGroup::kWarp}));
}

TEST(GalleryTable, SoundKernelsHaveABrokenTwin) {
  for (const Sound& sound : sound_kernels()) {
    EXPECT_TRUE(std::ranges::any_of(broken_kernels(), [&](const Broken& broken) {
      return std::string(broken.name) == sound.twin;
    })) << sound.name;
  }
}

// -- Memory
// ----------------------------------------------------------------------------------------

/// Numbers with mapped memory around them, so that an access that misses them by a little does not
/// end the process.
class PaddedNumbers {
 public:
  explicit PaddedNumbers(std::size_t count) : count_(count) {
    mapping_ =
        mmap(nullptr, mapped_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping_ == MAP_FAILED) throw std::bad_alloc();
  }
  explicit PaddedNumbers(const std::vector<float>& values) : PaddedNumbers(values.size()) {
    std::ranges::copy(values, data());
  }
  ~PaddedNumbers() { munmap(mapping_, mapped_bytes()); }
  PaddedNumbers(const PaddedNumbers&) = delete;
  PaddedNumbers& operator=(const PaddedNumbers&) = delete;

  /// The first number; 256 divides the address, since pages begin at multiples of 4096.
  float* data() const {
    return reinterpret_cast<float*>(static_cast<char*>(mapping_) + kPaddingBytes);
  }
  std::size_t bytes() const { return count_ * sizeof(float); }
  std::vector<float> values() const { return {data(), data() + count_}; }

 private:
  static constexpr std::size_t kPaddingBytes = 64 * 1024;

  std::size_t mapped_bytes() const { return bytes() + 2 * kPaddingBytes; }

  std::size_t count_;
  void* mapping_;
};

class Gallery {
 public:
  Gallery() { std::fill_n(C_.data(), C_.bytes() / sizeof(float), std::nanf("")); }

  KernelTrace trace(Launcher run) {
    return emulator::trace(
        {
            {.name = "A", .data = A_.data(), .bytes = A_.bytes(), .columns = kK},
            {.name = "B", .data = B_.data(), .bytes = B_.bytes(), .columns = kN},
            {.name = "C", .data = C_.data(), .bytes = C_.bytes(), .columns = kN, .written = false},
        },
        [&] { run({.A = A_.data(), .B = B_.data(), .C = C_.data()}); });
  }

  std::vector<float> result() const { return C_.values(); }

 private:
  PaddedNumbers A_{values_of_a()};
  PaddedNumbers B_{values_of_b()};
  PaddedNumbers C_{std::size_t{kM} * kN};
};

class GalleryFixture {
 public:
  GalleryFixture() { emulator::set_hang_limit(emulator::Seconds(0.3)); }
  ~GalleryFixture() { emulator::set_hang_limit(usual_limit_); }

 private:
  emulator::Seconds usual_limit_ = emulator::hang_limit();
};

// -- Broken kernels
// --------------------------------------------------------------------------------

std::string messages_of(const KernelTrace& trace) {
  std::string text = "reported:";
  for (const Fault& hazard : trace.hazards)
    text += "\n  " + emulator::text_of(hazard);
  return trace.hazards.empty() ? "nothing is reported" : text;
}

std::string text_of(const Place& place) {
  return place.file + ":" + std::to_string(place.line);
}

class BrokenKernel : public testing::TestWithParam<Broken>, GalleryFixture {
 protected:
  const Broken& broken_ = GetParam();
  const Marks& marks_ = all_marks().at(broken_.fault);

  bool is_a_hang() const { return group_of(broken_.kind) == FaultGroup::kHang; }

  /// Is this what must be reported?
  bool is_the_fault(const Fault& hazard) const {
    if (hazard.kind != broken_.kind) return false;
    if (is_a_hang()) return lies_in_the_loop(hazard.place);
    if (group_of(broken_.kind) != FaultGroup::kRace) return hazard.place == marks_.fault;
    if (!hazard.other) return false;
    // Which of the two comes first is the emulator's choice. In a line that races with itself, it
    // is both.
    const Place& partner = marks_.here.empty() ? marks_.fault : marks_.here.front();
    return (hazard.place == marks_.fault && hazard.other->place == partner) ||
           (hazard.place == partner && hazard.other->place == marks_.fault);
  }

  /// A thread that never leaves a loop is stopped wherever it happens to be.
  bool lies_in_the_loop(const Place& place) const {
    const unsigned last = marks_.here.empty() ? marks_.fault.line : marks_.here.back().line;
    return place.file == marks_.fault.file && place.line >= marks_.fault.line && place.line <= last;
  }

  void expect_explained(const Fault& hazard) const {
    const bool marked = is_a_hang() ? lies_in_the_loop(hazard.place) : marks_.contain(hazard.place);
    EXPECT_TRUE(marked) << "at a line without a mark: " << text_of(hazard);
    EXPECT_TRUE(hazard.kind == broken_.kind || hazard.kind == broken_.also) << text_of(hazard);
    if (!hazard.other || !hazard.other->verb) return;
    EXPECT_TRUE(marks_.contain(hazard.other->place)) << "without a mark: " << text_of(hazard);
  }
};

TEST_P(BrokenKernel, IsReportedAtItsLine) {
  Gallery gallery;
  const KernelTrace trace = gallery.trace(broken_.run);
  const auto found =
      std::ranges::find_if(trace.hazards, [&](const Fault& h) { return is_the_fault(h); });
  ASSERT_NE(found, trace.hazards.end())
      << code_of(broken_.kind) << " at " << text_of(marks_.fault) << "; " << messages_of(trace);

  EXPECT_EQ(found->block, broken_.block.value_or(found->block)) << text_of(*found);
  EXPECT_EQ(found->thread, broken_.thread.value_or(found->thread)) << text_of(*found);
  const std::string element = found->element ? name_of(*found->element) : "";
  EXPECT_TRUE(element.starts_with(broken_.element))
      << element << " is not " << broken_.element << ": " << text_of(*found);
  EXPECT_GE(found->times, 1u);
}

TEST_P(BrokenKernel, IsExplainedAndNothingElseIsReported) {
  Gallery gallery;
  const KernelTrace trace = gallery.trace(broken_.run);
  RecordProperty("reported", messages_of(trace));  // for bench/record/gallery_reports.py
  EXPECT_FALSE(trace.hazards.empty());
  for (const Fault& hazard : trace.hazards)
    expect_explained(hazard);
}

INSTANTIATE_TEST_SUITE_P(Gallery, BrokenKernel, testing::ValuesIn(broken_kernels()),
                         [](const auto& test) { return std::string(test.param.name); });

// -- Sound kernels
// ---------------------------------------------------------------------------------

constexpr int kCountA = kM * kK;

using Numbers = std::vector<float>;

/// Element i of A; 0 outside of it.
float a(int i) {
  static const Numbers values = values_of_a();
  return i >= 0 && i < kCountA ? values[i] : 0.0f;
}

/// Of A, from its first element to element i.
float sum_up_to(int i) {
  return i < 0 ? 0.0f : sum_up_to(i - 1) + a(i);
}

/// f(0), f(1), ... f(count - 1)
Numbers table_of(int count, const std::function<float(int)>& f) {
  Numbers table(count);
  for (int i = 0; i < count; ++i)
    table[i] = f(i);
  return table;
}

/// f(0), ... f(count - 1), then zeros, but from element 64 on whole numbers; 128 elements in all.
Numbers with_counts(int count, const std::vector<unsigned>& counts,
                    const std::function<float(int)>& f) {
  Numbers all = table_of(128, [&](int i) { return i < count ? f(i) : 0.0f; });
  for (std::size_t i = 0; i < counts.size(); ++i)
    all[64 + i] = std::bit_cast<float>(counts[i]);
  return all;
}

float sum_of_a(int begin, int end) {
  float sum = 0.0f;
  for (int i = begin; i < end; ++i)
    sum += a(i);
  return sum;
}

Numbers product() {
  const Numbers B = values_of_b();
  return table_of(kM * kN, [&](int i) {
    float sum = 0.0f;
    for (int k = 0; k < kK; ++k)
      sum += a(i / kN * kK + k) * B[k * kN + i % kN];
    return sum;
  });
}

/// 128 elements to a block, 32 counts each.
float count_in_bin(int i) {
  const int begin = i / 32 * 128;
  float count = 0.0f;
  for (int j = begin; j < std::min(begin + 128, kCountA); ++j)
    count += a(j) == static_cast<float>(i % 32 - 8) ? 1.0f : 0.0f;
  return count;
}

float squared_deviations(int block) {
  const int begin = 64 * block;
  const float mean = sum_of_a(begin, begin + 64) / 64;
  float sum = 0.0f;
  for (int i = begin; i < begin + 64; ++i)
    sum += (a(i) - mean) * (a(i) - mean);
  return sum;
}

/// The 128 elements of a block, sorted.
Numbers sorted_line(int block) {
  Numbers line = table_of(128, [=](int i) { return a(128 * block + i); });
  std::ranges::sort(line);
  return line;
}

/// Of all elements of a block of 128 to the largest of them; outside of A they are 0.
float distance_to_largest(int block) {
  const Numbers line = sorted_line(block);
  float sum = 0.0f;
  for (const float x : line)
    sum += line.back() - x;
  return sum;
}

/// Of a block of 128.
float squared_deviations_of_block(int block) {
  const int begin = 128 * block;
  const float mean = sum_of_a(begin, begin + 128) / 128;
  float sum = 0.0f;
  for (int i = begin; i < begin + 128; ++i)
    sum += (a(i) - mean) * (a(i) - mean);
  return sum;
}

/// What a sound kernel writes, from the first element of C on.
Numbers result_of(const std::string& name) {
  const auto own_line = [](int i) { return i / 128 * 128; };
  const std::map<std::string, std::function<Numbers()>> results = {
      {"guarded_gemm", product},
      {"double_buffered_gemm", product},
      {"two_dynamic_tiles", product},
      {"transpose_through_tile",
       [] { return table_of(kCountA, [](int i) { return a(i % kM * kK + i / kM); }); }},
      {"transpose_of_halves",
       [] { return table_of(32 * 16, [](int i) { return a(i % 16 * kK + i / 16); }); }},
      {"float4_in_rows_padded_by_four", values_of_a},
      {"reverse_of_vectors",
       [] { return table_of(512, [](int i) { return a(4 * (127 - i / 4) + i % 4); }); }},
      {"stencil_with_halo",
       [] { return table_of(kCountA, [](int i) { return a(i - 1) + a(i) + a(i + 1); }); }},
      {"tree_with_barriers",
       [] { return table_of(16, [](int b) { return sum_of_a(128 * b, 128 * b + 128); }); }},
      {"warp_sum_with_syncwarp",
       [] { return table_of(60, [](int w) { return sum_of_a(32 * w, 32 * w + 32); }); }},
      {"warp_sum_by_shuffles",
       [] { return table_of(60, [](int w) { return sum_of_a(32 * w, 32 * w + 32); }); }},
      {"histogram_with_atomics", [] { return table_of(16 * 32, count_in_bin); }},
      {"scan_with_two_buffers",
       [=] { return table_of(kCountA, [=](int i) { return sum_of_a(own_line(i), i + 1); }); }},
      {"mean_read_before_overwritten", [] { return table_of(kCountA / 64, squared_deviations); }},
      {"flag_set_before_the_wait", [] { return table_of(64, [](int i) { return a(63 - i); }); }},
      {"sum_in_a_function",
       [] { return table_of(16, [](int b) { return sum_of_a(128 * b, 128 * b + 128); }); }},
      {"sum_in_a_template",
       [=] {
         return table_of(16 * 128,
                         [=](int i) { return sum_of_a(own_line(i), own_line(i) + 128) - a(i); });
       }},
      {"two_sums_of_one_function", [] { return table_of(16, squared_deviations_of_block); }},
      {"two_functions_with_arrays", [] { return table_of(16, distance_to_largest); }},
      {"array_of_a_member",
       [] {
         return table_of(15 * 128, [](int i) { return a(i) - (i % 128 == 0 ? 0.0f : a(i - 1)); });
       }},
      {"scan_in_a_function",
       [=] { return table_of(kCountA, [=](int i) { return sum_of_a(own_line(i), i + 1); }); }},
      {"array_in_a_lambda",
       [=] { return table_of(15 * 128, [=](int i) { return a(own_line(i) + 127 - i % 128); }); }},
      {"arrays_of_functions_in_a_table",
       [=] {
         return table_of(15 * 128, [=](int i) { return a(own_line(i) + (i % 128 + 1) % 128); });
       }},
      {"array_outside_of_functions",
       [] { return table_of(kCountA, [](int i) { return a(i - 1) + a(i) + a(i + 1); }); }},
      {"vectors_outside_of_functions",
       [] { return table_of(512, [](int i) { return a(4 * (127 - i / 4) + i % 4); }); }},
      {"dynamic_outside_of_functions",
       [=] { return table_of(15 * 128, [=](int i) { return a(own_line(i) + 127 - i % 128); }); }},
      {"dynamic_in_two_parts",
       [=] {
         return table_of(15 * 128, [=](int i) { return a(own_line(i) + (i % 128 * 5 + 3) % 128); });
       }},
      {"structure_in_shared",
       [] { return table_of(15, [](int b) { return sorted_line(b)[127]; }); }},
      {"softmax_like_rows",
       [] {
         return table_of(15 * 128, [](int i) {
           return sorted_line(i / 128)[127] - a(i) + distance_to_largest(i / 128);
         });
       }},
      {"transpose_in_a_function",
       [] { return table_of(32 * 48, [](int i) { return a(i % 48 * kK + i / 48); }); }},
      {"histogram_by_warps",
       [] {
         return table_of(17, [](int v) {
           float count = 0.0f;
           for (int i = 0; i < kCountA; ++i)
             count += a(i) == static_cast<float>(v - 8) ? 1.0f : 0.0f;
           return count;
         });
       }},
      {"bitonic_sort",
       [] { return table_of(15 * 128, [](int i) { return sorted_line(i / 128)[i % 128]; }); }},
      {"three_stages", product},
      {"compaction_with_counter",
       [] {
         return table_of(15, [](int b) {
           float sum = 0.0f;
           for (int i = 128 * b; i < 128 * b + 128; ++i)
             sum += std::max(a(i), 0.0f);
           return sum;
         });
       }},
      {"sum_with_early_exit",
       [] { return table_of(15, [](int b) { return sum_of_a(128 * b, 128 * b + 128); }); }},
      {"flag_behind_a_fence", [] { return table_of(96, [](int i) { return a((i + 33) % 32); }); }},
      {"volatile_flag_behind_a_fence",
       [] { return table_of(32, [](int i) { return a(31 - i); }); }},
      {"flag_within_a_warp", [] { return table_of(31, [](int) { return a(1) + 1.0f; }); }},
      {"sum_behind_a_lock", [] { return table_of(1, [](int) { return sum_of_a(0, 128); }); }},
      {"ball_between_two_lanes", [] { return table_of(5, a); }},
      {"ring_of_two_warps",
       [] { return table_of(8 * 32, [](int i) { return a(i / 32 * 32 + 31 - i % 32); }); }},
      {"sum_by_the_last_block",
       [] {
         return table_of(17, [](int i) {
           return i == 0   ? sum_of_a(0, 15 * 128)
                  : i == 1 ? 0.0f
                           : sum_of_a(128 * (i - 2), 128 * (i - 1));
         });
       }},
      {"scan_with_look_back",
       [] {
         return table_of(15 * 128 + 45, [](int i) {
           const int b = i - 15 * 128;
           return b < 0    ? sum_of_a(0, i + 1)
                  : b < 15 ? sum_of_a(128 * b, 128 * b + 128)
                  : b < 30 ? sum_of_a(0, 128 * (b - 14))
                           : std::bit_cast<float>(2u);
         });
       }},
      {"sums_of_half_warps",
       [] { return table_of(120, [](int h) { return sum_of_a(16 * h, 16 * h + 16); }); }},
      {"sum_of_the_low_half", [] { return table_of(1, [](int) { return sum_of_a(0, 32); }); }},
      {"groups_of_eight_lanes",
       [] {
         return table_of(15 * 128, [](int i) { return a(i / 8 * 8 + (i + i % 32 / 8 + 1) % 8); });
       }},
      {"halves_then_the_warp",
       [] { return table_of(15 * 128, [](int i) { return a(i ^ 1) + a(i ^ 16); }); }},
      {"syncwarp_in_both_branches",
       [] { return table_of(32, [](int i) { return i < 16 ? -a(i + 16) : a(i - 16); }); }},
      {"chain_of_lanes", [] { return table_of(1, [](int) { return sum_of_a(0, 32); }); }},
      {"last_warp_is_not_full", [] { return table_of(48, [](int i) { return a(i ^ 1) + 1.0f; }); }},
      {"same_flag_from_many",
       [] { return table_of(15, [](int b) { return sorted_line(b)[0] < -7.0f ? 1.0f : 0.0f; }); }},
      {"largest_by_compare_and_swap",
       [] { return table_of(15, [](int b) { return sorted_line(b)[127]; }); }},
      {"doubles_by_compare_and_swap",
       [] { return table_of(128, [](int) { return 8 * sum_of_a(0, kCountA); }); }},
      {"largest_of_all_blocks",
       [] {
         const Numbers line = table_of(15 * 128, a);
         return Numbers{std::ranges::max(line)};
       }},
      {"split_with_atomics", product},
      // The upper half of C takes the sums of both slices of K, the lower half keeps the second.
      {"split_into_slices",
       [] {
         const Numbers B = values_of_b();
         const auto part = [&](int row, int col, int begin) {
           float sum = 0.0f;
           for (int k = begin; k < begin + kK / 2; ++k)
             sum += a(row * kK + k) * B[k * kN + col];
           return sum;
         };
         return table_of(kM * kN, [&](int i) {
           const int row = i / kN % (kM / 2);
           const float second = part(row, i % kN, kK / 2);
           return i < kM / 2 * kN ? part(row, i % kN, 0) + second : second;
         });
       }},
      {"shift_of_a_copy", [] { return table_of(kCountA, [](int i) { return a(i + 1); }); }},
      {"exchange_behind_barrier",
       [] { return table_of(256, [](int i) { return i < 128 ? a(i) : a(255 - i); }); }},
      {"swap_behind_syncwarp",
       [] { return table_of(256, [](int i) { return i < 128 ? a(i) : a((i - 128) ^ 1); }); }},
      {"one_flag_for_all", [] { return Numbers{1.0f}; }},
      {"last_block_behind_fences",
       [] { return with_counts(9, {8}, [](int i) { return i < 8 ? a(i) : sum_up_to(7); }); }},
      {"last_block_of_fenced_threads",
       [] {
         return with_counts(36, {8}, [](int i) { return i < 32 ? a(i % 4) : 8.0f * a(i - 32); });
       }},
      {"lock_opened_atomically",
       [] { return with_counts(1, {}, [](int) { return sum_up_to(7); }); }},
      {"fence_for_all_blocks", [] { return with_counts(8, {1}, [](int) { return a(0); }); }},
      {"count_of_all_blocks", [] { return with_counts(16, {}, [](int) { return 128.0f; }); }},
      {"barrier_beside_an_atomic",
       [] {
         Numbers all = with_counts(0, {128}, a);
         for (int i = 0; i < 256; ++i)
           all.push_back(i < 128 ? a(i) : a(255 - i));
         return all;
       }},
      {"look_back",
       [] {
         return with_counts(16, std::vector<unsigned>(8, 2),
                            [](int i) { return i < 8 ? a(i) : sum_up_to(i - 8); });
       }},
      {"adds_to_what_it_wrote",
       [] { return table_of(kCountA, [](int i) { return 1.5f * a(i); }); }},
      {"same_value_from_all",
       [] { return table_of(128, [](int i) { return a(i) * (a(1) + 3.0f); }); }},
      {"cleared_by_every_warp",
       [] { return table_of(64, [](int i) { return a(i) + a(i + 64); }); }},
      {"sorted_until_nothing_moves",
       [] { return table_of(15 * 128, [](int i) { return sorted_line(i / 128)[i % 128]; }); }},
      {"marks_of_values",
       [] {
         return table_of(15 * 17, [](int i) {
           const Numbers line = sorted_line(i / 17);
           return std::ranges::count(line, static_cast<float>(i % 17 - 8)) > 0 ? 1.0f : 0.0f;
         });
       }},
      {"four_floats_behind_one", [] { return table_of(128, [](int) { return sum_of_a(0, 3); }); }},
      {"sum_of_half_a_warp",
       [] { return table_of(4, [](int w) { return sum_of_a(32 * w, 32 * w + 16); }); }},
      {"sum_of_lanes_that_exist",
       [] { return table_of(2, [](int w) { return sum_of_a(32 * w, w == 0 ? 32 : 48); }); }},
      {"ballot_and_barrier",
       [] { return table_of(128, [](int i) { return a(i) > 0 ? a(i ^ 1) : 0.0f; }); }},
      {"set_in_both_branches",
       [] { return table_of(128, [](int i) { return i < 100 ? a(i) : 0.0f; }); }},
      {"two_warps_wait", [] { return table_of(64, [](int i) { return a(63 - i); }); }},
      {"four_rows_in_a_tile_of_four",
       [] {
         return table_of(32, [](int i) {
           float sum = 0.0f;
           for (int m = 0; m < 4; ++m)
             sum += a((i + m) * kK + (i + m) % 4);
           return sum;
         });
       }},
      {"line_without_its_padding",
       [] { return table_of(32, [](int i) { return a(i + 7 * i % 100); }); }},
      {"tail_of_a_vector_cleared",
       [] { return table_of(128, [](int i) { return i % 4 < 2 ? a(i) : 0.0f; }); }},
      {"cleared_to_its_end",
       [] { return table_of(32, [](int i) { return static_cast<float>(7 * i % 100); }); }},
  };
  return results.at(name)();
}

class SoundKernel : public testing::TestWithParam<Sound>, GalleryFixture {};

TEST_P(SoundKernel, IsRightAndNothingIsReported) {
  const Sound& sound = GetParam();
  Gallery gallery;
  const KernelTrace trace = gallery.trace(sound.run);
  EXPECT_TRUE(trace.hazards.empty()) << messages_of(trace);
  EXPECT_FALSE(trace.lines.empty());

  const Numbers expected = result_of(sound.name);
  const Numbers got = gallery.result();
  constexpr float kRoundoff = 1e-5f;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (i >= expected.size()) {
      ASSERT_TRUE(std::isnan(got[i])) << "C[" << i << "] was written";
    } else {
      ASSERT_NEAR(got[i], expected[i], kRoundoff * std::abs(expected[i])) << "C[" << i << "]";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Gallery, SoundKernel, testing::ValuesIn(sound_kernels()),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace ladder::gallery
