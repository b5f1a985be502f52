// SPDX-License-Identifier: MIT
#include "common/terminal/run_command_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <system_error>

#include "common/standard_output.hpp"
#include "common/terminal/text_table.hpp"
#include "common/version.hpp"

namespace ladder {

CLI::Validator decimal() {
  return CLI::Validator(
      [](std::string& text) -> std::string {
        const bool digits = !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
          return std::isdigit(c) != 0;
        });
        if (!digits) {
          return fmt::format("{} is no whole number: write it in decimal digits, as in 64", text);
        }
        text.erase(0, std::min(text.find_first_not_of('0'), text.size() - 1));
        return "";
      },
      "");
}

std::string said(const std::exception& error) {
  const auto* const system = dynamic_cast<const std::system_error*>(&error);
  if (system == nullptr) return error.what();
  if (const auto* const file = dynamic_cast<const std::filesystem::filesystem_error*>(system))
    return fmt::format("cannot use {}: {}", file->path1().string(), system->code().message());
  // fmt's "cannot write to file: ..." of a full disk, which does not say which file
  if (std::ferror(stdout) != 0)
    return fmt::format("cannot write standard output: {}", system->code().message());
  return error.what();
}

int run_command_line(CLI::App& app, int argc, char** argv, const std::function<int()>& command) {
  try {
    require_standard_output();
    app.set_version_flag("--version", version_text(), "version and commit");
    int code = kBadUsage;
    try {
      app.parse(argc, argv);
      code = command();
    } catch (const CLI::ParseError& error) {
      std::ostringstream complaint;
      code = app.exit(error, std::cout, complaint) == 0 ? kGood : kBadUsage;
      fmt::print(stderr, "{}", folded(complaint.str(), columns_of(STDERR_FILENO)));
    }
    finish_standard_output();
    return code;
  } catch (const std::exception& error) {
    std::fflush(stdout);
    fmt::print(stderr, "{}",
               wrapped(fmt::format("{}: {}", app.get_name(), said(error)), 2, 0,
                       columns_of(STDERR_FILENO)));
    return kBadUsage;
  }
}

}  // namespace ladder
