// SPDX-License-Identifier: MIT
/// \file  tests/ladder/mutants/subtle_mutants_test.cpp
/// \brief Who catches which of the mistakes of subtle_mutants.py: `ladder run` and `ladder check`
///        as one calls them, with nothing but the rung's number, and the tests of rungs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "common/verify.hpp"
#include "emulator/run/kernel_error.hpp"
#include "emulator/run/settings.hpp"
#include "emulator/run/workspace.hpp"
#include "ladder/program/climb.hpp"
#include "ladder/program/rung_trace.hpp"
#include "ladder/program/small_problems.hpp"
#include "tests/ladder/mutants/mutants.hpp"
#include "tests/ladder/rung_shapes.hpp"

namespace ladder {
namespace {

using emulator::CopyArrival;

constexpr Problem kDefault = {.shape = {256, 256, 256}};

/// What the commands find.
struct Caught {
  bool by_one_problem = false;  ///< the default problem of `run`, without small ones
  bool by_run = false;
  bool by_check = false;
  bool by_tests = false;
  std::string said;  ///< by `run`
};

class SubtleMutantsTest : public testing::Test {
 protected:
  // One CPU thread: which of two blocks writes an element last is then the same in every run.
  void SetUp() override {
    emulator::set_hang_limit(emulator::Seconds(0.3));
    emulator::set_cpu_threads(1);
  }
  void TearDown() override {
    emulator::set_hang_limit(usual_limit_);
    emulator::set_cpu_threads(usual_threads_);
    emulator::set_copy_arrival(usual_arrival_);
  }

  static Rung with_mistake(const Mutant& mutant) {
    Rung rung = find_rung(emulated_rungs(), mutant.rung);
    rung.run = mutant.run;
    rung.plans = mutant.plans;
    return rung;
  }

  /// \return whether it is found out, by a result or by the emulator
  template <class Is>
  static bool caught(Is is_wrong) {
    emulator::clear_workspace();
    try {
      return is_wrong();
    } catch (const emulator::KernelError&) {
      return true;
    }
  }

  bool is_wrong(const Rung& rung, const Problem& problem) {
    return caught([&] {
      try {
        Verifier verifier(*machine_, problem.shape, problem.seed, rung.precision);
        return !verifier.verify(rung.run, problem.alpha, problem.beta, rung.tile).right;
      } catch (const ShapeRefused&) {
        return false;
      }
    });
  }

  bool has_hazard(const Rung& rung, const Problem& problem) {
    return caught([&] {
      TraceChoice choice;
      choice.all_blocks = true;
      choice.touch_budget = 0;
      try {
        const RungTrace trace = trace_rung(*machine_, rung, problem, card_, choice);
        return !trace.kernel.hazards.empty() || !*trace.verified;
      } catch (const ShapeRefused&) {
        return false;
      }
    });
  }

  bool caught_by_run(const Rung& rung, std::string& said) {
    const emulator::ScopedMultiprocessors sms(card_.sms);
    return caught([&] {
      const Climb result =
          climb(*machine_, {.ladder = emulated_rungs(), .chosen = {rung}, .problem = kDefault});
      said = note_of(result.entries.at(0));
      return result.entries.at(0).outcome != Outcome::right;
    });
  }

  bool caught_by_small_problems(const Rung& rung) {
    return caught([&] { return !verify_small_problems(*machine_, rung).findings.empty(); });
  }

  /// As rung_correctness_test.cpp and the tests of hazards do, beside the small problems.
  bool caught_by_other_tests(const Rung& rung) {
    const auto any_wrong = [&](const std::vector<Shape>& shapes, const Factors& factors) {
      for (const Shape& shape : shapes) {
        for (const auto& [alpha, beta] : factors) {
          for (const CopyArrival arrival : {CopyArrival::kLate, CopyArrival::kEarly}) {
            emulator::set_copy_arrival(arrival);
            const bool wrong = is_wrong(rung, {shape, alpha, beta, 11});
            emulator::set_copy_arrival(usual_arrival_);
            if (wrong) return true;
          }
        }
      }
      return false;
    };
    const emulator::ScopedMultiprocessors sms(3);
    return any_wrong(kShapesAtEdges, kAllFactors) || any_wrong(kShapesOfPipelines, kTwoFactors) ||
           any_wrong(shapes_of_every_k(), {{-0.5f, kRoot}}) ||
           any_wrong(kLargeShapes, {{-0.5f, kRoot}}) ||
           has_hazard(rung, {{70, 68, 60}, 1.0f, 0.5f, 1});
  }

  const std::unique_ptr<Machine> machine_ = make_cpu_machine();
  const DeviceCard card_ = load_card("h200");

 private:
  emulator::Seconds usual_limit_ = emulator::hang_limit();
  unsigned usual_threads_ = emulator::cpu_threads();
  CopyArrival usual_arrival_ = emulator::copy_arrival();
};

TEST_F(SubtleMutantsTest, RunCatchesMostAndTheTestsAll) {
  constexpr int kFewest = 53;
  constexpr double kShareOfRun = 45.0 / 53;
  std::string table = "mutant,rung,one problem,run,check,tests\n";
  int mutants = 0, by_one_problem = 0, by_run = 0, by_check = 0, by_tests = 0;
  for (const Mutant& mutant : subtle_mutants()) {
    const Rung rung = with_mistake(mutant);
    Caught c;
    {
      const emulator::ScopedMultiprocessors sms(card_.sms);
      c.by_one_problem = is_wrong(rung, kDefault);
    }
    c.by_run = caught_by_run(rung, c.said);
    const bool by_small_problems = caught_by_small_problems(rung);
    c.by_check = by_small_problems || has_hazard(rung, kDefault);
    c.by_tests = by_small_problems || caught_by_other_tests(rung);
    EXPECT_TRUE(c.by_tests) << mutant.name << ": nobody noticed the mistake";
    ++mutants;
    by_one_problem += c.by_one_problem;
    by_run += c.by_run;
    by_check += c.by_check;
    by_tests += c.by_tests;
    const auto yes = [](bool caught) { return caught ? "yes" : "no"; };
    table += fmt::format("{},{},{},{},{},{}\n", mutant.name, mutant.rung, yes(c.by_one_problem),
                         yes(c.by_run), yes(c.by_check), yes(c.by_tests));
    if (!c.by_one_problem) fmt::print("{}: {}\n", mutant.name, c.said);
  }
  table += fmt::format("of {},,{},{},{},{}\n", mutants, by_one_problem, by_run, by_check, by_tests);
  if (const char* const path = std::getenv("LADDER_SUBTLE_MUTANTS")) std::ofstream(path) << table;
  std::ifstream record(std::filesystem::path(LADDER_SOURCE_DIR) /
                       "tests/ladder/mutants/subtle_mutants.csv");
  const std::string recorded((std::istreambuf_iterator<char>(record)), {});
  EXPECT_EQ(table, recorded) << "if it is right as it is now, record it: "
                                "LADDER_SUBTLE_MUTANTS=tests/ladder/mutants/subtle_mutants.csv "
                                "build/tests/subtle_mutants_test";
  EXPECT_GE(mutants, kFewest);
  EXPECT_GE(by_run, kShareOfRun * mutants);
  EXPECT_EQ(by_tests, mutants);
}

TEST_F(SubtleMutantsTest, TheRungsThemselvesAreRight) {
  std::string said;
  for (const Rung& rung : emulated_rungs()) {
    EXPECT_FALSE(caught_by_run(rung, said)) << label(rung) << ": " << said;
  }
}

}  // namespace
}  // namespace ladder
