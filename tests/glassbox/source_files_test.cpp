// SPDX-License-Identifier: MIT
/// \file  tests/glassbox/source_files_test.cpp
/// \brief What becomes of headers that the glass box does not have.
#include "glassbox/source_files.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "glassbox/build_error.hpp"

namespace ladder::glassbox {
namespace {

namespace fs = std::filesystem;

class SourceFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string path = (fs::temp_directory_path() / "source_files_XXXXXX").string();
    ASSERT_NE(mkdtemp(path.data()), nullptr);
    folder_ = path;
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// The source as g++ gets it.
  std::string rewritten(const std::string& source) {
    const fs::path file = folder_ / "my.cu";
    std::ofstream(file) << source;
    fs::create_directory(folder_ / "out");
    std::ifstream text(SourceFiles(folder_ / "out", {}).for_compiler(file));
    std::ostringstream all;
    all << text.rdbuf();
    return all.str();
  }

  fs::path folder_;
};

/// Each in the place of its #include, so that the line is right, and none where the preprocessor
/// leaves the header out.
TEST_F(SourceFilesTest, EachMissingLibraryHasASentence) {
  constexpr std::array kSentences = {
      std::pair{"thrust/sort.h", "Thrust: write the loop on the host"},
      std::pair{"cub/cub.cuh", "CUB: write the block's reduction or scan"},
      std::pair{"curand_kernel.h", "cuRAND: fill the array on the host"},
      std::pair{"cublas.h", "cublas.h of CUDA 5 and before: include cublas_v2.h"},
      std::pair{"cublasXt.h", "cuBLASXt: multiply with cublasSgemm"},
      std::pair{"cufft.h", "cuFFT: leave that part out"},
      std::pair{"cusparse.h", "cuSPARSE: leave that part out"},
      std::pair{"cusolverDn.h", "cuSOLVER: leave that part out"},
      std::pair{"cutlass/cutlass.h", "CUTLASS: leave that part out"},
      std::pair{"cute/tensor.hpp", "CuTe: leave that part out"},
      std::pair{"nvrtc.h", "NVRTC: compile the kernel with the program"},
      std::pair{"nvtx3/nvToolsExt.h", "NVTX: leave the ranges out"},
      std::pair{"nvToolsExt.h", "NVTX: leave the ranges out"},
      std::pair{"nccl.h", "NCCL: it has one GPU"},
      std::pair{"mpi.h", "MPI: it runs one process"},
  };
  for (const auto& [header, sentence] : kSentences) {
    const std::string text = rewritten("int i;\n#include <" + std::string(header) + ">\n");
    EXPECT_NE(text.find("int i;\n#error the glass box has no " + std::string(sentence)),
              std::string::npos)
        << header << ": " << text;
  }
}

TEST_F(SourceFilesTest, OwnHeadersOfSuchANameStay) {
  fs::create_directory(folder_ / "cub");
  std::ofstream(folder_ / "cub" / "mine.h") << "int mine;\n";
  EXPECT_EQ(rewritten("#include \"cub/mine.h\"\n").find("#error"), std::string::npos);
}

TEST_F(SourceFilesTest, FilesThatCannotBeRead) {
  const auto refusal = [&](const fs::path& file) {
    try {
      SourceFiles(folder_, {}).for_compiler(file);
    } catch (const BuildError& error) {
      return error.errors();
    }
    return std::vector<SourceError>();
  };
  for (const fs::path& file : {folder_ / "none.cu", folder_}) {
    const std::vector<SourceError> errors = refusal(file);
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors[0].kind, SourceErrorKind::kUnreadable);
    EXPECT_EQ(errors[0].fields.word("file"), file.string());
  }
  EXPECT_EQ(refusal(folder_)[0].fields.word("reason"), std::strerror(EISDIR));
}

}  // namespace
}  // namespace ladder::glassbox
