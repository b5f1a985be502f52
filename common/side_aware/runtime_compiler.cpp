// SPDX-License-Identifier: MIT
/// \file  common/side_aware/runtime_compiler.cpp
#include "common/side_aware/runtime_compiler.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <memory>

#include "common/side_aware/error.hpp"

namespace ladder::side_aware {
namespace {

/// $LADDER_NVRTC, what the loader finds, or the toolkit that the build had.
void* open_library() {
  if (const char* const path = std::getenv("LADDER_NVRTC"); path != nullptr) {
    if (void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL)) return library;
    throw SideAwareError(std::string("LADDER_NVRTC names ") + path +
                         ", which cannot be loaded: " + dlerror());
  }
  for (const std::string& folder : {std::string(), std::string(LADDER_TOOLKIT_LIBRARIES) + "/",
                                    std::string("/usr/local/cuda/lib64/")}) {
    for (const char* const name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}) {
      if (void* const library = dlopen((folder + name).c_str(), RTLD_NOW | RTLD_LOCAL))
        return library;
    }
  }
  throw SideAwareError(
      "Kernels are compiled at run time by NVRTC, and libnvrtc.so is not there. It is part of the "
      "CUDA Toolkit, and of the Python package nvidia-cuda-nvrtc: set LADDER_NVRTC to its path");
}

/// The calls of NVRTC that are needed, in the types of its header, which not every toolkit that
/// builds this has.
struct Nvrtc {
  using Result = int;     // nvrtcResult; 0 is success
  using Program = void*;  // nvrtcProgram

  Nvrtc() : library(open_library()) {}

  template <class Function>
  Function* find(const char* name) const {
    void* const found = dlsym(library, name);
    if (found == nullptr)
      throw SideAwareError(std::string("NVRTC has no ") + name + ": use that of CUDA 12 or newer");
    return reinterpret_cast<Function*>(found);
  }

  void* library;
  const char* (*error_string)(Result) = find<const char*(Result)>("nvrtcGetErrorString");
  Result (*version)(int*, int*) = find<Result(int*, int*)>("nvrtcVersion");
  Result (*create)(Program*, const char*, const char*, int, const char* const*,
                   const char* const*) =
      find<Result(Program*, const char*, const char*, int, const char* const*, const char* const*)>(
          "nvrtcCreateProgram");
  Result (*destroy)(Program*) = find<Result(Program*)>("nvrtcDestroyProgram");
  Result (*compile)(Program, int, const char* const*) =
      find<Result(Program, int, const char* const*)>("nvrtcCompileProgram");
  Result (*log_size)(Program,
                     std::size_t*) = find<Result(Program, std::size_t*)>("nvrtcGetProgramLogSize");
  Result (*log)(Program, char*) = find<Result(Program, char*)>("nvrtcGetProgramLog");
  Result (*code_size)(Program,
                      std::size_t*) = find<Result(Program, std::size_t*)>("nvrtcGetCUBINSize");
  Result (*code)(Program, char*) = find<Result(Program, char*)>("nvrtcGetCUBIN");

  void check(Result result) const {
    if (result != 0) throw SideAwareError(std::string("NVRTC: ") + error_string(result));
  }
};

const Nvrtc& nvrtc() {
  static const Nvrtc loaded;
  return loaded;
}

std::string messages_of(Nvrtc::Program program) {
  std::size_t size = 0;
  nvrtc().check(nvrtc().log_size(program, &size));
  std::string text(size, '\0');
  nvrtc().check(nvrtc().log(program, text.data()));
  return text.c_str();
}

}  // namespace

std::string compiler_name() {
  int major = 0;
  int minor = 0;
  nvrtc().check(nvrtc().version(&major, &minor));
  return "NVRTC " + std::to_string(major) + "." + std::to_string(minor);
}

std::vector<char> compile(const std::string& source, const std::string& name,
                          int compute_capability) {
  std::vector<const char*> texts = {"// The run-time compiler knows CUDA's words.\n"};
  std::vector<const char*> names = {"common/device.cuh"};
  for (const SourceText& shipped : shipped_sources()) {
    texts.push_back(shipped.text.c_str());
    names.push_back(shipped.name.c_str());
  }
  Nvrtc::Program program = nullptr;
  nvrtc().check(nvrtc().create(&program, source.c_str(), name.c_str(),
                               static_cast<int>(names.size()), texts.data(), names.data()));
  const auto destroy = [](Nvrtc::Program* own) { nvrtc().destroy(own); };
  const std::unique_ptr<Nvrtc::Program, decltype(destroy)> owner(&program, destroy);
  const std::string architecture = "--gpu-architecture=sm_" + std::to_string(compute_capability);
  // Functions without __device__ are for the GPU as well; the host compiles some of them, too.
  const char* const options[] = {architecture.c_str(), "--std=c++20",
                                 "--device-as-default-execution-space"};
  if (nvrtc().compile(program, 3, options) != 0)
    throw SideAwareError(name + " does not compile:\n" + messages_of(program));
  std::size_t size = 0;
  nvrtc().check(nvrtc().code_size(program, &size));
  std::vector<char> code(size);
  nvrtc().check(nvrtc().code(program, code.data()));
  return code;
}

}  // namespace ladder::side_aware
