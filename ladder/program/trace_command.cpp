// SPDX-License-Identifier: MIT
#include "ladder/program/trace_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <utility>
#include <vector>

#include "common/output_file.hpp"
#include "common/terminal/progress.hpp"
#include "emulator/run/settings.hpp"
#include "ladder/program/print.hpp"
#include "ladder/program/results.hpp"
#include "ladder/program/rung_counter.hpp"
#include "ladder/program/small_problems.hpp"
#include "ladder/program/trace_report.hpp"

namespace ladder {
namespace {

/// "B,W"
std::pair<std::uint64_t, unsigned> warp_of(const std::string& text) {
  std::uint64_t block = 0;
  unsigned warp = 0;
  const char* const end = text.data() + text.size();
  const auto [comma, error] = std::from_chars(text.data(), end, block);
  if (error == std::errc() && comma != end && *comma == ',') {
    const auto [rest, warp_error] = std::from_chars(comma + 1, end, warp);
    if (warp_error == std::errc() && rest == end) return {block, warp};
  }
  throw std::invalid_argument(
      fmt::format("--warp {}: give the numbers of a block and of a warp in it, e.g. 0,0", text));
}

void require_warp(const RungTrace& trace, std::pair<std::uint64_t, unsigned> warp) {
  const std::uint64_t warps = (trace.kernel.threads_per_block + 31) / 32;
  if (warp.first >= trace.kernel.blocks || warp.second >= warps) {
    throw std::invalid_argument(
        fmt::format("--warp {},{}: there are blocks 0 to {} and warps 0 to {}", warp.first,
                    warp.second, trace.kernel.blocks - 1, warps - 1));
  }
  if (trace.kernel.warp.empty()) {
    throw std::invalid_argument(fmt::format(
        "--warp {},{}: this warp asks for no memory, or its block was not traced; --all-blocks "
        "traces all",
        warp.first, warp.second));
  }
}

/// "kernel.cuh:12,15"
MarkedLines marked_lines(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  MarkedLines marked = {.file = text.substr(0, colon)};
  const char* at = text.data() + (colon == std::string::npos ? text.size() : colon);
  const char* const end = text.data() + text.size();
  while (at != end) {
    unsigned line = 0;
    const auto [rest, error] = std::from_chars(at + 1, end, line);
    if (error != std::errc() || (rest != end && *rest != ',')) break;
    marked.lines.push_back(line);
    at = rest;
  }
  if (marked.file.empty() || at != end || marked.lines.empty()) {
    throw std::invalid_argument(
        fmt::format("--mark {}: give a file and its lines, e.g. kernel.cuh:12,15", text));
  }
  return marked;
}

}  // namespace

void choose_traced_shape(Options& options) {
  constexpr int kTraceSize = 256;
  const int size = options.size.value_or(kTraceSize);
  options.problem.shape = {
      .M = options.M.value_or(size), .N = options.N.value_or(size), .K = options.K.value_or(size)};
}

void add_trace_options(CLI::App& command, TraceArguments& arguments) {
  command.add_option("rung", arguments.options.rungs, "number or name, e.g. 03 or shared_tile")
      ->required()
      ->expected(1);
  add_shape_options(command, arguments.options, "256");
  command.add_option("--gpu", arguments.gpu, "GPU to model: a card's name, or a card file")
      ->capture_default_str();
  command.add_option("--json", arguments.options.json, "also write the trace to this file");
  command.add_option("--html", arguments.html, "also write it as a page for a browser");
  command.add_option("--mark", arguments.marks, "lines to mark, such as kernel.cuh:12,15")
      ->needs("--html");
  command.add_option("--warp", arguments.warp, "B,W: list what warp W of block B asks for");
  command.add_flag("--all-blocks", arguments.all_blocks,
                   "trace every block, even if it works like another");
}

int trace_command(TraceArguments arguments) {
  Options& options = arguments.options;
  choose_traced_shape(options);
  std::optional<OutputFile> json_file, page_file;
  if (!options.json.empty()) json_file.emplace(options.json);
  if (!arguments.html.empty()) page_file.emplace(arguments.html);
  if (json_file && page_file && json_file->is_same_file_as(*page_file)) {
    throw std::invalid_argument(
        fmt::format("--json and --html both name {}: give each a file of its own", arguments.html));
  }
  TraceChoice choice;
  choice.ask_nvcc = true;
  if (!arguments.warp.empty()) {
    choice.warp = warp_of(arguments.warp);
  } else if (json_file || page_file) {
    choice.warp = {0, 0};
  }
  if (arguments.all_blocks) choice.all_blocks = true;
  std::vector<MarkedLines> marked;
  marked.reserve(arguments.marks.size());
  for (const std::string& mark : arguments.marks)
    marked.push_back(marked_lines(mark));
  const DeviceCard card = modelled_card(arguments.gpu);
  const std::unique_ptr<Machine> machine = make_cpu_machine();
  require_living_instrumentation();
  const Rung& rung = find_rung(traced_rungs(), options.rungs.at(0));
  const RungTrace trace = trace_rung(*machine, rung, options.problem, card, choice);
  if (!arguments.warp.empty()) require_warp(trace, *choice.warp);

  RungTrace printed = trace;
  if (arguments.warp.empty()) printed.kernel.warp.clear();
  if (!page_file) fmt::print("{}", trace_text(printed));  // the page has all of it
  const emulator::ScopedMultiprocessors sms(card.sms);
  const emulator::ScopedSharedBytes shared(card.max_shared_bytes_per_block);
  const std::string took = taken_configuration(rung, options.problem.shape, sms_of(card));
  if (!took.empty()) fmt::print("\n{}", wrapped(took, 2));
  if (!trace.kernel.hazards.empty()) fmt::print("\nHazards\n{}", hazards_text(trace.kernel));
  if (json_file) {
    json_file->write(file_text(trace));
    fmt::print("\nTrace written to {}.\n", options.json);
  }
  if (page_file) {
    page_file->write(trace_page(trace, marked));
    fmt::print("\nPage written to {}.\n", arguments.html);
  }
  return trace.kernel.hazards.empty() && trace.verified.value_or(true) ? kGood : kWrong;
}

void print_gains(const std::vector<Rung>& rungs, Problem problem, bool shape_given) {
  if (!shape_given) problem.shape = gains_problem().shape;
  const std::unique_ptr<Machine> machine = make_cpu_machine();
  require_living_instrumentation();
  std::vector<RungTrace> traces;
  Progress progress;
  for (const Rung& rung : rungs) {
    if (rung.tile.BM == 0) continue;  // a library call has no kernel to trace
    progress.show("tracing " + label(rung), static_cast<double>(traces.size()) / rungs.size());
    try {
      traces.push_back(trace_gains(*machine, rung, problem));
    } catch (const ShapeRefused&) {
      // The table above says so.
    }
  }
  progress.clear();
  if (!traces.empty()) fmt::print("\n{}", gains_text(traces));
}

}  // namespace ladder
