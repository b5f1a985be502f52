// SPDX-License-Identifier: MIT
#include "common/findings/source_error.hpp"

#include <array>
#include <utility>

#include "emulator/run/sentence.hpp"

namespace ladder {
namespace {

using Names = std::pair<std::string_view, std::string_view>;  // code, title

constexpr std::array<Names, kSourceErrorKinds> kNames = {
    Names{"compiler-error", "The compiler refuses the program"},
    Names{"linker-error", "The linker refuses the program"},
    Names{"missing-library", "The program needs a library that the glass box does not have"},
    Names{"missing-word", "The program needs a word of CUDA that the glass box does not have"},
    Names{"not-emulated", "The program needs what the emulator does not have"},
    Names{"launch-syntax", "A launch is not kernel<<<grid, block>>>(arguments)"},
    Names{"unreadable-source", "A file of the program cannot be read"},
    Names{"host-function-in-device-code", "Device code calls a function of the host"},
    Names{"host-variable-in-device-code", "Device code uses a variable of the host"},
    Names{"device-function-in-host-code", "Host code calls a function of the device"},
    Names{"kernel-returns-a-value", "A kernel returns a value"},
    Names{"refused-by-nvcc", "nvcc refuses the program"},
    Names{"nvcc-option-needed", "nvcc compiles the program with an option alone"},
    Names{"host-side-of-a-function", "A function of both sides takes the host's"}};

}  // namespace

std::string_view code_of(SourceErrorKind kind) {
  return kNames[static_cast<std::size_t>(kind)].first;
}

std::string_view title_of(SourceErrorKind kind) {
  return kNames[static_cast<std::size_t>(kind)].second;
}

bool is_lack(SourceErrorKind kind) {
  return kind == SourceErrorKind::kMissingLibrary || kind == SourceErrorKind::kMissingWord ||
         kind == SourceErrorKind::kNotEmulated;
}

bool is_note(SourceErrorKind kind) {
  return kind == SourceErrorKind::kNvccOption || kind == SourceErrorKind::kOneSide;
}

std::string text_of(const SourceError& error) {
  const auto name = [&] { return error.fields.word("name"); };
  switch (error.kind) {
    case SourceErrorKind::kHostCall:
      return emulator::sentence("device code calls " + name() +
                                ", which is a function of the host: nvcc refuses that; declare it "
                                "with __device__ if it is yours");
    case SourceErrorKind::kHostVariable:
      return emulator::sentence("device code uses " + name() +
                                ", which is a variable of the host: nvcc refuses that; pass its "
                                "value to the kernel, or declare it with __device__, __constant__ "
                                "or __managed__");
    case SourceErrorKind::kDeviceCall:
      return emulator::sentence("host code calls " + name() +
                                ", which is a function of the device alone: nvcc refuses that; "
                                "declare it with __host__ __device__ if it is yours");
    case SourceErrorKind::kKernelReturns:
      return emulator::sentence("a kernel returns void: nvcc refuses any other type");
    case SourceErrorKind::kNvccRefuses:
      return emulator::sentence(
          (error.fields.has("compiler") ? error.fields.word("compiler") : "nvcc") +
          " refuses this: " + error.fields.word("text"));
    case SourceErrorKind::kNvccOption:
      return emulator::sentence("nvcc compiles this with the option " +
                                error.fields.word("option") + " alone");
    case SourceErrorKind::kOneSide: {
      const std::string reason = error.fields.word("reason");
      return emulator::sentence(
          reason == "constant"
              ? "in constant expressions this function takes the host's side here, where "
                "__CUDA_ARCH__ is not defined; in a kernel nvcc takes the device's"
              : "in kernels, too, this function takes the host's side here, where __CUDA_ARCH__ is "
                "not defined, because " +
                    std::string(reason == "goto" ? "it has a goto"
                                                 : "an #if begins or ends within its braces") +
                    ": write two functions, or move that part into one of its own");
    }
    case SourceErrorKind::kLaunchSyntax:
      return emulator::sentence("this launch is not kernel<<<grid, block>>>(arguments)");
    case SourceErrorKind::kUnreadable:
      return emulator::sentence("cannot read " + error.fields.word("file") + ": " +
                                error.fields.word("reason"));
    default:
      return error.fields.word("text");
  }
}

}  // namespace ladder
