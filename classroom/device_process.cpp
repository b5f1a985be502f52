// SPDX-License-Identifier: MIT
#include "classroom/device_process.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>

#include "classroom/messages.hpp"
#include "classroom/processes.hpp"
#include "emulator/run/debug_info/shared_object.hpp"
#include "emulator/run/debug_info/source_lines.hpp"
#include "emulator/run/kernel_error.hpp"
#include "emulator/run/launch.hpp"
#include "emulator/run/own_files.hpp"
#include "emulator/run/workspace.hpp"

namespace ladder::grader {
namespace {

using nlohmann::json;

/// Of all parameters of a kernel, and of the lambda around them.
constexpr std::size_t kMostArgumentBytes = 32768;
constexpr std::align_val_t kArgumentAlignment{128};

struct FreeArguments {
  void operator()(void* memory) const { ::operator delete(memory, kArgumentAlignment); }
};

dim3 extents(const json& order, const char* name) {
  const auto& all = order.at(name);
  return dim3(all.at(0), all.at(1), all.at(2));
}

/// The workspace is in the memory that the judge shares with device processes alone.
void map_workspace(const json& order) {
  const std::span<std::byte> all = emulator::whole_workspace();
  void* const mapped = mmap(all.data(), all.size(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                            kMatrices, order.at("workspace").get<off_t>());
  if (mapped == MAP_FAILED) throw std::bad_alloc();
}

/// Runs launches of the host process, one after the other.
class Device {
 public:
  Device(const GradedLibrary& library, const void* code) : library_(library), code_(code) {}

  /// \return when run() has returned in the host process
  /// \throws what it has thrown, or what a grid has failed with
  void serve() {
    try {
      json order = next();
      for (; order.at("do") == "launch"; order = next())
        answer(runs(order));
      if (failure_) std::rethrow_exception(failure_);
      end(order);
    } catch (const json::exception& error) {
      send_message(kSocket, {{"broken", error.what()}});
      _exit(kDone);
    }
  }

 private:
  /// Without the host process, nobody knows how the call ended but the worker.
  static json next() {
    try {
      return receive_message(kLaunches);
    } catch (const BrokenMessage&) {
      _exit(kHostIsGone);
    }
  }

  static void answer(bool ran) {
    try {
      send_message(kAnswers, {{"ran", ran}});
    } catch (const BrokenMessage&) {
      _exit(kHostIsGone);
    }
  }

  bool runs(const json& order) {
    try {
      run(order);
      return true;
    } catch (...) {
      if (!failure_) failure_ = std::current_exception();
      return false;
    }
  }

  void run(const json& order) const {
    const auto run = order.at("run").get<std::uintptr_t>();
    const auto kernel = order.at("kernel").get<std::uintptr_t>();
    if (!code_.contains(run) || !code_.contains(kernel)) {
      throw std::runtime_error("the launch names no kernel of this library");
    }
    const auto bytes = order.at("arguments").get<std::vector<std::uint8_t>>();
    if (bytes.size() > kMostArgumentBytes) {
      throw std::runtime_error("the arguments of the launch are too long");
    }
    const std::unique_ptr<void, FreeArguments> arguments(
        ::operator new(bytes.size() + 1, kArgumentAlignment));
    std::memcpy(arguments.get(), bytes.data(), bytes.size());
    emulator::run_program({.grid = extents(order, "grid"),
                           .block = extents(order, "block"),
                           .dynamic_shared_bytes = order.at("dynamic_shared_bytes"),
                           .cluster = extents(order, "cluster"),
                           .cooperative = order.at("cooperative"),
                           .kernel = reinterpret_cast<const void*>(kernel)},
                          {.run = reinterpret_cast<void (*)(const void*)>(run),
                           .arguments = arguments.get(),
                           .dynamic_shared = dynamic_shared(order)});
  }

  /// A student's library has told it; the rungs of this build say it themselves.
  auto dynamic_shared(const json& order) const -> unsigned char* (*)() {
    if (library_.dynamic_shared != nullptr) return library_.dynamic_shared;
    return reinterpret_cast<unsigned char* (*)()>(order.at("dynamic_shared").get<std::uintptr_t>());
  }

  void end(const json& order) const {
    if (order.contains("touched")) {
      auto calls = order.at("instructions").get<std::vector<std::uintptr_t>>();
      std::erase_if(calls, [&](std::uintptr_t call) { return !code_.contains(call); });
      const emulator::SourceLine line =
          calls.empty() ? emulator::SourceLine() : emulator::source_line_of(calls);
      const std::size_t above = emulator::root_of(line.file).size();
      throw HostAccess(order.at("touched"), {line.file.substr(above), line.line});
    }
    const std::string how = order.at("how");
    const std::string message = order.at("message");
    if (how == "refused") throw ShapeRefused(message);
    if (how != "returned") throw std::runtime_error(message);
  }

  GradedLibrary library_;
  emulator::CodeRanges code_;
  std::exception_ptr failure_;
};

}  // namespace

void run_device_process(const Rung& rung, const GradedLibrary& library, const json& order,
                        const std::array<MatrixPlace*, 3>& matrices, const void* code) {
  for (MatrixPlace* const matrix : matrices)
    matrix->map();
  map_workspace(order);
  close(kMatrices);
  Device device(library, code);
  const RunReport report = with_element_of(rung.precision.stored, [&]<class T>(T) {
    const auto gemm =
        gemm_of<T>(order, {matrices[0]->guarded(), matrices[1]->guarded(), matrices[2]->guarded()});
    return run_when_told([&] { return run_once([&] { device.serve(); }, gemm, run_order(order)); });
  });
  send_message(kSocket, to_json(report));
}

}  // namespace ladder::grader
