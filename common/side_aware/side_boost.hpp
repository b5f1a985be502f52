// SPDX-License-Identifier: MIT
/// \file  common/side_aware/side_boost.hpp
/// \brief Side-aware memory and kernels by the names of "CUDA L2 Side Boost", for programs in C++
///        that link libside_aware.so. It needs no other header of this library.
///
/// A `device` below 0 is the current one: that of the thread's current context, or 0 where there is
/// none. A stream is a cudaStream_t; null is the default stream. Functions that return an int
/// return 0 if all went well; otherwise, sideaware_error() has a sentence. The others write it to
/// stderr.
///
/// A kernel's header says what is done to each element, in types and a function:
///
///     typedef float o0;     // up to four outputs and four inputs, of 1, 2, 4, 8 or 16 bytes each
///     typedef float i0;
///     struct unused {};     // an empty struct: there is no such array
///     typedef unused o1, o2, o3, i1, i2, i3;
///     constexpr bool reverse_order = false;         // true: from the end to the start
///     constexpr bool input_evict[4] = {1,0,0,0};    // inputs that leave L2 first
///     __device__ void elementwise_op(size_t element_idx, int sideband,
///                                    o0 &out0, o1 &out1, o2 &out2, o3 &out3,
///                                    const i0 &in0, const i1 &in1, const i2 &in2, const i3 &in3) {
///       out0 = 2 * in0;
///     }
///
/// It may define UNROLLED, the vectors of 16 bytes that a thread has in flight: 1, 2, 4 (without
/// the word) or 8. If it defines CUSTOM_IDX_FUNC, it has a function that says where the inputs of a
/// vector are, and whether nothing is to be done for it:
///
///     __device__ bool indexing(size_type vec_idx, int vec_size, size_type &idx_i0,
///                              size_type &idx_i1, size_type &idx_i2, size_type &idx_i3,
///                              int* _mem, int _val);
///
/// vec_idx is a vector's number in the leading array: output 0, or input 0 of a kernel without
/// outputs. vec_size is the number of its elements. The idx are numbers of vectors of the inputs,
/// vec_idx at first. _mem and _val are the sideband. size_type is unsigned and has 64 bits.
/// A header may include files of the folder in which the program runs.
#pragma once

#include <cstddef>

extern "C" {

/// \brief  Memory for work that the stream gets from now on: what was freed before is used again.
/// \param  block  gets a multiple of 4 MiB; a null pointer after an error
int sideaware_malloc_async(void** block, std::size_t bytes, int device = -1,
                           void* stream = nullptr);

/// \brief  The block may be used again after the work that the stream has got so far. A null
///         pointer is no error.
int sideaware_free_async(void* block, int device = -1, void* stream = nullptr);

/// \brief  Copies any number of bytes between arrays on the GPU, of whatever memory, that begin at
///         multiples of 16 bytes and do not overlap.
void sideaware_memcpy(void* dst, const void* src, std::size_t bytes, int device = -1,
                      void* stream = nullptr);

/// \brief  Compiles a kernel; once, if the same header comes again.
/// \return what sideaware_elementwise() takes, on this device; a null pointer after an error
const void* sideaware_create_kernel(const char* header, int device = -1);

/// \brief  Runs a kernel on whole arrays.
/// \param  num_bytes  of the leading array
/// \param  out0, in0  null where the kernel has no such array; multiples of 16 bytes
/// \param  sideband  what elementwise_op() sees as sideband, and indexing() as _val
/// \param  sideband_memory  on the GPU: what indexing() sees as _mem
int sideaware_elementwise(const void* kernel, std::size_t num_bytes,       //
                          void* out0, void* out1, void* out2, void* out3,  //
                          const void* in0, const void* in1, const void* in2, const void* in3,
                          int device = -1, void* stream = nullptr, int sideband = 0,
                          int* sideband_memory = nullptr);

/// \brief  What torch.cuda.memory.CUDAPluggableAllocator loads.
/// \return a multiple of 4 MiB; a null pointer for 0 bytes and after an error
void* sideaware_malloc_auto(std::ptrdiff_t bytes, int device, void* stream);
void sideaware_free_auto(void* block, std::ptrdiff_t bytes, int device, void* stream);

/// \brief  Writes the machine code of a kernel into a file, for cuobjdump and nvdisasm. Needs no
///         GPU.
/// \param  operation  null: the header is as above; otherwise, it defines a struct of this name, as
///                    those in common/side_aware/operations do: "ladder::side_aware::Copy"
/// \param  compute_capability  90 for 9.0
int sideaware_write_cubin(const char* header, const char* operation, int compute_capability,
                          const char* file);

/// "NVRTC 13.0"; nothing after an error.
const char* sideaware_compiler();

/// \brief  Bytes that arrays use, bytes that wait for the next allocation, and pages whose side is
///         not the one that their address tells.
int sideaware_state(int device, unsigned long long* in_use_bytes, unsigned long long* cached_bytes,
                    unsigned long long* pages_off_rule);

/// Address bits whose parity chooses the side of L2; 0: this GPU has no two sides, or an error.
unsigned long long sideaware_mask(int device);

/// What went wrong in this thread's last call; nothing: it went well.
const char* sideaware_error();
}

/// sideaware_malloc_async() for a pointer of any type: `float* array; ...(&array, bytes)`.
template <class T>
int sideaware_malloc_async(T** array, std::size_t bytes, int device = -1, void* stream = nullptr) {
  void* block = nullptr;
  const int failed = sideaware_malloc_async(&block, bytes, device, stream);
  *array = static_cast<T*>(block);
  return failed;
}
