// SPDX-License-Identifier: MIT
#include "ladder/program/check_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "common/findings/report.hpp"
#include "emulator/run/debug_info/source_lines.hpp"
#include "emulator/run/fault_order.hpp"
#include "emulator/run/kernel_error.hpp"
#include "emulator/run/settings.hpp"
#include "ladder/program/print.hpp"
#include "ladder/program/results.hpp"
#include "ladder/program/rung_counter.hpp"
#include "ladder/program/rung_findings.hpp"
#include "ladder/program/small_problems.hpp"
#include "ladder/program/trace_report.hpp"

namespace ladder {
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

  /// What a rung does, its hazards in the order in which they explain each other.
  static RungTrace traced(Machine& machine, const Rung& rung, const Problem& problem,
                          const DeviceCard& card) {
    TraceChoice choice;
    choice.all_blocks = true;
    RungTrace trace = trace_rung(machine, rung, problem, card, choice);
    put_out_of_bounds_first(trace.kernel.hazards);
    return trace;
  }

  void check(Machine& machine, const Rung& rung, const DeviceCard& card) {
    Subject& subject = report_.subjects.emplace_back(subject_of(rung));
    const Problem& problem = arguments_.options.problem;
    try {
      const RungTrace trace = traced(machine, rung, problem, card);
      any_checked_ = true;
      const SmallProblems small =
          *trace.verified ? verify_small_problems(machine, rung) : SmallProblems();
      const std::optional<RungTrace> again = trace_again(machine, rung, small, card);
      add_findings(trace, small, again, subject);
      const bool no_hazards = trace.kernel.hazards.empty();
      Counted counted;
      if (*trace.verified && small.findings.empty() && no_hazards)
        counted = count(machine, rung, subject);
      std::ranges::copy(counted.failures, std::back_inserter(subject.findings));
      const bool right = *trace.verified && small.findings.empty() && counted.failures.empty();
      tell(trace, small, again, counted);
      subject.outcome = right && no_hazards ? "right" : "wrong";
      subject.facts["result_is_right"] = right;
      if (right) exact_.emplace_back(fmt::format("{:02}", rung.number), small);
      const std::string took = taken_configuration(rung, problem.shape, sms_of(card));
      if (!took.empty()) say(wrapped(took, 2, 2));
      all_good_ = all_good_ && subject.outcome == "right";
    } catch (const ShapeRefused& refusal) {
      subject.outcome = "refused";
      subject.findings = {refusal_of(refusal).value()};
      say(fmt::format("{:<17} refused\n{}", label(rung),
                      wrapped("  " + text_of(subject.findings), 2)));
    }
  }

  /// What a rung is about, of a kernel that is right elsewhere.
  struct Counted {
    std::string text = {};
    std::vector<Finding> failures = {};  ///< it refuses the larger problem, or does wrong in it
  };

  Counted count(Machine& machine, const Rung& rung, Subject& subject) const {
    if (rung.about == Counter::kNone) return {};
    ProblemCase of;
    of.problem = gains_problem();
    of.integers = false;
    const auto failure = [](const Finding& finding) {
      return Counted{wrapped("  " + text_of(std::vector{finding}), 2), {finding}};
    };
    try {
      const RungTrace trace = trace_gains(machine, rung, of.problem);
      if (const std::size_t hazards = trace.kernel.hazards.size(); hazards > 0) {
        Counted found = {hazards_text(trace.kernel, {}, arguments_.hazards.value_or(hazards))};
        for (const emulator::Fault& hazard : trace.kernel.hazards)
          found.failures.emplace_back(hazard, of);
        return found;
      }
      const std::optional<double> value = figure_of(rung.about, trace);
      if (!value) return {};
      const std::string figure = figure_text(rung.about, *value);
      nlohmann::json about = {
          {"counter", code_of(rung.about)}, {"value", *value}, {"text", figure}};
      if (const auto line = line_of(rung.about, trace))
        about.update({{"file", line->file}, {"line", line->line}});
      subject.facts["about"] = about;
      return {wrapped(fmt::format("{} {}", figure, words_of(rung.about)), 2)};
    } catch (const ShapeRefused& refusal) {
      return failure(Finding(refusal_of(refusal).value(), of));
    } catch (const emulator::KernelError& error) {
      return failure(Finding(error.fault(), of));
    } catch (const MachineError&) {  // other work has the memory: not known
      return {};
    }
  }

  /// A small problem whose result was wrong, once more: which accesses are behind it?
  static std::optional<RungTrace> trace_again(Machine& machine, const Rung& rung,
                                              const SmallProblems& small, const DeviceCard& card) {
    if (small.findings.empty()) return std::nullopt;
    const Finding& first = small.findings.front();
    if (family_of(first) != FindingFamily::kWrongResult) return std::nullopt;
    const ProblemCase& of = first.small_case.value();
    Rung same = rung;
    if (!of.configuration.empty()) {
      for (const WorkPlan& plan : rung.plans(of.problem.shape))
        if (plan.name == of.configuration) same.run = plan.launch;
    }
    const emulator::ScopedMultiprocessors few(kSmallProblemSms);
    const ScopedCase scoped(of);
    try {
      return traced(machine, same, of.problem, card);
    } catch (const emulator::KernelError&) {  // it is wrong in yet another way, which says less
    } catch (const MachineError&) {           // other work has the memory
    }
    return std::nullopt;
  }

  /// Where the elements of C are stored.
  static std::optional<emulator::Place> store_of(const emulator::KernelTrace& trace) {
    for (const emulator::LineCounts& line : trace.lines) {
      const bool stores = line.operation == emulator::Operation::kGlobalStore ||
                          line.operation == emulator::Operation::kBoxStore;
      if (stores && line.array == "C") return emulator::Place{line.file, line.line};
    }
    return std::nullopt;
  }

  static void add_findings(const RungTrace& trace, const SmallProblems& small,
                           const std::optional<RungTrace>& again, Subject& subject) {
    subject.place = emulator::place_of_kernel(trace.kernel.kernel);
    for (const emulator::Fault& hazard : trace.kernel.hazards)
      subject.findings.emplace_back(hazard);
    if (again) {
      for (const emulator::Fault& hazard : again->kernel.hazards)
        subject.findings.emplace_back(hazard, small.findings.front().small_case);
    }
    if (!trace.verified.value_or(true) || again) {
      if (const auto store = store_of(again ? again->kernel : trace.kernel))
        subject.facts["stores"] = {{"file", store->file}, {"line", store->line}};
    }
    for (const Wrong& wrong : trace.wrong)
      subject.findings.emplace_back(wrong);
    std::ranges::copy(small.findings, std::back_inserter(subject.findings));
    if (trace.verified.value_or(true)) return;
    for (const emulator::StrayShuffles& stray : trace.kernel.strays)
      subject.findings.emplace_back(stray);
  }

  void tell(const RungTrace& trace, const SmallProblems& small,
            const std::optional<RungTrace>& again, const Counted& counted) const {
    const std::size_t hazards = trace.kernel.hazards.size();
    const std::size_t more = again ? again->kernel.hazards.size() : 0;
    const bool is_verified = *trace.verified && small.findings.empty();
    const bool right = is_verified && counted.failures.empty();
    say(fmt::format("{:<17} {}, {}\n", label(trace.rung), right ? "right" : "WRONG",
                    hazards > 0 ? counted_hazards(hazards)
                    : more > 0  ? counted_hazards(more) + " in a small problem"
                    : right     ? "no hazards"
                    : !is_verified && trace.problem.beta == 0 && !again
                        ? "no race and no bad access seen where beta is 0"
                    : !is_verified
                        ? "no race and no bad access seen"
                        : fmt::format("for M, N, K = {}, {}, {}", gains_problem().shape.M,
                                      gains_problem().shape.N, gains_problem().shape.K)));
    say(hazards_text(trace.kernel, {}, arguments_.hazards.value_or(hazards)));
    say(counted.text);
    if (is_verified) return;
    say(wrapped("  " + (*trace.verified ? text_of(small.findings) : text_of(trace.wrong)), 2));
    if (again)
      say(hazards_text(again->kernel, {},
                       arguments_.hazards.value_or(again->kernel.hazards.size())));
    say(strays_text(trace));
  }

  /// "2 hazards"
  static std::string counted_hazards(std::size_t count) {
    return fmt::format("{} hazard{}", count, count == 1 ? "" : "s");
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
  choose_traced_shape(arguments.options);
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

}  // namespace ladder
