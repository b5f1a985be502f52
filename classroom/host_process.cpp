// SPDX-License-Identifier: MIT
#include "classroom/host_process.hpp"

#include <cxxabi.h>
#include <execinfo.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "classroom/graded_run.hpp"
#include "classroom/messages.hpp"
#include "classroom/processes.hpp"
#include "emulator/run/grid_runner.hpp"
#include "emulator/run/settings.hpp"
#include "emulator/run/workspace.hpp"

namespace ladder::grader {
namespace {

using nlohmann::json;

/// For the handler of an access that leads nowhere.
constexpr std::size_t kHandlerStackBytes = std::size_t{256} << 10;

/// Of what an exception says: nobody reads more.
constexpr std::size_t kMostTextBytes = 4000;

/// A launch that failed in the device process, which knows why.
class LaunchFailed : public std::runtime_error {
 public:
  LaunchFailed() : std::runtime_error("the kernel was stopped") {}
};

json extents_of(const dim3& extents) {
  return {extents.x, extents.y, extents.z};
}

/// Sends launches to the device process.
class Sender final : public emulator::LaunchReceiver {
 public:
  void receive(const emulator::GridLaunch& launch,
               const emulator::ThreadProgram& program) override {
    if (program.argument_bytes == 0) {
      throw std::invalid_argument(
          "a parameter of the kernel cannot be copied byte by byte, as a launch does: hand over "
          "numbers, pointers, and structs of such");
    }
    const auto* const bytes = static_cast<const std::uint8_t*>(program.arguments);
    send_message(kToDevice,
                 {{"do", "launch"},
                  {"grid", extents_of(launch.grid)},
                  {"block", extents_of(launch.block)},
                  {"cluster", extents_of(launch.cluster)},
                  {"dynamic_shared_bytes", launch.dynamic_shared_bytes},
                  {"cooperative", launch.cooperative},
                  {"kernel", reinterpret_cast<std::uintptr_t>(launch.kernel)},
                  {"run", reinterpret_cast<std::uintptr_t>(program.run)},
                  {"dynamic_shared", reinterpret_cast<std::uintptr_t>(program.dynamic_shared)},
                  {"arguments", std::vector(bytes, bytes + program.argument_bytes)}});
    if (!receive_message(kFromDevice).value("ran", false)) throw LaunchFailed();
  }
};

// -- The host's code touches a matrix -------------------------------------------------------------

struct Place {
  const char* name;
  const char* begin;
  const char* end;
};

std::array<Place, 4> places;  ///< A, B, C and the workspace

/// Addresses in the functions that the host is in, innermost first.
std::vector<std::uintptr_t> calls_at(const void* context) {
  std::array<void*, 32> frames;
  const int count = backtrace(frames.data(), static_cast<int>(frames.size()));
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
  std::vector calls = {static_cast<std::uintptr_t>(registers[REG_RIP])};
  for (int i = 0; i < count; ++i)
    calls.push_back(reinterpret_cast<std::uintptr_t>(frames[static_cast<std::size_t>(i)]) - 1);
  return calls;
}

/// Says what was touched and where; the device process knows the line.
void tell_access(int signal, siginfo_t* info, void* context) {
  const auto* const address = static_cast<const char*>(info->si_addr);
  for (const Place& place : places) {
    if (address < place.begin || address >= place.end) continue;
    send_message(kToDevice,
                 {{"do", "end"}, {"touched", place.name}, {"instructions", calls_at(context)}});
    _exit(0);
  }
  struct sigaction usual = {};
  usual.sa_handler = SIG_DFL;
  sigaction(signal, &usual, nullptr);  // the access happens again on return
}

void watch_accesses() {
  static std::array<char, kHandlerStackBytes> stack;
  const stack_t other = {.ss_sp = stack.data(), .ss_flags = 0, .ss_size = stack.size()};
  sigaltstack(&other, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = tell_access;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, nullptr);
}

void hide_workspace() {
  const std::span<std::byte> all = emulator::whole_workspace();
  mprotect(all.data(), all.size(), PROT_NONE);
  const auto* const begin = reinterpret_cast<const char*>(all.data());
  places[3] = {"workspace", begin, begin + all.size()};
}

// -- A call ---------------------------------------------------------------------------------------

json ended(const char* how, const char* message = "") {
  const std::string beginning(message, strnlen(message, kMostTextBytes));
  return {{"do", "end"}, {"how", how}, {"message", beginning}};
}

/// {do: "end", how: "returned" or an outcome, message}
template <class Call>
json end_of(const GradedLibrary& library, const Call& call) {
  try {
    for (const Initialiser initialise : library.initialisers)
      initialise();
    call();
    return ended("returned");
  } catch (const ShapeRefused& refusal) {
    return ended("refused", refusal.what());
  } catch (const std::exception& error) {
    return ended("failed", meaning_of(error).c_str());
  } catch (const abi::__forced_unwind&) {  // which nobody may catch for good
    send_message(kToDevice, ended("failed", "run() ended its thread; it ends by returning"));
    _exit(kDone);
  } catch (...) {
    return ended("failed", "run() threw something that is no std::exception");
  }
}

template <class T>
void run(const Rung& rung, const json& order, const std::array<const MatrixPlace*, 3>& matrices) {
  const auto gemm =
      gemm_of<T>(order, {matrices[0]->guarded(), matrices[1]->guarded(), matrices[2]->guarded()});
  const int configuration = order.value("configuration", -1);
  const Run call =
      configuration < 0
          ? rung.run
          : rung.plans({gemm.M, gemm.N, gemm.K}).at(static_cast<std::size_t>(configuration)).launch;
  call(gemm, nullptr);
}

}  // namespace

void run_host_process(const Rung& rung, const GradedLibrary& library, const json& order,
                      const std::array<const MatrixPlace*, 3>& matrices) {
  constexpr std::array kNames = {"A", "B", "C"};
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    const std::span<const char> region = matrices[i]->region();
    places[i] = {kNames[i], region.data(), region.data() + region.size()};
  }
  hide_workspace();
  watch_accesses();
  Sender sender;
  emulator::set_launch_receiver(&sender);
  send_message(kToDevice, end_of(library, [&] {
                 with_element_of(rung.precision.stored,
                                 [&]<class T>(T) { run<T>(rung, order, matrices); });
               }));
}

void run_planning_process(const Rung& rung, const GradedLibrary& library, const json& order) {
  json plans = json::array();
  json end = end_of(library, [&] {
    if (rung.plans == nullptr) return;
    const auto& shape = order.at("shape");
    for (const WorkPlan& plan : rung.plans({shape.at(0), shape.at(1), shape.at(2)})) {
      plans.push_back({{"name", plan.name},
                       {"tile", {plan.tile.BM, plan.tile.BN}},
                       {"BK", plan.BK},
                       {"ranks", plan.ranks}});
    }
  });
  end["plans"] = plans;
  send_message(kToDevice, end);
}

}  // namespace ladder::grader
