// SPDX-License-Identifier: MIT
/// \file  tests/house_test.cpp
/// \brief The order of the house: where files lie, who includes whom, what a lesson's code is like.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "ladder/ladder.hpp"

namespace ladder {
namespace {

namespace fs = std::filesystem;

// The programs of the book that start kernels by themselves, as lesson 01 explains it.
constexpr const char* kOwnPrograms = "docs/start/";
// And those that a test compares with a GPU.
constexpr const char* kNcuPrograms = "tests/glassbox/ncu_programs/";
// And those that nvcc and the glass box compile as they are.
constexpr const char* kBenchPrograms = "bench/programs/";
constexpr const char* kPtxPrograms = "tests/glassbox/ptx_programs/";
const fs::path kRoot = LADDER_SOURCE_DIR;

using Lines = std::vector<std::string>;

Lines lines_of(std::istream& text) {
  Lines lines;
  for (std::string line; std::getline(text, line);)
    lines.push_back(line);
  return lines;
}

Lines lines_of(const fs::path& path) {
  std::ifstream file(kRoot / path);
  return lines_of(file);
}

bool starts_with_any(const std::string& text, const std::vector<std::string>& starts) {
  return std::ranges::any_of(starts, [&](const std::string& s) { return text.starts_with(s); });
}

/// All files that git knows or would add, relative to the repository; empty without git.
Lines files_of_the_house() {
  const std::string command =
      "git -C '" + kRoot.string() + "' ls-files --cached --others --exclude-standard 2>/dev/null";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string text;
  std::array<char, 4096> part;
  for (std::size_t n; pipe && (n = std::fread(part.data(), 1, part.size(), pipe.get())) > 0;) {
    text.append(part.data(), n);
  }
  std::istringstream stream(text);
  Lines files;
  for (const std::string& file : lines_of(stream)) {
    // Programs as users write them.
    if (file.starts_with("tests/glassbox/cases/")) continue;
    if (file.starts_with("tests/glassbox/nvcc_programs/")) continue;
    if (fs::exists(kRoot / file)) files.push_back(file);
  }
  return files;
}

/// Headers that bear the names of CUDA's and of libcu++'s, some of which have no ending.
bool is_cuda_header(const std::string& file) {
  return file.starts_with("emulator/cuda_headers/") || file.starts_with("glassbox/cuda_headers/");
}

bool is_code(const std::string& file) {
  static const std::set<std::string> kEndings = {".cpp", ".hpp", ".cu", ".cuh", ".h"};
  return kEndings.contains(fs::path(file).extension()) || is_cuda_header(file);
}

bool is_header(const std::string& file) {
  return is_code(file) && !file.ends_with(".cpp") && !file.ends_with(".cu");
}

/// The code of a file line by line: comments are gone, string literals are empty.
Lines code_of(const fs::path& path) {
  std::ifstream file(kRoot / path);
  std::stringstream text;
  text << file.rdbuf();
  const std::string in = text.str();
  std::string out;
  for (std::size_t i = 0; i < in.size();) {
    if (in.compare(i, 2, "//") == 0) {
      i = std::min(in.find('\n', i), in.size());
    } else if (in.compare(i, 2, "/*") == 0) {
      const std::size_t end = std::min(in.find("*/", i + 2), in.size() - 2) + 2;
      out.append(std::count(in.begin() + i, in.begin() + end, '\n'), '\n');
      i = end;
    } else if (in.compare(i, 3, "R\"(") == 0) {
      i = std::min(in.find(")\"", i), in.size() - 2) + 2;
    } else if (in[i] == '"') {
      for (++i; i < in.size() && in[i] != '"'; ++i)
        i += in[i] == '\\' ? 1 : 0;
      ++i;
      out += "\"\"";
    } else if (in.compare(i, 3, "'\"'") == 0 || in.compare(i, 4, "'\\''") == 0) {
      i += in[i + 1] == '\\' ? 4 : 3;
    } else {
      out += in[i++];
    }
  }
  std::istringstream stream(out);
  return lines_of(stream);
}

/// Visits "path:line" and text of each line of code that matches.
template <class Visit>
void for_each_match(const std::string& file, const std::regex& pattern, Visit visit) {
  const Lines code = code_of(file);
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (std::regex_search(code[i], pattern)) visit(file + ":" + std::to_string(i + 1), code[i]);
  }
}

class HouseTest : public testing::Test {
 protected:
  void SetUp() override {
    if (files_.empty()) GTEST_SKIP() << "the sources are no git repository, or git is missing";
    ASSERT_GT(files_.size(), 50u);
  }
  const Lines files_ = files_of_the_house();
};

TEST_F(HouseTest, TheTopLevelHoldsOnlyWhatBelongsThere) {
  const std::set<std::string> allowed = {"README.md",         "CHANGELOG.md",   "CITATION.cff",
                                         "CONTRIBUTING.md",   "LICENSE",        "CMakeLists.txt",
                                         "CMakePresets.json", "pyproject.toml", "Makefile",
                                         "mkdocs.yml",        "ladder",         "common",
                                         "emulator",          "glassbox",       "bench",
                                         "classroom",         "tests",          "docs",
                                         "notebooks"};
  for (const std::string& file : files_) {
    const std::string top = file.substr(0, file.find('/'));
    EXPECT_TRUE(top.starts_with('.') || allowed.contains(top)) << file;
  }
}

TEST_F(HouseTest, TheLadderHoldsRungsTheirTableAndTheProgram) {
  const std::set<std::string> beside_the_rungs = {
      "CMakeLists.txt", "add_rung.cmake", "ladder.hpp", "ladder.cpp", "program", "questions.json"};
  for (const std::string& file : files_) {
    if (!file.starts_with("ladder/")) continue;
    const std::string name = *std::next(fs::path(file).begin());
    if (beside_the_rungs.contains(name)) continue;
    EXPECT_TRUE(std::regex_match(name, std::regex(R"(\d\d_\w+)"))) << file;
    EXPECT_TRUE(fs::is_directory(kRoot / "ladder" / name)) << file;
  }
}

TEST_F(HouseTest, IncludesRunOneWay) {
  const std::string words = "emulator/words/";
  const std::string run = "emulator/run/";
  const std::string trace = "emulator/trace/";
  // The first that fits a file.
  const std::vector<std::pair<std::string, std::vector<std::string>>> rules = {
      {words, {words}},
      {run, {words, run}},
      {trace, {words, run, trace}},
      {"emulator/cuda_headers/", {words}},
      {"emulator/", {"emulator/"}},
      {"common/", {"emulator/", "common/"}},
      {"ladder/ladder.", {"common/", "ladder/ladder.hpp"}},
      {"ladder/", {"emulator/", "common/", "ladder/"}},
      {"glassbox/cuda_headers/", {words, "glassbox/runtime/"}},
      {"glassbox/clang_words.hpp",
       {"cuda_runtime.h", words, "emulator/cuda_headers/", "glassbox/runtime/",
        "glassbox/clang_location.hpp"}},  // what clang reads before a program
      {"glassbox/", {"emulator/", "common/", "glassbox/"}},
      {"bench/", {"emulator/", "common/", "ladder/", "bench/"}},
      {"classroom/", {"emulator/", "common/", "ladder/", "classroom/"}},
      {"tests/",
       {"emulator/", "common/", "ladder/", "glassbox/", "bench/", "classroom/", "tests/"}},
      {kOwnPrograms, {}},
  };
  const std::regex include(R"re(^\s*#\s*include\s+"([^"]*)")re");
  int includes = 0;
  for (const std::string& file : files_) {
    if (!is_code(file)) continue;
    const auto rule =
        std::ranges::find_if(rules, [&](const auto& r) { return file.starts_with(r.first); });
    ASSERT_NE(rule, rules.end()) << file << ": code in a room that has none";
    for (const std::string& line : lines_of(file)) {
      std::smatch found;
      if (!std::regex_search(line, found, include)) continue;
      ++includes;
      // As CUDA's headers do, those of ours include each other by CUDA's names.
      const bool beside = is_cuda_header(file) && fs::exists(kRoot / rule->first / found[1].str());
      EXPECT_TRUE(beside || starts_with_any(found[1], rule->second))
          << file << " includes " << found[1];
    }
  }
  EXPECT_GT(includes, 100);
}

TEST_F(HouseTest, NoRungIncludesAnother) {
  const std::regex include(R"re(#\s*include\s+"(ladder/[^"]*)")re");
  const std::regex rung_folder(R"(^ladder/\d\d_\w+/)");
  for (const std::string& file : files_) {
    std::smatch own;
    if (!is_code(file) || !std::regex_search(file, own, rung_folder)) continue;
    for (const std::string& line : lines_of(file)) {
      std::smatch found;
      if (!std::regex_search(line, found, include)) continue;
      EXPECT_EQ(found[1].str().find(own[0].str()), 0u) << file << " includes " << found[1];
    }
  }
}

TEST_F(HouseTest, KernelsAreStartedInOnePlace) {
  for (const std::string& file : files_) {
    if (!is_code(file)) continue;
    if (starts_with_any(file, {kOwnPrograms, kNcuPrograms, kBenchPrograms, kPtxPrograms})) continue;
    for_each_match(file, std::regex("<<<"), [](const std::string& where, const std::string& line) {
      ADD_FAILURE() << where << ": " << line;
    });
    if (starts_with_any(file, {"common/", "emulator/", "glassbox/"})) continue;
    for_each_match(file, std::regex("cudaLaunchKernel"),
                   [](const std::string& where, const std::string& line) {
                     ADD_FAILURE() << where << ": " << line;
                   });
  }
}

TEST_F(HouseTest, MacrosDefineCudasWordsOrAListOfThem) {
  const std::vector<std::string> homes = {
      "emulator/words/", "emulator/cuda_headers/", "emulator/trace/hooks.cpp",
      "glassbox/runtime/access_hooks.cpp",  // words of g++'s sanitizer
      "common/ptx/wgmma.cuh",               // 128 operands of an instruction
      "glassbox/cuda_headers/", "glassbox/clang_words.hpp", "glassbox/runtime/missing_words.hpp",
      "glassbox/clang_location.hpp",  // what clang is to believe of itself
      "glassbox/runtime/c_calls.",    // CUDA's calls for C
      kPtxPrograms,
      // lists of what is told
      "common/findings/call_reasons.hpp", "emulator/run/fault_kinds.hpp",
      "glassbox/runtime/error_"};
  int at_home = 0;
  for (const std::string& file : files_) {
    if (!is_code(file)) continue;
    for_each_match(file, std::regex(R"(^\s*#\s*define\b)"),
                   [&](const std::string& where, const std::string& line) {
                     const bool is_home = starts_with_any(file, homes);
                     at_home += is_home ? 1 : 0;
                     EXPECT_TRUE(is_home) << where << ": " << line;
                   });
  }
  EXPECT_GT(at_home, 5);
}

TEST_F(HouseTest, EveryFileNamesItsLicenceAndHeadersSayWhatTheyAre) {
  for (const std::string& file : files_) {
    if (!is_code(file)) continue;
    const Lines lines = lines_of(file);
    ASSERT_GE(lines.size(), 3u) << file;
    EXPECT_EQ(lines[0], "// SPDX-License-Identifier: MIT") << file;
    if (!is_header(file)) continue;
    EXPECT_EQ(lines[1], "/// \\file  " + file);
    EXPECT_TRUE(lines[2].starts_with("/// \\brief ")) << file << ": " << lines[2];
  }
}

std::size_t columns_of(const std::string& line) {
  return std::ranges::count_if(line, [](char c) { return (c & 0xC0) != 0x80; });  // UTF-8
}

TEST_F(HouseTest, LinesFitIntoAHundredColumns) {
  for (const std::string& file : files_) {
    if (!is_code(file)) continue;
    const Lines lines = lines_of(file);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const bool is_text = lines[i].find("R\"") != std::string::npos;  // nothing may break it
      EXPECT_TRUE(is_text || columns_of(lines[i]) <= 100)
          << file << ":" << i + 1 << ": " << columns_of(lines[i]);
    }
  }
}

/// A line that is a comment and nothing else.
struct CommentLine {
  std::string begin;  ///< "  ///"
  std::size_t indent;
  std::string text;
};

/// Empty: the line is none, or says nothing.
CommentLine comment_of(const std::string& line) {
  static const std::regex kComment(R"(^(\s*///?)(?![/<])( *)(\S.*)$)");
  std::smatch found;
  if (!std::regex_match(line, found, kComment)) return {};
  return {found[1], found[2].str().size(), found[3]};
}

/// What a formatter that breaks and joins comments leaves behind; empty: the second line is whole.
std::string fault_of_comment(const std::string& above, const std::string& line,
                             const std::string& below) {
  const CommentLine before = comment_of(above);
  const CommentLine comment = comment_of(line);
  const CommentLine after = comment_of(below);
  static const std::regex kWord(R"(\S\s+\\(brief|param|tparam|return|throws|source)\b)");
  static const std::regex kSentenceEnd(R"([.:;?!)]$)");
  static const std::regex kNewItem(R"(^([\\@]|--|[-*] |\d[.)]))");
  if (comment.begin.ends_with("///") && std::regex_search(comment.text, kWord))
    return "a word of Doxygen's begins a line of its own";
  if (comment.text.empty() || before.begin != comment.begin) return "";
  if (before.text.starts_with("\\") && !comment.text.starts_with("\\") && comment.indent == 1)
    return "what continues a word of Doxygen's is indented as its text is";
  std::istringstream text(comment.text);
  const Lines words(std::istream_iterator<std::string>(text), {});
  const bool goes_on = after.begin == comment.begin && !std::regex_search(after.text, kNewItem);
  const bool is_item = std::regex_search(comment.text, kNewItem);
  const bool is_end =
      after.indent <= comment.indent && std::regex_search(comment.text, kSentenceEnd);
  if (goes_on && !is_item && !is_end && words.size() <= 3 &&
      columns_of(above) + 1 + columns_of(words[0]) > 100) {
    return "a few words have a line for themselves, and the sentence goes on in the next";
  }
  return "";
}

TEST_F(HouseTest, CommentsAreWhole) {
  for (const std::string& file : files_) {
    if (!is_code(file) || file == "tests/house_test.cpp") continue;
    const Lines lines = lines_of(file);
    for (std::size_t i = 1; i + 1 < lines.size(); ++i) {
      EXPECT_EQ(fault_of_comment(lines[i - 1], lines[i], lines[i + 1]), "")
          << file << ":" << i + 1 << ": " << lines[i];
    }
  }
}

TEST(CommentsTest, FaultsAreFound) {
  const std::string full(95, 'x');
  const std::string none;
  EXPECT_NE(fault_of_comment("/// " + full, "/// orphan", "/// that goes on"), none);
  EXPECT_NE(fault_of_comment("  // " + full, "  // orphan", "  // that goes on"), none);
  EXPECT_NE(fault_of_comment("/// " + full, "/// ends.", "///        but not for its indent"),
            none);
  EXPECT_NE(fault_of_comment("/// \\brief Where", "/// its text goes on", "int x;"), none);
  EXPECT_NE(fault_of_comment("", "/// gone. \\throws What", "void gone();"), none);
  EXPECT_EQ(fault_of_comment("/// " + full, "/// ends.", "/// Another sentence."), none);
  EXPECT_EQ(fault_of_comment("/// short", "/// orphan", "/// that its author wanted"), none);
  EXPECT_EQ(fault_of_comment("/// \\brief " + full, "///        ends.", "/// \\throws What"), none);
  EXPECT_EQ(fault_of_comment("// " + full, "// - item", "// - item"), none);
  EXPECT_EQ(fault_of_comment("// " + full, "int x;", "// else"), none);
}

TEST_F(HouseTest, NothingIsLeftToDo) {
  // In two pieces, or this file would name itself.
  const std::regex left(std::string("\\b(TO") + "DO|FIX" + "ME|XX" + "X)\\b");
  for (const std::string& file : files_) {
    if (!is_code(file) && !file.ends_with(".cmake") && !file.ends_with("CMakeLists.txt") &&
        !file.ends_with(".md")) {
      continue;
    }
    for (const std::string& line : lines_of(file)) {
      EXPECT_FALSE(std::regex_search(line, left)) << file << ": " << line;
    }
  }
}

/// "ladder/05_vector_access/kernel.cuh"
std::string kernel_file(const Rung& rung) {
  return "ladder/" + folder(rung) + "/kernel.cuh";
}

std::vector<Rung> rungs_with_kernels() {
  std::vector<Rung> found;
  for (const Rung& rung : emulated_rungs()) {
    if (fs::exists(kRoot / kernel_file(rung))) found.push_back(rung);
  }
  return found;
}

/// All device code of a rung: kernel.cuh, and what a rung adds that divides work or chooses.
Lines device_files(const Rung& rung) {
  const std::string inside = "ladder/" + folder(rung) + "/";
  Lines files;
  for (const auto& entry : fs::directory_iterator(kRoot / inside)) {
    if (entry.path().extension() == ".cuh")
      files.push_back(inside + entry.path().filename().string());
  }
  std::ranges::sort(files);
  return files;
}

/// Those of a rung's files that hold a kernel.
Lines kernels_of(const Rung& rung) {
  Lines files = device_files(rung);
  std::erase_if(files, [](const std::string& file) {
    return std::ranges::none_of(
        code_of(file), [](const std::string& line) { return line.starts_with("__global__"); });
  });
  return files;
}

/// The lines of a file that holds a kernel, after those of its producer if that has a header.
Lines lines_with_producer(const std::string& file) {
  Lines lines;
  const fs::path producer = fs::path(file).replace_filename("producer.cuh");
  if (fs::path(file).filename() == "kernel.cuh" && fs::exists(kRoot / producer)) {
    lines = lines_of(producer);
  }
  const Lines own = lines_of(file);
  lines.insert(lines.end(), own.begin(), own.end());
  return lines;
}

TEST(LessonTest, KernelsHoldPlainCudaAndNoHostCode) {
  const std::regex forbidden(
      R"(\b(asm|__asm__|printf|cout|throw|std::|malloc|new|cuda[A-Z]\w*|cublas\w+)\b|^\s*#\s*(if|ifdef|ifndef|define|else)\b)");
  ASSERT_GE(rungs_with_kernels().size(), 13u);
  for (const Rung& rung : rungs_with_kernels()) {
    for (const std::string& file : device_files(rung)) {
      for_each_match(file, forbidden, [](const std::string& where, const std::string& line) {
        ADD_FAILURE() << where << ": " << line;
      });
      const Lines allowed = {"#include \"common/", "#include \"ladder/" + folder(rung) + "/"};
      for (const std::string& line : lines_of(file)) {
        if (!line.starts_with("#include")) continue;
        EXPECT_TRUE(starts_with_any(line, allowed)) << file << ": " << line;
      }
    }
  }
}

TEST(LessonTest, SectionsHaveTheSameTitlesInTheSameOrder) {
  const Lines order = {"Where this thread works",
                       "Shared tiles and registers",
                       "Prologue",
                       "Consumer",
                       "Main loop over K",
                       "Epilogue"};
  const std::regex title(R"(^\s*// -- ([^:-]+?)(: .*?)? -*$)");
  for (const Rung& rung : rungs_with_kernels()) {
    for (const std::string& file : kernels_of(rung)) {
      if (file.ends_with("/split.cuh")) continue;  // kernels that prepare what another multiplies
      SCOPED_TRACE(file);
      Lines titles;
      std::size_t last = 0;
      bool producer = false;
      bool kernel = false;
      for (const std::string& line : lines_with_producer(file)) {
        if (line.starts_with("__global__")) kernel = true;
        if (line.find("// --") == std::string::npos) continue;
        std::smatch found;
        ASSERT_TRUE(std::regex_match(line, found, title)) << line;
        EXPECT_EQ(line.size(), 95u) << "titles end at the same column: " << line;
        if (found[1] == "Producer") {  // a function in front of the kernel
          EXPECT_FALSE(kernel || producer) << line;
          producer = true;
          continue;
        }
        EXPECT_TRUE(kernel) << "outside of the kernel: " << line;
        titles.push_back(found[1]);
        const std::size_t place = std::ranges::find(order, titles.back()) - order.begin();
        ASSERT_LT(place, order.size()) << "unknown section: " << line;
        EXPECT_TRUE(titles.size() == 1 || place > last) << "out of order: " << line;
        last = place;
      }
      for (const char* needed : {"Where this thread works", "Main loop over K", "Epilogue"}) {
        EXPECT_EQ(std::ranges::count(titles, needed), 1) << needed;
      }
      EXPECT_EQ(std::ranges::count(titles, "Consumer"), producer ? 1 : 0);
    }
  }
}

/// Lines that a file of device code may have. Some ideas need more.
std::size_t most_lines(const Rung& rung) {
  if (rung.number < 8) return 130;
  if (rung.number < 12) return 145;  // places of warps and lanes; copies that run ahead
  if (rung.number < 13) return 155;  // blocks split tiles along K
  if (rung.number < 19) return 205;  // and warps do
  if (rung.number < 20) return 225;  // blocks stay, share boxes and store boxes
  if (rung.number < 21) return 235;  // and keep in step
  if (rung.number < 23) return 250;  // results leave under the next tile
  return 270;                        // and products are of parts
}

TEST(LessonTest, AKernelIsReadInOneSitting) {
  for (const Rung& rung : rungs_with_kernels()) {
    for (const std::string& file : device_files(rung)) {
      EXPECT_LE(lines_of(file).size(), most_lines(rung)) << file;
    }
  }
}

TEST(LessonTest, TheHeaderSaysWhatLimitsTheRungBelowAndWhatMoves) {
  for (const Rung& rung : rungs_with_kernels()) {
    std::string header;
    for (const std::string& line : lines_of(kernel_file(rung))) {
      if (line == "#pragma once") break;
      header += line + "\n";
    }
    EXPECT_NE(header.find("/// Traffic  "), std::string::npos) << kernel_file(rung);
    char below[16];
    std::snprintf(below, sizeof below, "ung %02d", rung.builds_on);
    if (rung.builds_on < 0) continue;
    EXPECT_NE(header.find(below), std::string::npos) << kernel_file(rung) << " on r" << below;
  }
}

/// The lines of a kernel that say something.
Lines telling_lines(const Rung& rung) {
  Lines lines;
  for (std::string line : lines_with_producer(kernel_file(rung))) {
    line.erase(0, line.find_first_not_of(" "));
    if (!line.empty() && line != "}" && !line.starts_with("///")) lines.push_back(line);
  }
  return lines;
}

/// Length of the longest sequence of lines that both texts hold in that order.
std::size_t common_lines(const Lines& a, const Lines& b) {
  std::vector<std::vector<std::size_t>> best(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      best[i][j] =
          a[i - 1] == b[j - 1] ? best[i - 1][j - 1] + 1 : std::max(best[i - 1][j], best[i][j - 1]);
    }
  }
  return best[a.size()][b.size()];
}

TEST(LessonTest, LinesThatTheIdeaDoesNotTouchStayAsTheyWere) {
  // Percent of the lower rung's lines that the rung keeps, at least a third; wgmma fewer: it takes
  // loads, fragments and copies by threads away, and rung 22 turns the factors around. A line may
  // change for the idea only.
  const std::map<std::string_view, std::size_t> least = {
      {"coalesced", 80},      {"shared_tile", 53},        {"register_tile", 39},
      {"vector_access", 49},  {"double_buffer", 75},      {"wave_swizzle", 93},
      {"warp_tile", 83},      {"async_copy", 58},         {"wide_tile", 79},
      {"producer_warps", 39}, {"stream_k", 69},           {"shared_k", 60},
      {"every_shape", 96},    {"tf32_mma", 36},           {"bf16_mma", 58},
      {"wgmma", 19},          {"producer_warpgroup", 72}, {"persistent_cluster", 53},
      {"in_step", 88},        {"l2_sides", 80},           {"hopper_summit", 23}};
  for (const Rung& rung : rungs_with_kernels()) {
    if (rung.builds_on < 0) continue;
    const auto known = least.find(rung.name);
    const std::size_t percent = known == least.end() ? 33 : known->second;
    const Rung& below = find_rung(emulated_rungs(), std::to_string(rung.builds_on));
    const Lines lines = telling_lines(below);
    const std::size_t kept = 100 * common_lines(lines, telling_lines(rung)) / lines.size();
    RecordProperty("kept_percent_" + folder(rung), static_cast<int>(kept));
    EXPECT_GE(kept, percent) << folder(rung) << " keeps " << kept << " % of " << folder(below);
    EXPECT_LT(kept, 100u) << folder(rung) << " changes nothing";
  }
}

TEST(LessonTest, WhatARungExplainsFitsATerminal) {
  int explained = 0;
  for (const Rung& rung : emulated_rungs()) {
    if (rung.explain == nullptr) continue;
    ++explained;
    for (const Shape& shape :
         {Shape{64, 64, 64}, {4096, 4096, 4096}, {1 << 17, 1 << 17, 1 << 16}}) {
      std::istringstream text(rung.explain(shape));
      for (const std::string& line : lines_of(text)) {
        EXPECT_LE(line.size(), 80u) << label(rung) << ": " << line;
      }
    }
  }
  EXPECT_GE(explained, 1);
}

}  // namespace
}  // namespace ladder
