// SPDX-License-Identifier: MIT
#include "common/ptx/tensor_map.hpp"

#include <cuda.h>
#include <cuda_runtime.h>

#include "common/check.hpp"
#include "common/machine.hpp"

namespace ladder::ptx {
namespace {

/// The driver's function. Found at run time: without it, programs would not start where no driver
/// is installed.
auto encode_tiled() {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  constexpr unsigned kSince = 12000;
  check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, kSince,
                                         cudaEnableDefault, &found));
  if (found != cudaDriverEntryPointSuccess) {
    throw GpuError("the driver does not know tensor maps: update it to one for CUDA 12 or newer");
  }
  return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function);
}

}  // namespace

template <class T>
TensorMap make_tensor_map(const T* matrix, int rows, int columns, int box_rows, int box_columns,
                          Swizzle swizzle) {
  check_tensor_map(matrix, rows, columns, box_rows, box_columns, swizzle);
  static const auto encode = encode_tiled();
  // Dimensions from the innermost outwards.
  const cuuint64_t extents[] = {static_cast<cuuint64_t>(columns), static_cast<cuuint64_t>(rows)};
  const cuuint64_t row_bytes[] = {static_cast<cuuint64_t>(columns) * sizeof(T)};
  const cuuint32_t box[] = {static_cast<cuuint32_t>(box_columns),
                            static_cast<cuuint32_t>(box_rows)};
  const cuuint32_t strides[] = {1, 1};
  constexpr auto kType = sizeof(T) == sizeof(float) ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32
                                                    : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  // Rows that begin in the middle of a line ask for parts of more lines than they have: then, to
  // read in twice as many is slower.
  const bool whole_lines = row_bytes[0] % 128 == 0;
  const auto promotion =
      whole_lines ? CU_TENSOR_MAP_L2_PROMOTION_L2_256B : CU_TENSOR_MAP_L2_PROMOTION_L2_128B;
  TensorMap map = {};
  const CUresult result =
      encode(&map, kType, 2, const_cast<T*>(matrix), extents, row_bytes, box, strides,
             CU_TENSOR_MAP_INTERLEAVE_NONE, static_cast<CUtensorMapSwizzle>(swizzle), promotion,
             CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) {
    throw GpuError("the driver refuses a tensor map of " + std::to_string(rows) + " x " +
                   std::to_string(columns) + " elements with boxes of " + std::to_string(box_rows) +
                   " x " + std::to_string(box_columns) + " (error " + std::to_string(result) +
                   "); the GPU needs compute capability 9.0 or higher");
  }
  return map;
}

template TensorMap make_tensor_map(const float*, int, int, int, int, Swizzle);
template TensorMap make_tensor_map(const bfloat16*, int, int, int, int, Swizzle);

}  // namespace ladder::ptx
