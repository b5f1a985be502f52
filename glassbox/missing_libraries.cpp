// SPDX-License-Identifier: MIT
#include "glassbox/missing_libraries.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <string_view>

#include "common/findings/source_error.hpp"
#include "emulator/run/own_files.hpp"

namespace ladder::glassbox {
namespace {

struct MissingLibrary {
  std::string_view header;        ///< how the names of its headers begin
  std::string_view library;       ///< how NAME begins in -lNAME; empty: it has headers alone
  std::string_view advice;        ///< its name, and what to do
  bool may_be_installed = false;  ///< on any machine: then it is simply used
};

constexpr std::array kMissing = {
    MissingLibrary{"thrust/", "", "Thrust: write the loop on the host, or a kernel of your own"},
    MissingLibrary{"cub/", "",
                   "CUB: write the block's reduction or scan with shared memory and shuffles"},
    MissingLibrary{"curand", "curand",
                   "cuRAND: fill the array on the host with <random> and copy it"},
    MissingLibrary{"cublas.h", "", "cublas.h of CUDA 5 and before: include cublas_v2.h"},
    MissingLibrary{"cublasXt", "", "cuBLASXt: multiply with cublasSgemm"},
    MissingLibrary{"cufft", "cufft",
                   "cuFFT: leave that part out, between #ifndef __GLASSBOX__ and #endif"},
    MissingLibrary{"cusparse", "cusparse",
                   "cuSPARSE: leave that part out, between #ifndef __GLASSBOX__ and #endif"},
    MissingLibrary{"cusolver", "cusolver",
                   "cuSOLVER: leave that part out, between #ifndef __GLASSBOX__ and #endif"},
    MissingLibrary{"cutlass/", "",
                   "CUTLASS: leave that part out, between #ifndef __GLASSBOX__ and #endif"},
    MissingLibrary{"cute/", "",
                   "CuTe: leave that part out, between #ifndef __GLASSBOX__ and #endif"},
    MissingLibrary{"nvrtc", "nvrtc", "NVRTC: compile the kernel with the program"},
    MissingLibrary{"nvtx3/", "",
                   "NVTX: leave the ranges out, between #ifndef __GLASSBOX__ and #endif"},
    MissingLibrary{"nvToolsExt", "nvToolsExt",
                   "NVTX: leave the ranges out, between #ifndef __GLASSBOX__ and #endif"},
    MissingLibrary{"nccl", "nccl", "NCCL: it has one GPU"},
    MissingLibrary{"mpi.h", "", "MPI: it runs one process"},
    MissingLibrary{"cudnn", "cudnn", "cuDNN: write the layer as a kernel, or multiply with cuBLAS"},
    MissingLibrary{"npp", "npp", "NPP: write the filter as a kernel"},
    MissingLibrary{"nvml.h", "nvidia-ml", "NVML: it has no clocks and no power to ask for"},
    MissingLibrary{"cufile", "cufile", "GPUDirect Storage: read the file on the host and copy it"},
    MissingLibrary{"cuda_gl_interop", "", "OpenGL: it draws nothing; write the picture to a file"},
    MissingLibrary{"GL/", "glut", "OpenGL: it draws nothing; write the picture to a file", true},
    MissingLibrary{"opencv", "opencv",
                   "OpenCV: read and write pictures in a plain form such as PPM", true},
    MissingLibrary{"GLFW/", "glfw", "OpenGL: it draws nothing; write the picture to a file", true},
    MissingLibrary{"cuda/", "",
                   "such header of libcu++: leave it out, between #ifndef __GLASSBOX__ and #endif"},
    MissingLibrary{"cuda_fp", "", "FP8, FP6 and FP4: store such numbers as half"},
};

bool is_installed(const std::string& header) {
  for (const char* const folder : {"/usr/include", "/usr/local/include", "/usr/include/opencv4"}) {
    if (std::filesystem::exists(std::filesystem::path(folder) / header)) return true;
  }
  return false;
}

}  // namespace

bool is_own_header(const std::string& name) {
  for (const char* const folder : {"glassbox/cuda_headers", "emulator/cuda_headers"}) {
    if (std::filesystem::exists(emulator::source_tree() / folder / name)) return true;
  }
  return false;
}

std::string missing_library(const std::string& header) {
  if (is_own_header(header)) return "";
  for (const MissingLibrary& missing : kMissing) {
    if (!header.starts_with(missing.header)) continue;
    if (missing.may_be_installed && is_installed(header)) return "";
    return fmt::format("the glass box has no {} [{}]", missing.advice,
                       code_of(SourceErrorKind::kMissingLibrary));
  }
  return "";
}

std::string missing_library_to_link(const std::string& name) {
  for (const MissingLibrary& missing : kMissing) {
    if (missing.library.empty() || !name.starts_with(missing.library)) continue;
    if (missing.may_be_installed) return "";
    return fmt::format("the glass box has no {}", missing.advice);
  }
  return "";
}

}  // namespace ladder::glassbox
