// SPDX-License-Identifier: MIT
#include "glassbox/runtime/host_functions.hpp"

#include <map>
#include <mutex>
#include <string>

#include "emulator/run/block/block_runner.hpp"
#include "glassbox/runtime/findings.hpp"
#include "glassbox/runtime/launched_kernel.hpp"

namespace ladder::glassbox {
namespace {

struct Taken {
  std::string name;
  emulator::Place place;
};

struct AllTaken {
  std::mutex mutex;
  std::map<const void*, Taken> by_function;

  static AllTaken& instance() {
    static auto* const all = new AllTaken();  // used until the very end of the process
    return *all;
  }
};

}  // namespace

bool note_taken(const void* function, const char* name, const Here& here) {
  if (emulator::BlockRunner::of_this_cpu_thread() != nullptr) return false;
  AllTaken& all = AllTaken::instance();
  const std::lock_guard lock(all.mutex);
  all.by_function.try_emplace(function, Taken{name[0] == '&' ? name + 1 : name, place_of(here)});
  return true;
}

void require_host(const void* function) {
  emulator::BlockRunner* const runner = emulator::BlockRunner::of_this_cpu_thread();
  if (runner == nullptr) return;
  emulator::Fields fields;
  {
    AllTaken& all = AllTaken::instance();
    const std::lock_guard lock(all.mutex);
    const auto taken = all.by_function.find(function);
    if (taken == all.by_function.end()) {
      fields.set("function", name_of_function(function));
    } else {
      fields.set("function", taken->second.name);
      fields.set("taken_file", taken->second.place.file);
      fields.set("taken_line", taken->second.place.line);
    }
  }
  runner->failures().fail_in_call({emulator::FaultKind::kHostFunctionPointer, std::move(fields)});
}

}  // namespace ladder::glassbox
