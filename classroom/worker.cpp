// SPDX-License-Identifier: MIT
/// \file  classroom/worker.cpp
/// \brief The process that has a student's kernel run on the emulator, and knows nothing of what is
///        right: it gets matrices, and for each call starts a host process and a device process.
///        It runs no code of the student's itself. Only the judge starts it (worker_process.cpp).
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "classroom/containment.hpp"
#include "classroom/device_process.hpp"
#include "classroom/host_process.hpp"
#include "classroom/messages.hpp"
#include "classroom/private_view.hpp"
#include "classroom/processes.hpp"
#include "emulator/run/settings.hpp"
#include "emulator/run/workspace.hpp"

namespace ladder::grader {
namespace {

using nlohmann::json;

bool is_done(int status) {
  return WIFEXITED(status) && WEXITSTATUS(status) == kDone;
}

/// The library that a worker has loaded.
struct Opened {
  GradedLibrary library;
  const void* code;  ///< an address in it
};

/// The rungs of this build are no student's, and tell only their table.
Opened opened(const char* file) {
  void* const handle = loaded(file);
  if (void* const tells = dlsym(handle, "ladder_graded_library"); tells != nullptr) {
    GradedLibrary library;
    reinterpret_cast<void (*)(GradedLibrary*)>(tells)(&library);
    return {library, tells};
  }
  const char* name = "_ZN6ladder12traced_rungsEv";
  if (dlsym(handle, name) == nullptr) name = "_ZN6ladder14emulated_rungsEv";
  return {{table_of(handle, name), {}, nullptr}, dlsym(handle, name)};
}

class Worker {
 public:
  Worker(const Opened& opened, int number)
      : library_(opened.library), code_(opened.code), rung_(rung_of(library_.rungs, number)) {}

  void answer(const json& order) const {
    emulator::set_multiprocessors(order.at("sms"));
    if (order.at("do") == "plans") {
      plan(order);
    } else {
      run(order);
    }
  }

 private:
  void run(const json& order) const {
    MatrixPlace A(order.at("A"));
    MatrixPlace B(order.at("B"));
    MatrixPlace C(order.at("C"));
    pid_t host = 0;
    pid_t device = 0;
    {
      const Pipe launches;
      const Pipe answers;
      device = started({{kSocket, kSocket},
                        {kMatrices, kMatrices},
                        {launches.reads(), kLaunches},
                        {answers.writes(), kAnswers}},
                       [&] {
                         run_device_process(rung_, library_, order, {&A, &B, &C}, code_);
                       });
      host = started({{launches.writes(), kToDevice}, {answers.reads(), kFromDevice}}, [&] {
        run_host_process(rung_, library_, order, {&A, &B, &C});
      });
    }
    const int of_device = status_of(device);
    const int of_host = status_of(host);
    if (is_done(of_device)) return;  // it has told the judge everything
    const bool is_of_host = WIFEXITED(of_device) && WEXITSTATUS(of_device) == kHostIsGone;
    send_message(kSocket, {{"ended", is_of_host ? of_host : of_device}});
  }

  void plan(const json& order) const {
    Pipe answer;
    const pid_t host = started({{answer.writes(), kToDevice}},
                               [&] { run_planning_process(rung_, library_, order); });
    answer.close_writes();
    json plans;
    try {
      plans = receive_message(answer.reads());
    } catch (const BrokenMessage&) {
      // It has ended before, and that is told.
    }
    const int of_host = status_of(host);
    send_message(kSocket, is_done(of_host) ? plans : json{{"ended", of_host}});
  }

  GradedLibrary library_;
  const void* code_;
  const Rung& rung_;
};

/// \return what holds: nothing but the folders exists for this process, where the machine lets it
std::vector<std::string> leave_machine(const WorkerWords& words) {
  constexpr std::size_t kTemporaryBytes = std::size_t{1} << 20;
  const bool is_root = geteuid() == 0;
  if (!separate_from_machine(ProcessIds::of_machine)) return {};
  std::vector<std::string> holds = {"network"};
  if (!is_root) holds.emplace_back("user");
  if (see_only({.read = words.folders, .write = {}, .temporary_bytes = kTemporaryBytes}))
    holds.emplace_back("view");
  return holds;
}

void work(const WorkerWords& words) {
  const std::vector<std::string> left = leave_machine(words);
  std::vector<std::string> holds = give_up_rights(words.other_user, RunsOn::emulator);
  for (const std::string& held : left) {
    if (std::ranges::find(holds, held) == holds.end()) holds.push_back(held);
  }
  if (access(words.library, R_OK) != 0) {
    send_message(kSocket, {{"unreadable", true}});
    return;
  }
  for (const std::string& held : forbid_all_but_loading(words.folders, RunsOn::emulator))
    holds.push_back(held);
  emulator::set_cpu_threads(1);
  emulator::set_hang_limit(emulator::Seconds(2));
  emulator::whole_workspace();  // at the same address in all processes
  const Worker worker(opened(words.library), words.number);
  send_message(kSocket, {{"holds", holds}});
  while (true)
    worker.answer(receive_message(kSocket));
}

}  // namespace
}  // namespace ladder::grader

int main(int argc, char** argv) {
  return ladder::grader::worker_main(argc, argv, ladder::grader::work);
}
