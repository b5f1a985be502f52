// SPDX-License-Identifier: MIT
#include "ladder/program/trace_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <stdexcept>
#include <utility>
#include <vector>

#include "common/findings/report.hpp"
#include "common/output_file.hpp"
#include "common/terminal/progress.hpp"
#include "emulator/run/debug_info/source_lines.hpp"
#include "emulator/run/kernel_error.hpp"
#include "emulator/run/settings.hpp"
#include "ladder/program/print.hpp"
#include "ladder/program/results.hpp"
#include "ladder/program/rung_findings.hpp"
#include "ladder/program/small_problems.hpp"
#include "ladder/program/trace_report.hpp"

namespace ladder {
namespace {

constexpr int kTraceSize = 256;

/// Several waves of 16 blocks, and matrices beyond the 512 KiB of the classroom card's L2. Four
/// rows of 128 x 128 tiles, so that rung 07's order makes a wave a square, as it does on an H200.
/// K is short because blocks that wait for each other are traced whole, all along K.
constexpr Shape kGainsShape = {.M = 512, .N = 4096, .K = 512};

/// Line touches for the table of gains: a second or two. The rungs without tiles need more.
constexpr std::uint64_t kGainsTouches = 25'000'000;

void choose_shape(Options& options) {
  const int size = options.size.value_or(kTraceSize);
  options.problem.shape = {
      .M = options.M.value_or(size), .N = options.N.value_or(size), .K = options.K.value_or(size)};
}

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

bool is_good(const RungTrace& trace) {
  return trace.kernel.hazards.empty() && trace.verified.value_or(true);
}

}  // namespace

void add_trace_options(CLI::App& command, TraceArguments& arguments) {
  command.add_option("rung", arguments.options.rungs, "number or name, e.g. 03 or shared_tile")
      ->required()
      ->expected(1);
  add_shape_options(command, arguments.options, "256");
  command.add_option("--gpu", arguments.gpu, "GPU to model: a card's name, or a card file")
      ->capture_default_str();
  command.add_option("--json", arguments.options.json, "also write the trace to this file");
  command.add_option("--html", arguments.html, "also write it as a page for a browser");
  command.add_option("--warp", arguments.warp, "B,W: list what warp W of block B asks for");
  command.add_flag("--all-blocks", arguments.all_blocks,
                   "trace every block, even if it works like another");
}

void add_check_options(CLI::App& command, TraceArguments& arguments) {
  command.add_option("rung", arguments.options.rungs, "numbers or names; all rungs if none");
  add_shape_options(command, arguments.options, "256");
  command.add_option("--gpu", arguments.gpu, "GPU to model: a card's name, or a card file")
      ->capture_default_str();
  command.add_option("--json", arguments.options.json,
                     "also write the findings to this file, or -");
  command.add_option("--hazards", arguments.hazards, "tell at most so many hazards of a rung");
  command.add_option("--sarif", arguments.options.sarif, "also write them as SARIF 2.1.0");
}

int trace_command(TraceArguments arguments) {
  Options& options = arguments.options;
  choose_shape(options);
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
  const DeviceCard card = modelled_card(arguments.gpu);
  const std::unique_ptr<Machine> machine = make_cpu_machine();
  require_living_instrumentation();
  const Rung& rung = find_rung(traced_rungs(), options.rungs.at(0));
  const RungTrace trace = trace_rung(*machine, rung, options.problem, card, choice);
  if (!arguments.warp.empty()) require_warp(trace, *choice.warp);

  RungTrace printed = trace;
  if (arguments.warp.empty()) printed.kernel.warp.clear();
  fmt::print("{}", trace_text(printed));
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
    page_file->write(trace_page(trace));
    fmt::print("\nPage written to {}.\n", arguments.html);
  }
  return is_good(trace) ? kGood : kWrong;
}

namespace {

/// What `check` finds of its rungs, one after the other; its sentences go to standard output
/// unless that belongs to a file.
class Check {
 public:
  Check(TraceArguments arguments, FindingsReport& report, bool silent)
      : arguments_(std::move(arguments)), report_(report), silent_(silent) {}

  int run() {
    const Options& options = arguments_.options;
    const std::unique_ptr<Machine> machine = make_cpu_machine();
    require_living_instrumentation();
    const std::vector<Rung> rungs = chosen();
    const DeviceCard card = modelled_card(arguments_.gpu);
    report_.facts["problem"] = problem_json(options.problem);
    report_.facts["card"] = {{"id", card.id}, {"name", card.name}, {"sms", card.sms}};
    const emulator::ScopedMultiprocessors sms(card.sms);
    const emulator::ScopedSharedBytes shared(card.max_shared_bytes_per_block);
    for (const Rung& rung : rungs)
      check(*machine, rung, card);
    if (!exact_.empty()) say(wrapped(exactness_text(exact_), 2));
    if (!all_good_) return kWrong;
    return any_checked_ ? kGood : kBadUsage;
  }

 private:
  std::vector<Rung> chosen() const {
    std::vector<Rung> rungs;
    rungs.reserve(arguments_.options.rungs.size());
    for (const std::string& rung : arguments_.options.rungs)
      rungs.push_back(find_rung(traced_rungs(), rung));
    if (!rungs.empty()) return rungs;
    for (const Rung& rung : traced_rungs()) {
      if (rung.number != 0) rungs.push_back(rung);
    }
    return rungs;
  }

  void check(Machine& machine, const Rung& rung, const DeviceCard& card) {
    Subject& subject = report_.subjects.emplace_back(subject_of(rung));
    const Problem& problem = arguments_.options.problem;
    try {
      TraceChoice choice;
      choice.all_blocks = true;
      const RungTrace trace = trace_rung(machine, rung, problem, card, choice);
      any_checked_ = true;
      const SmallProblems small =
          *trace.verified ? verify_small_problems(machine, rung) : SmallProblems();
      add_findings(trace, small, subject);
      tell(trace, small);
      const bool right = *trace.verified && small.findings.empty();
      subject.outcome = right && trace.kernel.hazards.empty() ? "right" : "wrong";
      subject.facts["result_is_right"] = right;
      if (right) exact_.emplace_back(fmt::format("{:02}", rung.number), small);
      const std::string took = taken_configuration(rung, problem.shape, sms_of(card));
      if (!took.empty()) say(wrapped(took, 2, 2));
      all_good_ = all_good_ && right && is_good(trace);
    } catch (const ShapeRefused& refusal) {
      subject.outcome = "refused";
      subject.findings = {refusal_of(refusal).value()};
      say(fmt::format("{:<17} refused\n{}", label(rung),
                      wrapped("  " + text_of(subject.findings), 2)));
    }
  }

  static void add_findings(const RungTrace& trace, const SmallProblems& small, Subject& subject) {
    subject.place = emulator::place_of_kernel(trace.kernel.kernel);
    for (const emulator::Fault& hazard : trace.kernel.hazards)
      subject.findings.emplace_back(hazard);
    for (const Wrong& wrong : trace.wrong)
      subject.findings.emplace_back(wrong);
    std::ranges::copy(small.findings, std::back_inserter(subject.findings));
    if (trace.verified.value_or(true)) return;
    for (const emulator::StrayShuffles& stray : trace.kernel.strays)
      subject.findings.emplace_back(stray);
  }

  void tell(const RungTrace& trace, const SmallProblems& small) const {
    const std::size_t hazards = trace.kernel.hazards.size();
    const bool right = *trace.verified && small.findings.empty();
    say(fmt::format("{:<17} {}, {}\n", label(trace.rung), right ? "right" : "WRONG",
                    hazards == 0 ? "no hazards"
                                 : fmt::format("{} hazard{}", hazards, hazards == 1 ? "" : "s")));
    say(hazards_text(trace.kernel, {}, arguments_.hazards.value_or(hazards)));
    if (right) return;
    say(wrapped("  " + (*trace.verified ? text_of(small.findings) : text_of(trace.wrong)), 2));
    say(strays_text(trace));
  }

  void say(const std::string& text) const {
    if (!silent_) fmt::print("{}", text);
  }

  TraceArguments arguments_;
  FindingsReport& report_;
  bool silent_;
  std::vector<std::pair<std::string, SmallProblems>> exact_;
  bool all_good_ = true;
  bool any_checked_ = false;
};

/// Why nothing more was checked: a launch that CUDA refuses, or a request that cannot be done.
std::optional<Finding> finding_of(const std::exception& error) {
  if (const auto* const kernel = dynamic_cast<const emulator::KernelError*>(&error)) {
    return kernel->fault();
  }
  if (const std::optional<Refusal> refusal = refusal_of(error)) return *refusal;
  return std::nullopt;
}

}  // namespace

int check_command(TraceArguments arguments) {
  choose_shape(arguments.options);
  const FindingsFiles files(arguments.options.json, arguments.options.sarif);
  FindingsReport report = report_of("check");
  try {
    report.exit_code = Check(std::move(arguments), report, files.take_standard_output()).run();
  } catch (const std::exception& error) {
    const std::optional<Finding> finding = finding_of(error);
    if (!finding) throw;
    report.findings.push_back(*finding);
    report.exit_code = kBadUsage;
    files.write(report);
    throw;
  }
  files.write(report);
  return report.exit_code;
}

void print_gains(const std::vector<Rung>& rungs, Problem problem, bool shape_given) {
  if (!shape_given) problem.shape = kGainsShape;
  const std::unique_ptr<Machine> machine = make_cpu_machine();
  require_living_instrumentation();
  const DeviceCard card = load_card("classroom");
  TraceChoice choice;
  choice.all_blocks = false;
  choice.touch_budget = kGainsTouches;
  std::vector<RungTrace> traces;
  Progress progress;
  for (const Rung& rung : rungs) {
    if (rung.tile.BM == 0) continue;  // a library call has no kernel to trace
    progress.show("tracing " + label(rung), static_cast<double>(traces.size()) / rungs.size());
    try {
      traces.push_back(trace_rung(*machine, rung, problem, card, choice));
    } catch (const ShapeRefused&) {
      // The table above says so.
    }
  }
  progress.clear();
  if (!traces.empty()) fmt::print("\n{}", gains_text(traces));
}

}  // namespace ladder
