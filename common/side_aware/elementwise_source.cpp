// SPDX-License-Identifier: MIT
/// \file  common/side_aware/elementwise_source.cpp
#include "common/side_aware/elementwise_source.hpp"

namespace ladder::side_aware {

Operation shipped_operation(const std::string& file, const std::string& type) {
  return {.header = "#include \"common/side_aware/operations/" + file + "\"\n",
          .name = "ladder::side_aware::" + type};
}

Operation operation_of_header(const std::string& header) {
  // Numbers of vectors: of arrays of any size.
  return {.header =
              "#include \"common/side_aware/kernels/given_types.cuh\"\n"
              "using size_type = unsigned long long;\n"
              "#line 1 \"header\"\n" +
              header + "\n#include \"common/side_aware/kernels/operation_of_header.cuh\"\n",
          .name = "OperationOfHeader"};
}

std::string elementwise_source(const Operation& operation) {
  const std::string kernel =
      "extern \"C\" __global__ void __launch_bounds__("
      "ladder::side_aware::kThreads, "
      "ladder::side_aware::kLeastBlocksPerSm)\n";
  const std::string parameter =
      "(const __grid_constant__ ladder::side_aware::ElementwiseArguments arguments) {\n"
      "  ladder::side_aware::";
  const std::string call = "<" + operation.name + ">(arguments);\n}\n";
  return "#include \"common/side_aware/kernels/elementwise.cuh\"\n" + operation.header + "\n" +
         kernel + kAlignedKernel + parameter + "elementwise_aligned" + call +  //
         kernel + kAnywhereKernel + parameter + "elementwise_anywhere" + call +
         "extern \"C\" __device__ ladder::side_aware::OperationShape operation_shape =\n"
         "    ladder::side_aware::shape_of<" +
         operation.name + ">();\n";
}

}  // namespace ladder::side_aware
