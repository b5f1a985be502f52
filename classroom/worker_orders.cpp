// SPDX-License-Identifier: MIT
#include "classroom/worker_orders.hpp"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <stdexcept>

#include "classroom/messages.hpp"

namespace ladder::grader {
namespace {

constexpr std::size_t kUnmappedBytes = std::size_t{1} << 20;

/// Libraries that are loaded late get thread-local storage no better aligned than what the program
/// itself has, and shared memory of kernels wants this much.
[[gnu::used]] alignas(1024) thread_local char aligned_as_shared_memory[1024];

}  // namespace

MatrixPlace::MatrixPlace(const nlohmann::json& place)
    : bytes_(place.at("bytes")), offset_(place.at("offset")) {
  const std::size_t left_out = place.at("pages").get<std::size_t>() * 4096;
  region_bytes_ = left_out + bytes_ + 2 * kUnmappedBytes;
  region_ = static_cast<char*>(
      mmap(nullptr, region_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  if (region_ == MAP_FAILED) throw std::bad_alloc();
  matrix_ = region_ + kUnmappedBytes + left_out;
}

MatrixPlace::~MatrixPlace() {
  munmap(region_, region_bytes_);
}

void MatrixPlace::map() {
  if (mmap(matrix_, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, kMatrices, offset_) ==
      MAP_FAILED) {
    throw std::bad_alloc();
  }
}

void MatrixPlace::unmap() {
  if (mmap(matrix_, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
           0) == MAP_FAILED) {
    throw std::bad_alloc();
  }
}

void* loaded(const char* library) {
  void* const opened = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) throw std::runtime_error(dlerror());
  return opened;
}

std::span<const Rung> table_of(void* library, const char* function) {
  void* const found = dlsym(library, function);
  if (found == nullptr) throw std::runtime_error(dlerror());
  return reinterpret_cast<std::span<const Rung> (*)()>(found)();
}

const Rung& rung_of(std::span<const Rung> rungs, int number) {
  const auto found = std::ranges::find(rungs, number, &Rung::number);
  if (found != rungs.end()) return *found;
  throw std::runtime_error("the library does not hold rung " + std::to_string(number));
}

RunReport run_when_told(const std::function<RunReport()>& run) {
  send_message(kSocket, {{"ready", true}});
  receive_message(kSocket);
  RunReport report = run();
  send_message(kSocket, {{"done", true}});
  return report;
}

int worker_main(int argc, char** argv, const std::function<void(const WorkerWords&)>& work) {
  if (argc < 4) {
    std::fprintf(stderr, "%s is started by grader_judge: python3 -m classroom.grade\n", argv[0]);
    return 2;
  }
  const WorkerWords words = {.number = std::atoi(argv[1]),
                             .other_user = std::string(argv[2]) == "yes",
                             .library = argv[3],
                             .folders = {argv + 4, argv + argc}};
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
