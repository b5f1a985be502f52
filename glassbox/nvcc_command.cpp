// SPDX-License-Identifier: MIT
#include "glassbox/nvcc_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <regex>
#include <string_view>
#include <utility>

#include "glassbox/nvcc_options.hpp"
#include "glassbox/object_file.hpp"

namespace ladder::glassbox {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr int kOldestArchitecture = 75, kNewestArchitecture = 90;

/// Of the file's name; nothing if it is no source.
std::optional<NvccLanguage> language_of(const fs::path& file) {
  const std::string end = file.extension();
  if (end == ".cu") return NvccLanguage::kCuda;
  if (end == ".c") return NvccLanguage::kC;
  if (end == ".cpp" || end == ".cc" || end == ".cxx" || end == ".c++" || end == ".C")
    return NvccLanguage::kCpp;
  return std::nullopt;
}

void append(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

class Reader {
 public:
  NvccCommand read(std::span<const std::string> words) {
    read_words(Words(words.begin(), words.end()));
    const bool ends = command_.phase == NvccPhase::kVersion || command_.phase == NvccPhase::kHelp;
    if (!ends && command_.sources.empty() && command_.link_words.empty())
      throw NvccRefusal("No input files specified; use option --help for more information");
    if (command_.sources.size() > 1 && command_.phase == NvccPhase::kCompile &&
        !command_.output.empty()) {
      throw NvccRefusal(
          "A single input file is required for a non-link phase when an outputfile is specified");
    }
    if (architecture_ > 0) command_.compute_capability = architecture_;
    return std::move(command_);
  }

 private:
  void read_words(const Words& words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string& word = words[i];
      if (word.size() > 1 && word[0] == '-') {
        read_option(words, i);
      } else if (word.starts_with("@")) {
        read_file(word.substr(1));
      } else {
        read_input(word);
      }
    }
  }

  /// \brief "-o file", "-o=file", "--output-file file"; "-Ifolder", "-O3".
  void read_option(const Words& words, std::size_t& i) {
    const std::string& word = words[i];
    std::string name = word.substr(word.find_first_not_of('-'));
    std::optional<std::string> value;
    if (const std::size_t equal = name.find('='); equal != std::string::npos) {
      value = name.substr(equal + 1);
      name.resize(equal);
    }
    const NvccOptionName* option = option_named(name, word.starts_with("--"));
    if (option == nullptr) {
      constexpr std::string_view kAttached = "IDULlO";
      if (word[1] != '-' && kAttached.find(word[1]) != std::string_view::npos) {
        option = option_named(word.substr(1, 1), false);
        value = word.substr(2);
      } else {
        return read_unknown(word);
      }
    }
    if (option->takes_value && !value) {
      if (i + 1 >= words.size())
        throw NvccRefusal(fmt::format("Option '{}' requires an argument", word));
      value = words[++i];
    }
    if (!option->takes_value && value && *value == "false") return;
    apply(option->option, value.value_or(""), word);
  }

  static const NvccOptionName* option_named(std::string_view name, bool is_long) {
    const auto has_name = [&](const NvccOptionName& option) {
      return option.long_name == name || (!option.short_name.empty() && option.short_name == name);
    };
    const auto found = std::ranges::find_if(kNvccOptions, has_name);
    if (found == kNvccOptions.end()) return nullptr;
    // "--D" is none.
    return is_long && name.size() == 1 && found->long_name != name ? nullptr : &*found;
  }

  void read_unknown(const std::string& word) {
    if (!hands_unknown_on_) throw NvccRefusal(fmt::format("Unknown option '{}'", word));
    add_host_option(word);
  }

  /// Of the host's compiler. What would change how kernels are compiled stays out.
  void add_host_option(const std::string& word) {
    constexpr std::array<std::string_view, 4> kRefused = {"-static", "-m32", "-flto",
                                                          "-fsanitize="};
    for (const std::string_view start : kRefused) {
      if (!word.starts_with(start) || word.starts_with("-static-lib")) continue;
      if (start == "-flto") return;
      throw NvccRefusal(
          fmt::format("the glass box does not compile with {}: leave it out of this build", word));
    }
    constexpr std::array<std::string_view, 6> kHosts = {"-O", "-std=",     "-g",
                                                        "-W", "-pedantic", "-ffast-math"};
    const bool is_linkers = word.starts_with("-Wl,");
    if (is_linkers) return command_.link_words.push_back(word);
    if (std::ranges::any_of(kHosts, [&](auto start) { return word.starts_with(start); })) return;
    command_.host_options.push_back(word);
  }

  void read_file(const fs::path& file) {
    std::string text;
    try {
      text = bytes_of(file);
    } catch (const std::exception& error) {
      throw NvccRefusal(fmt::format("cannot read the options in {}", error.what()));
    }
    std::ranges::replace(text, '\n', ' ');
    Words words;
    std::string word;
    char quote = 0;
    for (const char c : text + " ") {
      if (quote == 0 && (c == '"' || c == '\'')) {
        quote = c;
      } else if (c == quote) {
        quote = 0;
      } else if (quote == 0 && std::isspace(static_cast<unsigned char>(c)) != 0) {
        if (!word.empty()) words.push_back(std::exchange(word, {}));
      } else {
        word += c;
      }
    }
    read_words(words);
  }

  void read_input(const std::string& word) {
    const fs::path file = word;
    const auto named = language_of(file);
    const std::string end = file.extension();
    if (end == ".ptx" || end == ".cubin" || end == ".fatbin") {
      throw NvccRefusal(fmt::format(
          "the glass box does not run {}, which is code of a GPU: give it the source", word));
    }
    const bool is_library = end == ".o" || end == ".obj" || end == ".a" || end == ".so" ||
                            word.find(".so.") != std::string::npos;
    if (!named && !language_ && !is_library && !fs::exists(file))
      throw NvccRefusal(fmt::format("Don't know what to do with '{}'", word));
    if (is_library || (!named && !language_)) {
      command_.link_words.push_back(word);
      return;
    }
    command_.sources.push_back({file, language_.value_or(named.value_or(NvccLanguage::kCuda))});
    command_.link_words.emplace_back();
  }

  void note_architecture(const std::string& text) {
    static const std::regex form(R"((?:compute|sm|lto)_(\d+))");
    if (text.find("all") != std::string::npos || text == "native")
      architecture_ = kNewestArchitecture;
    for (std::sregex_iterator it(text.begin(), text.end(), form), end; it != end; ++it) {
      const int number = std::stoi((*it)[1]);
      architecture_ = std::max(architecture_, std::max(number, kOldestArchitecture));
    }
  }

  /// As nvcc reads -D: a backslash takes the next character as it is, and commas within double
  /// quotes, which stay, separate nothing.
  static Words definitions(const std::string& value) {
    Words all(1);
    bool is_quoted = false;
    for (std::size_t i = 0; i < value.size(); ++i) {
      const char c = value[i];
      if (c == '\\' && i + 1 < value.size()) {
        all.back() += value[++i];
      } else if (c == ',' && !is_quoted) {
        all.emplace_back();
      } else {
        is_quoted ^= c == '"';
        all.back() += c;
      }
    }
    std::erase(all, "");
    return all;
  }

  static Words list(const std::string& value) {
    Words all;
    std::string word;
    for (const char c : value + ",") {
      if (c != ',') {
        word += c;
      } else if (!word.empty()) {
        all.push_back(std::exchange(word, {}));
      }
    }
    return all;
  }

  void set_phase(NvccPhase phase) { command_.phase = phase; }

  void apply(NvccOption option, const std::string& value, const std::string& word) {
    switch (option) {
      case kIgnored:
        return;
      case kNoMachine:
        throw NvccRefusal(fmt::format(
            "the glass box makes no code of a GPU, so it does not know '{}': compile with -c",
            word));
      case kArchitecture:
        return note_architecture(value);
      case kArchive:
        return set_phase(NvccPhase::kArchive);
      case kArchiveOptions:
      case kNoLink:
        return;
      case kCompile:
        return set_phase(NvccPhase::kCompile);
      case kSeparateCompile:
        command_.is_separate = true;
        return set_phase(NvccPhase::kCompile);
      case kDefaultStream:
        if (value == "per-thread")
          command_.definitions.emplace_back("CUDA_API_PER_THREAD_DEFAULT_STREAM");
        return;
      case kDefine:
        return append(command_.definitions, definitions(value));
      case kDependencies:
        dependency(word);
        return set_phase(NvccPhase::kDependencies);
      case kDependencyOption:
        return dependency(word);
      case kDependencyFile:
        command_.dependency_file = value;
        return;
      case kDependencyTarget:
        command_.dependency_options.emplace_back("-MT");
        command_.dependency_options.push_back(value);
        return;
      case NvccOption::kDeviceLink:
        return set_phase(NvccPhase::kDeviceLink);
      case kDryRun:
        command_.is_shown = true;
        command_.is_done = false;
        return;
      case kFusion:
        command_.fuses = value != "false";
        return;
      case NvccOption::kHelp:
        return set_phase(NvccPhase::kHelp);
      case kHostOptions:
        for (const std::string& each : split_words(value))
          add_host_option(each);
        return;
      case kInclude:
      case kSystemInclude:
        return append(command_.include_folders, list(value));
      case kLanguage:
        if (value != "cu" && value != "c++" && value != "c")
          throw NvccRefusal(fmt::format("Unknown language '{}'", value));
        language_ = value == "cu"    ? NvccLanguage::kCuda
                    : value == "c++" ? NvccLanguage::kCpp
                                     : NvccLanguage::kC;
        return;
      case kLibrary:
        for (const std::string& name : list(value))
          command_.link_words.push_back("-l" + name);
        return;
      case kLibraryFolder:
        for (const std::string& folder : list(value))
          command_.link_words.push_back("-L" + folder);
        return;
      case kLinkerOptions:
        for (const std::string& each : split_words(value)) {
          command_.link_words.emplace_back("-Xlinker");
          command_.link_words.push_back(each);
        }
        return;
      case kMachineBits:
        if (value != "64") throw NvccRefusal("the glass box compiles for 64 bits alone");
        return;
      case kOptionsFile:
        for (const std::string& file : list(value))
          read_file(file);
        return;
      case kOutput:
        command_.output = value;
        return;
      case kOutputFolder:
        command_.output_folder = value;
        return;
      case kPreInclude:
        return append(command_.pre_includes, list(value));
      case NvccOption::kPreprocess:
        return set_phase(NvccPhase::kPreprocess);
      case kRelaxed:
        command_.is_relaxed = true;
        return;
      case kRun:
        command_.runs = true;
        return;
      case kSeparate:
        command_.is_separate = value != "false";
        return;
      case kShared:
        command_.is_library = true;
        return;
      case kUndefine:
        for (const std::string& name : list(value))
          command_.host_options.push_back("-U" + name);
        return;
      case kUnknownToHost:
        hands_unknown_on_ = true;
        return;
      case kVerbose:
        command_.is_shown = true;
        return;
      case NvccOption::kVersion:
        return set_phase(NvccPhase::kVersion);
    }
  }

  /// As g++ names it.
  void dependency(const std::string& word) {
    static constexpr std::array<std::pair<std::string_view, const char*>, 5> kNames = {
        {{"generate-dependencies", "-M"},
         {"generate-dependencies-with-compile", "-MD"},
         {"generate-dependency-targets", "-MP"},
         {"generate-nonsystem-dependencies", "-MM"},
         {"generate-nonsystem-dependencies-with-compile", "-MMD"}}};
    const std::string name = word.substr(word.find_first_not_of('-'));
    const auto found = std::ranges::find(kNames, name, [](const auto& each) { return each.first; });
    command_.dependency_options.push_back(found == kNames.end() ? "-" + name : found->second);
  }

  NvccCommand command_;
  std::optional<NvccLanguage> language_;
  bool hands_unknown_on_ = false;
  int architecture_ = 0;
};

}  // namespace

NvccCommand read_nvcc_command(std::span<const std::string> words) {
  // Wherever they stand.
  Words ordered;
  for (const std::string& word : words) {
    if (word.find("forward-unknown") != std::string::npos) ordered.push_back(word);
  }
  append(ordered, Words(words.begin(), words.end()));
  return Reader().read(ordered);
}

Words split_words(const std::string& text) {
  if (text.starts_with("-Wl,")) return {text};
  Words words;
  std::string word;
  char quote = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ' ';
    if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == quote && quote != 0) {
      quote = 0;
    } else if (c == '\\' && i + 1 < text.size()) {
      word += text[++i];
    } else if (quote == 0 && (c == ',' || std::isspace(static_cast<unsigned char>(c)) != 0)) {
      if (!word.empty()) words.push_back(std::exchange(word, {}));
    } else {
      word += c;
    }
  }
  return words;
}

}  // namespace ladder::glassbox
