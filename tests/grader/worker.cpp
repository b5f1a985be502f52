// SPDX-License-Identifier: MIT
/// \file  tests/grader/worker.cpp
/// \brief The process that runs a student's kernel, and knows nothing of what is right: it gets
///        matrices, runs, and says that it is done. Only the judge starts it (worker_process.cpp).
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/emulator/run/settings.hpp"
#include "common/machine.hpp"
#include "tests/grader/containment.hpp"
#include "tests/grader/graded_run.hpp"
#include "tests/grader/messages.hpp"

namespace ladder::grader {
namespace {

using nlohmann::json;

constexpr std::size_t kUnmappedBytes = std::size_t{1} << 20;

/// Libraries that are loaded late get thread-local storage no better aligned than what the program
/// itself has, and shared memory of kernels wants this much.
[[gnu::used]] alignas(1024) thread_local char aligned_as_shared_memory[1024];

/// A matrix and its guard bands, mapped between pages that nobody may touch.
class MappedMatrix {
 public:
  /// \param  pages  to leave out before it, so that no two calls see the same address
  MappedMatrix(std::size_t offset, std::size_t bytes, std::size_t pages)
      : bytes_(pages * 4096 + bytes + 2 * kUnmappedBytes) {
    region_ = static_cast<char*>(
        mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    if (region_ == MAP_FAILED) throw std::bad_alloc();
    matrix_ = region_ + kUnmappedBytes + pages * 4096;
    if (mmap(matrix_, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, kMatrices,
             static_cast<off_t>(offset)) == MAP_FAILED) {
      munmap(region_, bytes_);
      throw std::bad_alloc();
    }
  }
  ~MappedMatrix() { munmap(region_, bytes_); }
  MappedMatrix(const MappedMatrix&) = delete;
  MappedMatrix& operator=(const MappedMatrix&) = delete;

  template <class T>
  T* data() const {
    return reinterpret_cast<T*>(matrix_ + MachineArray<T>::kGuardBytes);
  }

 private:
  std::size_t bytes_;
  char* region_;
  char* matrix_;
};

std::span<const Rung> table_of(const char* library, const char* function) {
  void* const opened = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) throw std::runtime_error(dlerror());
  void* const found = dlsym(opened, function);
  if (found == nullptr) throw std::runtime_error(dlerror());
  return reinterpret_cast<std::span<const Rung> (*)()>(found)();
}

const Rung& rung_in(std::span<const Rung> table, int number) {
  for (const Rung& rung : table) {
    if (rung.number == number) return rung;
  }
  throw std::runtime_error("the library does not hold rung " + std::to_string(number));
}

struct Libraries {
  const Rung& plain;
  const Rung& traced;
};

template <class T>
json run(const Rung& rung, const json& order) {
  const auto& shape = order.at("shape");
  const auto factor = [&](const char* name) { return order.at(name).get<float>(); };
  const auto matrix = [&](const char* name) {
    const auto& place = order.at(name);
    return MappedMatrix(place.at("offset"), place.at("bytes"), place.at("pages"));
  };
  const MappedMatrix A = matrix("A");
  const MappedMatrix B = matrix("B");
  const MappedMatrix C = matrix("C");
  const Gemm<T> gemm = {shape.at(0),       shape.at(1),       shape.at(2),    factor("alpha"),
                        A.data<const T>(), B.data<const T>(), factor("beta"), C.data<T>()};
  return to_json(run_once(rung, gemm, run_order(order)));
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

/// grader_worker PLAIN TRACED NUMBER OTHER_USER FOLDER...
int work(int argc, char** argv) {
  if (argc < 5) {
    std::fputs("grader_worker is started by grader_judge: python3 -m tests.grader.grade\n", stderr);
    return 2;
  }
  json holds = give_up_rights(std::string(argv[4]) == "yes");
  if (access(argv[1], R_OK) != 0 || access(argv[2], R_OK) != 0) {
    send_message(kSocket, {{"unreadable", true}});
    return 0;
  }
  const std::vector<std::string> folders(argv + 5, argv + argc);
  for (const std::string& held : forbid_all_but_loading(folders))
    holds.push_back(held);
  emulator::set_cpu_threads(1);
  emulator::set_hang_limit(emulator::Seconds(2));
  const int number = std::atoi(argv[3]);
  const Libraries libraries = {rung_in(table_of(argv[1], "_ZN6ladder14emulated_rungsEv"), number),
                               rung_in(table_of(argv[2], "_ZN6ladder12traced_rungsEv"), number)};
  forbid_all_but_running();
  send_message(kSocket, {{"holds", holds}});
  while (true)
    send_message(kSocket, answer(libraries, receive_message(kSocket)));
}

}  // namespace
}  // namespace ladder::grader

int main(int argc, char** argv) {
  try {
    return ladder::grader::work(argc, argv);
  } catch (const std::exception& error) {
    try {
      ladder::grader::send_message(ladder::grader::kSocket, {{"broken", error.what()}});
    } catch (const std::exception&) {
      // The judge has closed the socket: the grade is done.
    }
    _exit(0);
  }
}
