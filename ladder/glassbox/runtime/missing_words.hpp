// SPDX-License-Identifier: MIT
/// \file  ladder/glassbox/runtime/missing_words.hpp
/// \brief What the glass box does not have, each with a sentence in place of g++'s errors.
#pragma once

#include "ladder/glassbox/runtime/error_codes.hpp"

// -- Textures, surfaces, and the arrays behind them ----------------------------------------------
struct [[gnu::unavailable(
    "the glass box has no textures: read the array itself, its index clamped by hand where the "
    "texture did that")]] textureReference{};
struct [[gnu::unavailable(
    "the glass box has no textures: read the array itself, its index clamped by hand where the "
    "texture did that")]] cudaTextureDesc{};
struct [[gnu::unavailable(
    "the glass box has no textures: read the array itself, its index clamped by hand where the "
    "texture did that")]] cudaResourceDesc{};
struct [[gnu::unavailable(
    "the glass box has no textures: read the array itself, its index clamped by hand where the "
    "texture did that")]] cudaResourceViewDesc{};
template <class T, int kType = 1, int kMode = 0>
struct [[gnu::unavailable(
    "the glass box has no textures: read the array itself, its index clamped by hand where the "
    "texture did that")]] texture{};
template <class T, int kType = 1>
struct [[gnu::unavailable(
    "the glass box has no textures: read the array itself, its index clamped by hand where the "
    "texture did that")]] surface{};
using cudaTextureObject_t = unsigned long long;
using cudaSurfaceObject_t = unsigned long long;
template <class T, class... Arguments>
[[gnu::unavailable(
    "the glass box has no textures: read the array itself, its index clamped by hand where the "
    "texture did that")]] T
tex1D(Arguments&&...);
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
template <class T, class... Arguments>
[[gnu::unavailable(
    "the glass box has no textures: read the array itself, its index clamped by hand where the "
    "texture did that")]] T
tex2DLayered(Arguments&&...);
template <class T, class... Arguments>
[[gnu::unavailable(
    "the glass box has no textures: read the array itself, its index clamped by hand where the "
    "texture did that")]] T
tex3D(Arguments&&...);
template <class T, class... Arguments>
[[gnu::unavailable(
    "the glass box has no textures: read the array itself, its index clamped by hand where the "
    "texture did that")]] T
texCubemap(Arguments&&...);
template <class T, class... Arguments>
[[gnu::unavailable(
    "the glass box has no textures: read the array itself, its index clamped by hand where the "
    "texture did that")]] T
surf2Dread(Arguments&&...);
template <class... Arguments>
[[gnu::unavailable(
    "the glass box has no textures: read the array itself, its index clamped by hand where the "
    "texture did that")]] void
surf2Dwrite(Arguments&&...);
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
    "the glass box has no textures: read the array itself, its index clamped by hand where the "
    "texture did that")]] cudaError_t
cudaCreateSurfaceObject(Arguments&&...);
struct [[gnu::unavailable(
    "the glass box has no CUDA arrays, which textures read: take linear memory from "
    "cudaMalloc")]] cudaArray{};
struct [[gnu::unavailable(
    "the glass box has no CUDA arrays, which textures read: take linear memory from "
    "cudaMalloc")]] cudaArray_t{};
struct [[gnu::unavailable(
    "the glass box has no CUDA arrays, which textures read: take linear memory from "
    "cudaMalloc")]] cudaChannelFormatDesc{};
struct [[gnu::unavailable(
    "the glass box has no CUDA arrays, which textures read: take linear memory from "
    "cudaMalloc")]] cudaExtent{};
struct [[gnu::unavailable(
    "the glass box has no CUDA arrays, which textures read: take linear memory from "
    "cudaMalloc")]] cudaPitchedPtr{};
struct [[gnu::unavailable(
    "the glass box has no CUDA arrays, which textures read: take linear memory from "
    "cudaMalloc")]] cudaMemcpy3DParms{};
template <class... Arguments>
[[gnu::unavailable(
    "the glass box has no CUDA arrays, which textures read: take linear memory from "
    "cudaMalloc")]] cudaError_t
cudaMallocArray(Arguments&&...);
template <class... Arguments>
[[gnu::unavailable(
    "the glass box has no CUDA arrays, which textures read: take linear memory from "
    "cudaMalloc")]] cudaError_t
cudaMalloc3DArray(Arguments&&...);
template <class... Arguments>
[[gnu::unavailable(
    "the glass box has no CUDA arrays, which textures read: take linear memory from "
    "cudaMalloc")]] cudaError_t
cudaMalloc3D(Arguments&&...);
template <class... Arguments>
[[gnu::unavailable(
    "the glass box has no CUDA arrays, which textures read: take linear memory from "
    "cudaMalloc")]] cudaError_t
cudaMemcpyToArray(Arguments&&...);
template <class... Arguments>
[[gnu::unavailable(
    "the glass box has no CUDA arrays, which textures read: take linear memory from "
    "cudaMalloc")]] cudaError_t
cudaMemcpy2DToArray(Arguments&&...);

// -- Graphs --------------------------------------------------------------------------------------
struct [[gnu::unavailable(
    "the glass box has no CUDA graphs: launch the kernels one by one")]] cudaGraph_t{};
struct [[gnu::unavailable(
    "the glass box has no CUDA graphs: launch the kernels one by one")]] cudaGraphExec_t{};
struct [[gnu::unavailable(
    "the glass box has no CUDA graphs: launch the kernels one by one")]] cudaGraphNode_t{};
struct [[gnu::unavailable(
    "the glass box has no CUDA graphs: launch the kernels one by one")]] cudaKernelNodeParams{};
struct [[gnu::unavailable(
    "the glass box has no CUDA graphs: launch the kernels one by one")]] cudaGraphNodeParams{};
template <class... Arguments>
[[gnu::unavailable("the glass box has no CUDA graphs: launch the kernels one by one")]] cudaError_t
cudaStreamBeginCapture(Arguments&&...);
template <class... Arguments>
[[gnu::unavailable("the glass box has no CUDA graphs: launch the kernels one by one")]] cudaError_t
cudaStreamEndCapture(Arguments&&...);
template <class... Arguments>
[[gnu::unavailable("the glass box has no CUDA graphs: launch the kernels one by one")]] cudaError_t
cudaGraphCreate(Arguments&&...);
template <class... Arguments>
[[gnu::unavailable("the glass box has no CUDA graphs: launch the kernels one by one")]] cudaError_t
cudaGraphInstantiate(Arguments&&...);
template <class... Arguments>
[[gnu::unavailable("the glass box has no CUDA graphs: launch the kernels one by one")]] cudaError_t
cudaGraphLaunch(Arguments&&...);

// -- Other processes ------------------------------------------------------------------------------
struct [[gnu::unavailable(
    "the glass box shares no memory between processes: take it from cudaMalloc in one "
    "process")]] cudaIpcMemHandle_t{};
struct [[gnu::unavailable(
    "the glass box shares no memory between processes: take it from cudaMalloc in one "
    "process")]] cudaIpcEventHandle_t{};
template <class... Arguments>
[[gnu::unavailable(
    "the glass box shares no memory between processes: take it from cudaMalloc in one "
    "process")]] cudaError_t
cudaIpcGetMemHandle(Arguments&&...);
template <class... Arguments>
[[gnu::unavailable(
    "the glass box shares no memory between processes: take it from cudaMalloc in one "
    "process")]] cudaError_t
cudaIpcOpenMemHandle(Arguments&&...);
