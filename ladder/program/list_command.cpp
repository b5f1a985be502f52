// SPDX-License-Identifier: MIT
#include "ladder/program/list_command.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <vector>

#include "common/device_card.hpp"
#include "common/output_file.hpp"
#include "ladder/program/print.hpp"
#include "ladder/program/rung_facts.hpp"

namespace ladder {

void add_list_options(CLI::App& command, Options& options) {
  command.add_option("--json", options.json,
                     "write to this file, instead of a table, what pages and programs need to know "
                     "of the rungs: constants, kernels, blocks on an SM of an H200, grids, and the "
                     "plans of rungs that choose by shape (/dev/stdout prints it)");
  command
      .add_option("--size", options.size,
                  "with --json: M = N = K of launches and plans (those that pages quote)")
      ->check(CLI::Range(1, kMaxExtent));
}

int list_command(const Options& options) {
  if (options.json.empty()) {
    if (options.size) throw std::invalid_argument("list --size also needs --json FILE");
    fmt::print("{}", list_text(emulated_rungs()));
    return kGood;
  }
  const OutputFile file(options.json);
  std::vector<Shape> shapes = quoted_shapes();
  if (options.size) shapes = {{*options.size, *options.size, *options.size}};
  file.write(facts_text(rung_facts(emulated_rungs(), load_card("h200"), shapes)));
  return kGood;
}

}  // namespace ladder
