// SPDX-License-Identifier: MIT
/// \file  tests/classroom/mutants_judge.cpp
/// \brief Judges rungs with a mistake each, in this process: reads jobs by rung from standard
///        input, writes what came of each mutant to standard output.
///
///     grader_mutants I OF < jobs.json      the I-th of OF parts of {"mutants": [name, ...],
///                                          "jobs": {folder of a rung: job}}
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "classroom/judging.hpp"
#include "common/device_card.hpp"
#include "emulator/run/kernel_error.hpp"
#include "emulator/run/settings.hpp"
#include "emulator/run/workspace.hpp"
#include "ladder/program/rung_trace.hpp"
#include "ladder/program/small_problems.hpp"
#include "tests/ladder/mutants/mutants.hpp"

namespace ladder::grader {
namespace {

/// A rung of this process.
class RungHere final : public Submission {
 public:
  explicit RungHere(Rung rung) : rung_(std::move(rung)) {}

  RunReport run(const Gemm<float>& gemm, const RunOrder& order) override {
    return run_any(gemm, order);
  }
  RunReport run(const Gemm<bfloat16>& gemm, const RunOrder& order) override {
    return run_any(gemm, order);
  }
  nlohmann::json plans(const Shape& shape, const RunOrder& order) override {
    emulator::set_multiprocessors(order.sms);
    nlohmann::json plans = nlohmann::json::array();
    if (rung_.plans == nullptr) return plans;
    for (const WorkPlan& plan : rung_.plans(shape)) {
      plans.push_back({{"name", plan.name},
                       {"tile", {plan.tile.BM, plan.tile.BN}},
                       {"BK", plan.BK},
                       {"ranks", plan.ranks}});
    }
    return plans;
  }
  double cpu_seconds() const override { return 0; }

 private:
  template <class T>
  RunReport run_any(const Gemm<T>& gemm, const RunOrder& order) const {
    const auto call = [&] {
      const Run run = order.configuration < 0
                          ? rung_.run
                          : rung_.plans({gemm.M, gemm.N, gemm.K})
                                .at(static_cast<std::size_t>(order.configuration))
                                .launch;
      run(gemm, nullptr);
    };
    return run_once(call, gemm, order);
  }

  Rung rung_;
};

/// Does `ladder check NN`, and with it `make check`, find anything wrong with a rung?
bool is_found_by_check(const Rung& rung) {
  const std::unique_ptr<Machine> machine = make_cpu_machine();
  const DeviceCard card = load_card("h200");
  const emulator::ScopedMultiprocessors sms(card.sms);
  TraceChoice choice;
  choice.all_blocks = true;
  choice.touch_budget = 0;
  emulator::clear_workspace();  // of flags that a failed run has left
  try {
    const RungTrace trace = trace_rung(*machine, rung, {.shape = {256, 256, 256}}, card, choice);
    return !*trace.verified || !trace.kernel.hazards.empty() ||
           !verify_small_problems(*machine, rung).findings.empty();
  } catch (const emulator::KernelError&) {
    return true;
  }
}

nlohmann::json judged(const Mutant& mutant, const nlohmann::json& jobs) {
  const Rung& reference = find_rung(traced_rungs(), mutant.rung);
  Rung rung = reference;
  rung.run = mutant.run;
  rung.plans = mutant.plans;
  RungHere submission(rung);
  RungHere whole(reference);
  // Those of the other table are wrong, and need no look at what they ask of memory.
  const bool wasteful = mutant_named(graded_mutants(), mutant.name) != nullptr;
  nlohmann::json result = judge(jobs.at(mutant.rung), submission, wasteful ? &whole : nullptr);
  emulator::set_copy_arrival(emulator::CopyArrival::kLate);
  emulator::set_block_order(emulator::BlockOrder::kAscending);
  emulator::set_thread_turns(emulator::ThreadTurns::kWarpByWarp);
  result["check"] = is_found_by_check(rung);
  result["mutant"] = mutant.name;
  result["rung"] = mutant.rung;
  return result;
}

int run(int part, int parts) {
  // Deterministic: which of two blocks writes an element last is the same in every run.
  emulator::set_cpu_threads(1);
  emulator::set_hang_limit(emulator::Seconds(0.3));
  const std::string text((std::istreambuf_iterator<char>(std::cin)), {});
  const auto wanted = nlohmann::json::parse(text);
  const auto& names = wanted.at("mutants");
  nlohmann::json results = nlohmann::json::array();
  for (std::size_t i = static_cast<std::size_t>(part); i < names.size();
       i += static_cast<std::size_t>(parts)) {
    const std::string name = names[i];
    const Mutant* mutant = mutant_named(subtle_mutants(), name);
    if (mutant == nullptr) mutant = mutant_named(graded_mutants(), name);
    if (mutant == nullptr) throw std::invalid_argument("there is no mutant " + name);
    results.push_back(judged(*mutant, wanted.at("jobs")));
  }
  std::cout << results.dump() << "\n";
  return 0;
}

}  // namespace
}  // namespace ladder::grader

int main(int argc, char** argv) {
  return argc == 3 ? ladder::grader::run(std::atoi(argv[1]), std::atoi(argv[2])) : 2;
}
