// SPDX-License-Identifier: MIT
/// \file  common/side_aware/c_interface.hpp
/// \brief Side-aware memory for other languages: what the shared library libside_aware.so exports.
///
/// side_aware_malloc() and side_aware_free() have the form that
/// torch.cuda.memory.CUDAPluggableAllocator loads. A stream is a cudaStream_t. Functions that
/// return an int return 0 if all went well; otherwise, side_aware_error() has a sentence.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

/// \return a multiple of 4 MiB; a null pointer after an error, which is also written to stderr
void* side_aware_malloc(std::ptrdiff_t bytes, int device, void* stream);
/// Errors are written to stderr.
void side_aware_free(void* block, std::ptrdiff_t bytes, int device, void* stream);

/// \brief  Copies between any arrays on the GPU that begin at multiples of 16 bytes and have a
///         multiple of 4 bytes.
/// \param  assignment  0 off, 1 right, 2 wrong, 3 random
int side_aware_copy(void* to, const void* from, std::size_t bytes, int assignment, int device,
                    void* stream);

/// \brief  Compiles an operation, once.
/// \param  header  C++ that defines it; see common/side_aware/operations
/// \param  type    the struct's name, "ladder::side_aware::Copy"
/// \return what side_aware_elementwise() takes; a null pointer after an error
const void* side_aware_kernel(const char* header, const char* type, int device);

/// \brief  Runs an operation.
/// \param  outputs, inputs  (4) each; null where the operation has none
/// \param  sideband  what the operation sees as sideband.value
int side_aware_elementwise(const void* kernel, void* const* outputs, const void* const* inputs,
                           std::uint64_t elements, int assignment, int sideband, int device,
                           void* stream);

/// \brief  Writes the machine code of an operation's kernels into a file, for cuobjdump and
///         nvdisasm. Needs no GPU.
/// \param  compute_capability  90 for 9.0
int side_aware_write_cubin(const char* header, const char* type, int compute_capability,
                           const char* file);

/// "NVRTC 13.0"; nothing after an error.
const char* side_aware_compiler();

/// \brief  Bytes that tensors use, and bytes that wait in the cache.
int side_aware_state(int device, std::uint64_t* in_use_bytes, std::uint64_t* cached_bytes,
                     std::uint64_t* pages_off_rule);

/// Address bits whose parity chooses the side of L2; 0: this GPU has no two sides, or an error.
std::uint64_t side_aware_mask(int device);

/// The last error of this thread.
const char* side_aware_error();
}
