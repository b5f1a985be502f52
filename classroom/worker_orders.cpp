// SPDX-License-Identifier: MIT
#include "classroom/worker_orders.hpp"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <span>
#include <stdexcept>

#include "classroom/messages.hpp"

namespace ladder::grader {
namespace {

constexpr std::size_t kUnmappedBytes = std::size_t{1} << 20;

/// Libraries that are loaded late get thread-local storage no better aligned than what the program
/// itself has, and shared memory of kernels wants this much.
[[gnu::used]] alignas(1024) thread_local char aligned_as_shared_memory[1024];

}  // namespace

MappedMatrix::MappedMatrix(const nlohmann::json& place) : bytes_(place.at("bytes")) {
  const std::size_t left_out = place.at("pages").get<std::size_t>() * 4096;
  region_bytes_ = left_out + bytes_ + 2 * kUnmappedBytes;
  region_ = static_cast<char*>(
      mmap(nullptr, region_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  if (region_ == MAP_FAILED) throw std::bad_alloc();
  matrix_ = region_ + kUnmappedBytes + left_out;
  if (mmap(matrix_, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, kMatrices,
           place.at("offset").get<off_t>()) == MAP_FAILED) {
    munmap(region_, region_bytes_);
    throw std::bad_alloc();
  }
}

MappedMatrix::~MappedMatrix() {
  munmap(region_, region_bytes_);
}

const Rung& rung_of_library(const char* library, const char* function, int number) {
  void* const opened = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) throw std::runtime_error(dlerror());
  void* const found = dlsym(opened, function);
  if (found == nullptr) throw std::runtime_error(dlerror());
  for (const Rung& rung : reinterpret_cast<std::span<const Rung> (*)()>(found)()) {
    if (rung.number == number) return rung;
  }
  throw std::runtime_error("the library does not hold rung " + std::to_string(number));
}

RunReport run_when_told(const std::function<RunReport()>& run) {
  send_message(kSocket, {{"ready", true}});
  receive_message(kSocket);
  RunReport report = run();
  send_message(kSocket, {{"done", true}});
  return report;
}

int worker_main(int argc, char** argv, int libraries,
                const std::function<void(const WorkerWords&)>& work) {
  if (argc < 3 + libraries) {
    std::fprintf(stderr, "%s is started by grader_judge: python3 -m classroom.grade\n", argv[0]);
    return 2;
  }
  const WorkerWords words = {.number = std::atoi(argv[1]),
                             .other_user = std::string(argv[2]) == "yes",
                             .libraries = {argv + 3, argv + 3 + libraries},
                             .folders = {argv + 3 + libraries, argv + argc}};
  try {
    work(words);
    return 0;
  } catch (const std::exception& error) {
    try {
      send_message(kSocket, {{"broken", error.what()}});
    } catch (const std::exception&) {
      // The judge has closed the socket: the grade is done.
    }
    _exit(0);
  }
}

}  // namespace ladder::grader
