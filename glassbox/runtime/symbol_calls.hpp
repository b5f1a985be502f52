// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/symbol_calls.hpp
/// \brief `__device__` variables in functions of the host, and CUDA's calls that name one.
#pragma once

#include <cstddef>

#include "glassbox/runtime/error_codes.hpp"
#include "glassbox/runtime/memory_calls.hpp"
#include "glassbox/runtime/stream_calls.hpp"

namespace ladder::glassbox {

/// \brief The host's own variable beside a `__device__` variable: 0 at first.
void* host_side_of(const void* variable, std::size_t bytes);
/// The variable that this is the host's side of; else the address itself.
void* device_side_of(const void* address);
/// The same for the program, which may pass the address to kernels.
void* address_of_symbol(const void* symbol);
/// What the name of a `__device__` variable means in a function of the host.
template <class T>
T& on_host_side(T& variable) {
  return *reinterpret_cast<T*>(host_side_of(&variable, sizeof variable));
}

cudaError_t copy_symbol(void* symbol, std::size_t symbol_bytes, void* memory, std::size_t bytes,
                        std::size_t offset, bool to_symbol, const Here& here);

}  // namespace ladder::glassbox

// `__device__`, `__constant__` and `__managed__` variables are variables of the program.
template <class T>
cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, std::size_t bytes,
                               std::size_t offset = 0, cudaMemcpyKind = cudaMemcpyHostToDevice,
                               ladder::glassbox::Here here = ladder::glassbox::Here::current()) {
  return ladder::glassbox::copy_symbol(ladder::glassbox::device_side_of(&symbol), sizeof symbol,
                                       (void*)from, bytes, offset, true, here);
}
template <class T>
cudaError_t cudaMemcpyToSymbolAsync(
    const T& symbol, const void* from, std::size_t bytes, std::size_t offset, cudaMemcpyKind,
    cudaStream_t stream = nullptr,
    ladder::glassbox::Here here = ladder::glassbox::Here::current()) {
  return ladder::glassbox::submit(stream, cudaGraphNodeTypeMemcpy, "cudaMemcpyToSymbolAsync", here,
                                  [=, to = ladder::glassbox::device_side_of(&symbol)] {
                                    return ladder::glassbox::copy_symbol(to, sizeof(T), (void*)from,
                                                                         bytes, offset, true, here);
                                  });
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, std::size_t bytes,
                                 std::size_t offset = 0, cudaMemcpyKind = cudaMemcpyDeviceToHost,
                                 ladder::glassbox::Here here = ladder::glassbox::Here::current()) {
  return ladder::glassbox::copy_symbol(ladder::glassbox::device_side_of(&symbol), sizeof symbol, to,
                                       bytes, offset, false, here);
}
template <class P, class T>
cudaError_t cudaGetSymbolAddress(P** pointer, const T& symbol) {
  *pointer = (P*)ladder::glassbox::address_of_symbol(&symbol);
  return cudaSuccess;
}
template <class T>
cudaError_t cudaGetSymbolSize(std::size_t* bytes, const T& symbol) {
  *bytes = sizeof symbol;
  return cudaSuccess;
}
