// SPDX-License-Identifier: MIT
#include "ladder/program/list_command.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "common/device_card.hpp"
#include "common/output_file.hpp"
#include "ladder/program/print.hpp"
#include "ladder/program/rung_facts.hpp"

namespace ladder {

void add_list_options(CLI::App& command, Options& options) {
  command.add_option("--json", options.json, "write facts for other programs to this file");
  command.add_option("--size", options.size, "with --json: M = N = K of launches and plans")
      ->transform(decimal())
      ->check(CLI::Validator(CLI::Range(1, kMaxExtent)).description(""));
}

int list_command(const Options& options) {
  if (options.json.empty()) {
    if (options.size) throw std::invalid_argument("list --size also needs --json FILE");
    fmt::print("{}", list_text(emulated_rungs()));
    return kGood;
  }
  const OutputFile file(options.json);
  std::vector<Shape> shapes = quoted_shapes();
  CountedRungs counts;
  if (options.size) {
    shapes = {{*options.size, *options.size, *options.size}};
  } else {
    counts = counted_rungs(traced_rungs());
  }
  file.write(facts_text(rung_facts(emulated_rungs(), load_card("h200"), shapes, counts)));
  return kGood;
}

}  // namespace ladder
