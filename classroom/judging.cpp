// SPDX-License-Identifier: MIT
#include "classroom/judging.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/machine.hpp"
#include "common/random.hpp"
#include "common/refusal.hpp"
#include "common/verify.hpp"
#include "common/wrong_pattern.hpp"

namespace ladder::grader {
namespace {

using nlohmann::json;

/// A process that was stopped so often is not started again.
constexpr int kMostStops = 2;

/// CPU time for all tests of a submission, where a rung takes seconds.
constexpr double kMostCpuSeconds = 600;

/// SMs for configurations: four tiles are one for each and one that is split; and many that share
/// one tile.
constexpr int kSmsOfConfiguration = 3;
constexpr int kSmsThatShare = 20;

/// What a table of configurations may say: the ladder's largest has half as many, of half the size.
constexpr std::size_t kMostConfigurations = 64;
constexpr int kLargestTile = 4096;

/// A submission's table of configurations makes no sense.
struct BadPlans : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Leaves Verifier::verify() when there is no result to look at.
struct NoResult {};

Precision precision_of(const json& job) {
  const std::string wanted = job.at("precision");
  for (const Precision& precision : {kFp32, kTf32, kBf16}) {
    if (wanted == precision.name) return precision;
  }
  throw std::invalid_argument("no such precision: " + wanted);
}

Shape shape_of(const json& run) {
  const json& shape = run.at("shape");
  return {shape.at(0), shape.at(1), shape.at(2)};
}

const char* name_of(WorkerEnded::Why why) {
  switch (why) {
    case WorkerEnded::Why::forbidden:
      return "forbidden_call";
    case WorkerEnded::Why::timeout:
      return "timeout";
    case WorkerEnded::Why::protocol:
      return "protocol";
    default:
      return "killed";
  }
}

const char* name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::hazard:
      return "hazard";
    case Outcome::refused:
      return "refused";
    default:
      return "failed";
  }
}

// What is told of a finding, of a hidden problem too: its code, what the code means, and the lines
// of the student's that it is about. No extent, no index and no element of C.

json told(const emulator::Place& place) {
  return {{"file", place.file}, {"line", place.line}};
}

json told(const FoundFault& fault) {
  json places = json::array();
  for (const emulator::Place& place : {fault.place, fault.other}) {
    if (place.line > 0) places.push_back(told(place));
  }
  return {{"code", code_of(fault.kind)},
          {"group", code_of(group_of(fault.kind))},
          {"title", facts_of(fault.kind).title},
          {"places", places}};
}

json told(const Wrong& wrong) {
  json finding = {
      {"code", code_of(wrong.kind)}, {"group", "wrong-result"}, {"title", title_of(wrong.kind)}};
  if (wrong.where && wrong.where->kind != wrong.kind) {
    finding["where"] = code_of(wrong.where->kind);
    finding["where_title"] = title_of(wrong.where->kind);
  }
  return finding;
}

json told(const RunReport& report) {
  json findings = json::array();
  for (const FoundFault& fault : report.faults)
    findings.push_back(told(fault));
  if (report.host_access) {
    json places = json::array();
    if (report.host_access->line > 0) places.push_back(told(*report.host_access));
    findings.push_back({{"code", "host-access"},
                        {"group", "host"},
                        {"title", "The host's code touches a matrix"},
                        {"places", places}});
  }
  if (report.outcome == Outcome::refused) {
    findings.push_back({{"code", code_of(RefusalKind::kShape)},
                        {"group", "refusal"},
                        {"title", title_of(RefusalKind::kShape)}});
  }
  return findings;
}

double products_of(const Shape& shape) {
  return 1.0 * shape.M * shape.N * shape.K;
}

/// The run's counters tell of fewer words than were multiplied: some were read past them.
bool misses_reads(const json& run, const json& counts) {
  constexpr double kRounded = 0.999;
  return counts.at("most_products").get<double>() < kRounded * products_of(shape_of(run));
}

json told_of_reads() {
  return {{"code", "reads-below-bound"},
          {"group", "counters"},
          {"title", "Threads have read less than their multiplications need"}};
}

json told_of_accesses(const std::vector<emulator::Place>& uncounted) {
  json places = json::array();
  for (const emulator::Place& place : uncounted) {
    if (place.line > 0) places.push_back(told(place));
  }
  return {{"code", "uncounted-access"},
          {"group", "counters"},
          {"title", "Memory is accessed in a way that is not counted"},
          {"places", places}};
}

json told(const Verdict& verdict, const RunReport& report) {
  json findings = json::array();
  if (!report.launched) {
    findings.push_back({{"code", "no-kernel-launched"},
                        {"group", "launch"},
                        {"title", "run() launches no kernel"}});
  }
  for (const Wrong& wrong : verdict.wrong)
    findings.push_back(told(wrong));
  return findings;
}

// -- Numbers that are no ordinary ones ------------------------------------------------------------

/// A problem in whose A and B a few elements are infinite, no number, or denormal.
struct UnusualNumbers {
  UnusualNumbers(const Shape& shape, std::uint64_t seed) : shape(shape) {
    const auto [M, N, K] = shape;
    const auto fill = [&](std::vector<float>& array, std::uint64_t number, int rows, int columns) {
      const RandomArray random = {seed, number, Numbers::small_integers};
      for (std::uint64_t i = 0; i < std::uint64_t(rows) * std::uint64_t(columns); ++i)
        array.push_back(random[i]);
    };
    fill(A, 0, M, K);
    fill(B, 1, K, N);
    fill(C, 2, M, N);
    const auto at = [](int row, int columns, int column) {
      return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
             static_cast<std::size_t>(column);
    };
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    A[at(M - 1, K, K - 1)] = std::numeric_limits<float>::quiet_NaN();
    A[at(M / 2, K, 0)] = kInfinity;
    B[at(K / 2, N, N - 1)] = -kInfinity;
    for (int k = 0; k < K; ++k)
      A[at(0, K, k)] *= 0x1p-140f;
  }

  double expected(int row, int column, float alpha, float beta) const {
    double sum = 0;
    for (int k = 0; k < shape.K; ++k)
      sum +=
          double(A[std::size_t(row) * shape.K + k]) * double(B[std::size_t(k) * shape.N + column]);
    const std::size_t at = std::size_t(row) * shape.N + column;
    return beta == 0 ? alpha * sum : alpha * sum + beta * double(C[at]);
  }

  Shape shape;
  std::vector<float> A, B, C;
};

json told_of_unusual_numbers() {
  return json::array({{{"code", "unusual-numbers"},
                       {"group", "wrong-result"},
                       {"title",
                        "Infinity, NaN or a denormal number in A or B is not multiplied as "
                        "it should be"}}});
}

/// Runs and verifies one problem after the other.
class Judge {
 public:
  Judge(const json& job, Submission& submission)
      : precision_(precision_of(job)),
        tile_{job.at("tile").at(0), job.at("tile").at(1)},
        multiple_of_(job.at("multiple_of")),
        most_cpu_seconds_(job.value("cpu_seconds", kMostCpuSeconds)),
        submission_(submission) {}

  /// \return the runs of a test, up to the first that is not right; of a hidden one without
  ///         messages
  json runs_of(const json& test) {
    json done = all_runs_of(test);
    if (test.at("visible")) return done;
    for (json& run : done)
      run.erase("message");
    return done;
  }

  json judged(const json& run) {
    json result = outcome_of(run);
    if (!result.contains("findings")) result["findings"] = json::array();
    return result;
  }

 private:
  json all_runs_of(const json& test) {
    json done = json::array();
    for (const json& run : test.at("runs")) {
      json all = json::array({run});
      if (run.contains("configurations")) {
        try {
          all = of_each_configuration(run);
        } catch (const BadPlans& bad) {
          done.push_back(stopped("failed", bad.what()));
          return done;
        } catch (const WorkerEnded& end) {
          ++stops_;
          done.push_back(stopped(name_of(end.why), end.what()));
          return done;
        }
      }
      for (const json& one : all) {
        for (int time = 0; time < one.value("times", 1); ++time) {
          json call = one;
          call["again"] = time > 0;
          done.push_back(judged(call));
          if (done.back().at("status") != "right") return done;
        }
      }
    }
    return done;
  }

  static json stopped(const char* status, const char* message) {
    return {{"status", status}, {"message", message}, {"findings", json::array()}};
  }

  json outcome_of(const json& run) {
    if (stops_ >= kMostStops) {
      return {{"status", "skip"}, {"message", "not run: the kernel was stopped too often"}};
    }
    if (submission_.cpu_seconds() > most_cpu_seconds_) {
      return {{"status", "timeout"},
              {"message",
               fmt::format("not run: the tests before took {} s of computing", most_cpu_seconds_)}};
    }
    try {
      return run.value("unusual", false) ? with_unusual_numbers(run) : verified(run);
    } catch (const WorkerEnded& end) {
      ++stops_;
      return {{"status", name_of(end.why)}, {"message", end.what()}};
    }
  }

  json verified(const json& run) {
    const Shape shape = shape_of(run);
    const float alpha = run.at("alpha");
    const float beta = run.at("beta");
    const RunOrder order = run_order(run);
    RunReport report;
    Verifier verifier(*machine_, shape, run.at("seed"), precision_,
                      run.value("integers", true) ? Inputs::integers : Inputs::normal);
    const auto forward = [&](const auto& gemm, Stream) {
      report = submission_.run(gemm, order);
      if (report.outcome != Outcome::ran || order.sample) throw NoResult{};
    };
    json result;
    try {
      const Run call = with_element_of(precision_.stored, [&]<class T>(T) -> Run {
        return [&](const Gemm<T>& gemm, Stream stream) { forward(gemm, stream); };
      });
      const Verdict verdict = verifier.verify(call, alpha, beta, tile_);
      result = {{"status", verdict.right ? "right" : "wrong"},
                {"message", text_of(verdict.wrong)},
                {"findings", told(verdict, report)}};
      if (verdict.right && order.traced && !did_the_work(report, shape, alpha, beta)) {
        result["status"] = "not_the_kernel";
        result["message"] = report.launched
                                ? "C is right, but the kernels have not read all of A and B, or "
                                  "have not written all of C: something else has computed it"
                                : "C is right, but run() launches no kernel";
      }
      if (!verdict.right && !report.launched) {
        result["message"] = "run() launches no kernel. " + text_of(verdict.wrong);
      }
    } catch (const NoResult&) {
      const bool ran = report.outcome == Outcome::ran;
      result = {{"status", ran ? "right" : name_of(report.outcome)},
                {"message", report.message},
                {"findings", told(report)}};
    }
    result["counts"] = report.counts;
    if (!report.uncounted.empty())
      result["uncounted"] = json::array({told_of_accesses(report.uncounted)});
    return result;
  }

  /// What IEEE 754 says of each element; the finite results are exact.
  json with_unusual_numbers(const json& run) {
    const UnusualNumbers numbers(shape_of(run), run.at("seed"));
    const auto array = [&](const std::vector<float>& host) {
      MachineArray<float> made(*machine_, host.size());
      machine_->copy_from_host(made.data(), host.data(), made.bytes());
      return made;
    };
    const MachineArray<float> A = array(numbers.A);
    const MachineArray<float> B = array(numbers.B);
    const MachineArray<float> C = array(numbers.C);
    const auto [M, N, K] = numbers.shape;
    const Gemm<float> gemm = {M,       N, K, run.at("alpha"), A.data(), B.data(), run.at("beta"),
                              C.data()};
    const RunReport report = submission_.run(gemm, run_order(run));
    if (report.outcome != Outcome::ran) {
      return {{"status", name_of(report.outcome)},
              {"message", report.message},
              {"findings", told(report)}};
    }
    std::vector<float> got(C.size());
    machine_->copy_to_host(got.data(), C.data(), C.bytes());
    for (int row = 0; row < M; ++row) {
      for (int column = 0; column < N; ++column) {
        const auto wanted =
            static_cast<float>(numbers.expected(row, column, gemm.alpha, gemm.beta));
        const float found = got[std::size_t(row) * N + column];
        if (found == wanted || (std::isnan(found) && std::isnan(wanted))) continue;
        return {{"status", "wrong"}, {"findings", told_of_unusual_numbers()}};
      }
    }
    return {{"status", "right"}, {"message", ""}};
  }

  bool did_the_work(const RunReport& report, const Shape& shape, float alpha, float beta) const {
    if (alpha == 0 && beta == 1) return true;  // C stays as it is: BLAS returns at once
    const double element = bytes_of(precision_.stored);
    const auto [M, N, K] = shape;
    const bool read = alpha == 0 || report.read_bytes >= element * (1.0 * M * K + 1.0 * K * N);
    return read && report.written_bytes >= element * (1.0 * M * N);
  }

  /// A run of each configuration: `here`, at the run's shape; `around` its own tile, two tiles and
  /// an edge each way, and one tile whose K many blocks share, if any do.
  json of_each_configuration(const json& run) {
    const int q = multiple_of_;
    json runs = json::array();
    const RunOrder few = {.sms = kSmsOfConfiguration};
    const RunOrder many = {.sms = kSmsThatShare};
    const json plans = plans_for({1, q, q}, few);
    for (std::size_t i = 0; i < plans.size(); ++i) {
      const int BM = plans[i].at("tile").at(0);
      const int BN = plans[i].at("tile").at(1);
      const int BK = plans[i].at("BK");
      const auto add = [&](const Shape& shape, int sms) {
        runs.push_back(run);
        runs.back()["configuration"] = i;
        runs.back()["sms"] = sms;
        runs.back()["shape"] = {shape.M, shape.N, shape.K};
      };
      if (run.at("configurations") == "here") {
        add(shape_of(run), run.at("sms"));
        continue;
      }
      add({BM + 1, BN + q, std::max(5 * BK, 80) + q}, kSmsOfConfiguration);
      const Shape shared = {std::max(BM - 3, 1), std::max(BN - q, q), 40 * BK + q};
      const json shared_plans = plans_for(shared, many);
      if (shared_plans.size() != plans.size()) {
        throw BadPlans(
            "plans() has another number of configurations for another shape: it has all "
            "of them for each");
      }
      if (shared_plans[i].at("ranks") >= 2) add(shared, kSmsThatShare);
    }
    return runs;
  }

  /// What the submission would do for a shape, once that has been looked at: shapes follow from it.
  json plans_for(const Shape& shape, const RunOrder& order) {
    json plans = submission_.plans(shape, order);
    const auto is_side = [](int extent) { return extent >= 1 && extent <= kLargestTile; };
    try {
      const auto is_sensible = [&](const json& plan) {
        return is_side(plan.at("tile").at(0)) && is_side(plan.at("tile").at(1)) &&
               is_side(plan.at("BK")) && plan.at("ranks").get<int>() >= 0;
      };
      if (!plans.empty() && plans.size() <= kMostConfigurations &&
          std::ranges::all_of(plans, is_sensible)) {
        return plans;
      }
    } catch (const json::exception&) {
      // It is no such table either.
    }
    throw BadPlans(
        fmt::format("plans() has to name 1 to {} configurations for each shape, with "
                    "tiles and k tiles of 1 to {} elements a side",
                    kMostConfigurations, kLargestTile));
  }

  const std::unique_ptr<Machine> machine_ = make_cpu_machine();
  Precision precision_;
  BlockTile tile_;
  int multiple_of_;
  double most_cpu_seconds_;
  Submission& submission_;
  int stops_ = 0;
};

/// \brief A run for the memory part. What is sampled counts a part of the blocks only; tensor cores
///        multiply what other threads have read.
json counted(Judge& judge, const json& job, const json& run) {
  json result = judge.judged(run);
  if (result.at("status") != "right") return result;
  json past_counters = result.value("uncounted", json::array());
  const bool comparable =
      job.at("precision") == kFp32.name && !run.value("sample", false) && run.at("alpha") != 0;
  if (comparable && misses_reads(run, result.at("counts")))
    past_counters.push_back(told_of_reads());
  if (past_counters.empty()) return result;
  result["status"] = "uncounted";
  result["findings"] = past_counters;
  return result;
}

/// One call, timed and verified: {status, message, findings, ms}.
json timed(Verifier& verifier, const Precision& precision, BlockTile tile, Submission& contender) {
  const RunOrder order = {.traced = false};
  RunReport report;
  const auto forward = [&](const auto& gemm, Stream) {
    report = contender.run(gemm, order);
    if (report.outcome != Outcome::ran) throw NoResult{};
  };
  try {
    const Run call = with_element_of(precision.stored, [&]<class T>(T) -> Run {
      return [&](const Gemm<T>& gemm, Stream stream) { forward(gemm, stream); };
    });
    const Verdict verdict = verifier.verify(call, 1.0f, 0.0f, tile);
    return {{"status", verdict.right ? "right" : "wrong"},
            {"message", text_of(verdict.wrong)},
            {"findings", told(verdict, report)},
            {"ms", 1e3 * report.seconds}};
  } catch (const NoResult&) {
    return {{"status", name_of(report.outcome)},
            {"message", report.message},
            {"findings", told(report)}};
  } catch (const WorkerEnded& end) {
    return {{"status", name_of(end.why)}, {"message", end.what()}, {"findings", json::array()}};
  }
}

}  // namespace

json judge_speed(Machine& machine, const json& job, Submission& submission, Submission& reference) {
  const Precision precision = precision_of(job);
  const BlockTile tile = {job.at("tile").at(0), job.at("tile").at(1)};
  const int rounds = job.at("rounds");
  json problems = json::array();
  for (const json& problem : job.at("problems")) {
    json& found = problems.emplace_back(json{{"id", problem.at("id")},
                                             {"status", "right"},
                                             {"message", ""},
                                             {"findings", json::array()}});
    found["yours"] = found["reference"] = json::array();
    const auto seed = problem.at("seed").get<std::uint64_t>();
    for (int round = 0; round <= rounds; ++round) {
      Verifier verifier(machine, shape_of(problem), seed + static_cast<std::uint64_t>(round),
                        precision);
      for (const bool first : {true, false}) {
        const bool yours = first == (round % 2 == 0);
        const json one = timed(verifier, precision, tile, yours ? submission : reference);
        if (one.at("status") != "right") {
          if (!yours) throw std::runtime_error("the reference rung is not right: " + one.dump());
          found.update(one);
          return problems;
        }
        if (round > 0) found[yours ? "yours" : "reference"].push_back(one.at("ms"));
      }
    }
  }
  return problems;
}

json judge(const json& job, Submission& submission, Submission* reference) {
  Judge judge(job, submission);
  json tests = json::array();
  for (const json& test : job.at("tests"))
    tests.push_back({{"id", test.at("id")}, {"runs", judge.runs_of(test)}});
  json result = {{"tests", tests}};
  if (reference != nullptr) {
    Judge judge_of_reference(job, *reference);
    for (json run : job.at("memory")) {
      run["counts"] = true;
      json watched = run;
      watched["watch"] = true;
      json yours = counted(judge, job, watched);
      if (run.value("sample", false) && yours.at("status") == "right") {
        json whole = run;  // only the counts of a sample are of use
        whole.merge_patch({{"sample", false}, {"counts", false}, {"traced", false}});
        const json result_of_whole = judge.judged(whole);
        if (result_of_whole.at("status") != "right") yours = result_of_whole;
      }
      json theirs = json::object();
      if (yours.at("status") == "right") {
        theirs = judge_of_reference.judged(run);
        if (theirs.at("status") != "right") {
          throw std::runtime_error("the reference rung is not right: " + theirs.dump());
        }
      }
      result["memory"].push_back({{"id", run.at("id")},
                                  {"status", yours.at("status")},
                                  {"message", yours.at("message")},
                                  {"findings", yours.at("findings")},
                                  {"yours", yours.value("counts", json())},
                                  {"reference", theirs.value("counts", json())}});
      if (yours.at("status") != "right") break;
    }
  }
  return result;
}

}  // namespace ladder::grader
