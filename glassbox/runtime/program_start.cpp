// SPDX-License-Identifier: MIT
#include "glassbox/runtime/program_start.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "glassbox/runtime/orders.hpp"

namespace ladder::glassbox {
namespace {

/// Runs `glassbox check PROGRAM -- WORDS` in this process's place.
void give_way_to_glassbox(const char* glassbox, const std::string& choice, char** words) {
  std::istringstream chosen(choice);
  std::vector<std::string> all = {"glassbox"};
  all.insert(all.end(), std::istream_iterator<std::string>(chosen), {});
  all.push_back(std::filesystem::read_symlink("/proc/self/exe"));
  all.emplace_back("--");
  for (char** word = words + 1; *word != nullptr; ++word)
    all.emplace_back(*word);
  std::vector<char*> pointers;
  pointers.reserve(all.size() + 1);
  for (std::string& word : all)
    pointers.push_back(word.data());
  pointers.push_back(nullptr);
  unsetenv(kChoiceVariable);  // programs that this one starts say for themselves
  execv(glassbox, pointers.data());
  std::perror(glassbox);
  _exit(127);
}

}  // namespace
}  // namespace ladder::glassbox

[[gnu::visibility("default")]] void glassbox_start(const GlassboxFacts* facts, int is_executable,
                                                   char** words) {
  using namespace ladder::glassbox;
  const char* const choice = std::getenv(kChoiceVariable);
  if (is_executable != 0 && choice != nullptr && *choice != '\0' && orders().folder.empty()) {
    give_way_to_glassbox(facts->glassbox, choice, words);
  }
  add_facts(*facts);
  setenv("LADDER_MULTIPROCESSORS", std::to_string(card().sms).c_str(), 0);
}
