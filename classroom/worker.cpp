// SPDX-License-Identifier: MIT
/// \file  classroom/worker.cpp
/// \brief The process that runs a student's kernel on the emulator, and knows nothing of what is
///        right: it gets matrices, runs, and says that it is done. Only the judge starts it
///        (worker_process.cpp).
#include <unistd.h>

#include <array>

#include "classroom/containment.hpp"
#include "classroom/graded_run.hpp"
#include "classroom/messages.hpp"
#include "classroom/worker_orders.hpp"
#include "emulator/run/settings.hpp"

namespace ladder::grader {
namespace {

using nlohmann::json;

struct Libraries {
  const Rung& plain;
  const Rung& traced;
};

template <class T>
json run(const Rung& rung, const json& order) {
  const MappedMatrix A(order.at("A"));
  const MappedMatrix B(order.at("B"));
  const MappedMatrix C(order.at("C"));
  const auto gemm = gemm_of<T>(order, {A.guarded(), B.guarded(), C.guarded()});
  return to_json(run_when_told([&] { return run_once(rung, gemm, run_order(order)); }));
}

json plans_of(const Rung& rung, const json& order) {
  const auto& shape = order.at("shape");
  emulator::set_multiprocessors(order.at("sms"));
  json plans = json::array();
  if (rung.plans != nullptr) {
    for (const WorkPlan& plan : rung.plans({shape.at(0), shape.at(1), shape.at(2)})) {
      plans.push_back({{"name", plan.name},
                       {"tile", {plan.tile.BM, plan.tile.BN}},
                       {"BK", plan.BK},
                       {"ranks", plan.ranks}});
    }
  }
  return {{"plans", plans}};
}

json answer(const Libraries& libraries, const json& order) {
  const Rung& rung = order.value("traced", true) ? libraries.traced : libraries.plain;
  if (order.at("do") == "plans") return plans_of(rung, order);
  return with_element_of(rung.precision.stored, [&]<class T>(T) { return run<T>(rung, order); });
}

void work(const WorkerWords& words) {
  json holds = give_up_rights(words.other_user, RunsOn::emulator);
  const char* const plain = words.libraries[0];
  const char* const traced = words.libraries[1];
  if (access(plain, R_OK) != 0 || access(traced, R_OK) != 0) {
    send_message(kSocket, {{"unreadable", true}});
    return;
  }
  for (const std::string& held : forbid_all_but_loading(words.folders, RunsOn::emulator))
    holds.push_back(held);
  emulator::set_cpu_threads(1);
  emulator::set_hang_limit(emulator::Seconds(2));
  const Libraries libraries = {rung_of_library(plain, "_ZN6ladder14emulated_rungsEv", words.number),
                               rung_of_library(traced, "_ZN6ladder12traced_rungsEv", words.number)};
  forbid_all_but_running();
  send_message(kSocket, {{"holds", holds}});
  while (true)
    send_message(kSocket, answer(libraries, receive_message(kSocket)));
}

}  // namespace
}  // namespace ladder::grader

int main(int argc, char** argv) {
  return ladder::grader::worker_main(argc, argv, 2, ladder::grader::work);
}
