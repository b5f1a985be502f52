// SPDX-License-Identifier: MIT
/// \file  ladder/glassbox/runtime/missing_words.hpp
/// \brief What the glass box does not have, each with a sentence in place of g++'s errors.
#pragma once

#include "ladder/glassbox/runtime/error_codes.hpp"

struct textureReference;
using cudaTextureObject_t = unsigned long long;
using cudaSurfaceObject_t = unsigned long long;
struct cudaGraph_st;
using cudaGraph_t = cudaGraph_st*;

template <class T, int kType = 1, int kMode = 0>
struct [[gnu::unavailable(
    "the glass box has no textures: read the array itself, its index clamped by "
    "hand where the texture did that")]] texture;

template <class T, class... Arguments>
[[gnu::unavailable(
    "the glass box has no textures: read the array itself, its index clamped by hand where the "
    "texture did that")]] T
tex1Dfetch(Arguments&&...);
template <class T, class... Arguments>
[[gnu::unavailable(
    "the glass box has no textures: read the array itself, its index clamped by hand where the "
    "texture did that")]] T
tex2D(Arguments&&...);
template <class... Arguments>
[[gnu::unavailable(
    "the glass box has no textures: read the array itself, its index clamped by hand where the "
    "texture did that")]] cudaError_t
cudaCreateTextureObject(Arguments&&...);
template <class... Arguments>
[[gnu::unavailable(
    "the glass box has no textures: read the array itself, its index clamped by hand where the "
    "texture did that")]] cudaError_t
cudaBindTexture(Arguments&&...);
template <class... Arguments>
[[gnu::unavailable(
    "the glass box has no CUDA arrays, which textures read: take linear memory from "
    "cudaMalloc")]] cudaError_t
cudaMallocArray(Arguments&&...);
template <class... Arguments>
[[gnu::unavailable("the glass box has no CUDA graphs: launch the kernels one by one")]] cudaError_t
cudaStreamBeginCapture(Arguments&&...);
template <class... Arguments>
[[gnu::unavailable("the glass box has no CUDA graphs: launch the kernels one by one")]] cudaError_t
cudaGraphCreate(Arguments&&...);
