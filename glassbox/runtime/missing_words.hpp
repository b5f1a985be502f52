// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/missing_words.hpp
/// \brief What the glass box does not have, each with a sentence in place of g++'s errors.
#pragma once

#include "glassbox/runtime/error_codes.hpp"

// -- Textures of other sorts, surfaces, and the arrays behind them --------------------------------
struct [[gnu::unavailable(
    "the glass box has no texture references, which CUDA 12 removed: make a texture object "
    "with cudaCreateTextureObject")]] textureReference{};
template <class T, int kType = 1, int kMode = 0>
struct [[gnu::unavailable(
    "the glass box has no texture references, which CUDA 12 removed: make a texture object "
    "with cudaCreateTextureObject")]] texture{};
template <class... Arguments>
[[gnu::unavailable(
    "the glass box has no texture references, which CUDA 12 removed: make a texture object "
    "with cudaCreateTextureObject")]] cudaError_t
cudaBindTexture(Arguments&&...);
template <class... Arguments>
[[gnu::unavailable(
    "the glass box has no texture references, which CUDA 12 removed: make a texture object "
    "with cudaCreateTextureObject")]] cudaError_t
cudaBindTexture2D(Arguments&&...);
template <class... Arguments>
[[gnu::unavailable(
    "the glass box has no texture references, which CUDA 12 removed: make a texture object "
    "with cudaCreateTextureObject")]] cudaError_t
cudaBindTextureToArray(Arguments&&...);
template <class... Arguments>
[[gnu::unavailable(
    "the glass box has no texture references, which CUDA 12 removed: make a texture object "
    "with cudaCreateTextureObject")]] cudaError_t
cudaUnbindTexture(Arguments&&...);

template <class T, class... Arguments>
[[gnu::unavailable(
    "the glass box reads textures with tex1Dfetch, tex1D and tex2D alone: read the array itself"
    ", and compute its index")]] T
tex3D(Arguments&&...);
template <class T, class... Arguments>
[[gnu::unavailable(
    "the glass box reads textures with tex1Dfetch, tex1D and tex2D alone: read the array itself"
    ", and compute its index")]] T
tex1DLayered(Arguments&&...);
template <class T, class... Arguments>
[[gnu::unavailable(
    "the glass box reads textures with tex1Dfetch, tex1D and tex2D alone: read the array itself"
    ", and compute its index")]] T
tex2DLayered(Arguments&&...);
template <class T, class... Arguments>
[[gnu::unavailable(
    "the glass box reads textures with tex1Dfetch, tex1D and tex2D alone: read the array itself"
    ", and compute its index")]] T
texCubemap(Arguments&&...);
template <class T, class... Arguments>
[[gnu::unavailable(
    "the glass box reads textures with tex1Dfetch, tex1D and tex2D alone: read the array itself"
    ", and compute its index")]] T
texCubemapLayered(Arguments&&...);
template <class T, class... Arguments>
[[gnu::unavailable(
    "the glass box reads textures with tex1Dfetch, tex1D and tex2D alone: read the array itself"
    ", and compute its index")]] T
tex1DLod(Arguments&&...);
template <class T, class... Arguments>
[[gnu::unavailable(
    "the glass box reads textures with tex1Dfetch, tex1D and tex2D alone: read the array itself"
    ", and compute its index")]] T
tex2DLod(Arguments&&...);
template <class T, class... Arguments>
[[gnu::unavailable(
    "the glass box reads textures with tex1Dfetch, tex1D and tex2D alone: read the array itself"
    ", and compute its index")]] T
tex3DLod(Arguments&&...);
template <class T, class... Arguments>
[[gnu::unavailable(
    "the glass box reads textures with tex1Dfetch, tex1D and tex2D alone: read the array itself"
    ", and compute its index")]] T
tex1DGrad(Arguments&&...);
template <class T, class... Arguments>
[[gnu::unavailable(
    "the glass box reads textures with tex1Dfetch, tex1D and tex2D alone: read the array itself"
    ", and compute its index")]] T
tex2DGrad(Arguments&&...);
template <class T, class... Arguments>
[[gnu::unavailable(
    "the glass box reads textures with tex1Dfetch, tex1D and tex2D alone: read the array itself"
    ", and compute its index")]] T
tex2Dgather(Arguments&&...);

template <class T, int kType = 1>
struct [[gnu::unavailable(
    "the glass box has surface objects of one and two dimensions: make one of a CUDA array with "
    "cudaCreateSurfaceObject, and use surf2Dread and surf2Dwrite")]] surface{};
template <class T, class... Arguments>
[[gnu::unavailable(
    "the glass box has surface objects of one and two dimensions: make one of a CUDA array with "
    "cudaCreateSurfaceObject, and use surf2Dread and surf2Dwrite")]] T
surf3Dread(Arguments&&...);
template <class T, class... Arguments>
[[gnu::unavailable(
    "the glass box has surface objects of one and two dimensions: make one of a CUDA array with "
    "cudaCreateSurfaceObject, and use surf2Dread and surf2Dwrite")]] T
surf1DLayeredread(Arguments&&...);
template <class T, class... Arguments>
[[gnu::unavailable(
    "the glass box has surface objects of one and two dimensions: make one of a CUDA array with "
    "cudaCreateSurfaceObject, and use surf2Dread and surf2Dwrite")]] T
surf2DLayeredread(Arguments&&...);
template <class T, class... Arguments>
[[gnu::unavailable(
    "the glass box has surface objects of one and two dimensions: make one of a CUDA array with "
    "cudaCreateSurfaceObject, and use surf2Dread and surf2Dwrite")]] T
surfCubemapread(Arguments&&...);
template <class... Arguments>
[[gnu::unavailable(
    "the glass box has surface objects of one and two dimensions: make one of a CUDA array with "
    "cudaCreateSurfaceObject, and use surf2Dread and surf2Dwrite")]] void
surf3Dwrite(Arguments&&...);
template <class... Arguments>
[[gnu::unavailable(
    "the glass box has surface objects of one and two dimensions: make one of a CUDA array with "
    "cudaCreateSurfaceObject, and use surf2Dread and surf2Dwrite")]] void
surf1DLayeredwrite(Arguments&&...);
template <class... Arguments>
[[gnu::unavailable(
    "the glass box has surface objects of one and two dimensions: make one of a CUDA array with "
    "cudaCreateSurfaceObject, and use surf2Dread and surf2Dwrite")]] void
surf2DLayeredwrite(Arguments&&...);
template <class... Arguments>
[[gnu::unavailable(
    "the glass box has surface objects of one and two dimensions: make one of a CUDA array with "
    "cudaCreateSurfaceObject, and use surf2Dread and surf2Dwrite")]] void
surfCubemapwrite(Arguments&&...);
template <class... Arguments>
[[gnu::unavailable(
    "the glass box has surface objects of one and two dimensions: make one of a CUDA array with "
    "cudaCreateSurfaceObject, and use surf2Dread and surf2Dwrite")]] cudaError_t
cudaBindSurfaceToArray(Arguments&&...);

struct [[gnu::unavailable(
    "the glass box has CUDA arrays of one and two dimensions: take memory from cudaMalloc, "
    "and compute its index")]] cudaMipmappedArray_t{};
template <class... Arguments>
[[gnu::unavailable(
    "the glass box has CUDA arrays of one and two dimensions: take memory from cudaMalloc, "
    "and compute its index")]] cudaError_t
cudaMalloc3DArray(Arguments&&...);
template <class... Arguments>
[[gnu::unavailable(
    "the glass box has CUDA arrays of one and two dimensions: take memory from cudaMalloc, "
    "and compute its index")]] cudaError_t
cudaMallocMipmappedArray(Arguments&&...);

// -- Graphs with nodes of other sorts ---------------------------------------------------------
struct [[gnu::unavailable(
    "the glass box has graphs of kernels, copies, memsets and host functions: launch the rest "
    "without a graph")]] cudaGraphNodeParams{};
struct [[gnu::unavailable(
    "the glass box has graphs of kernels, copies, memsets and host functions: launch the rest "
    "without a graph")]] cudaGraphConditionalHandle{};
struct [[gnu::unavailable(
    "the glass box has graphs of kernels, copies, memsets and host functions: launch the rest "
    "without a graph")]] cudaMemAllocNodeParams{};
template <class... Arguments>
[[gnu::unavailable(
    "the glass box has graphs of kernels, copies, memsets and host functions: launch the rest "
    "without a graph")]] cudaError_t
cudaGraphAddNode(Arguments&&...);
template <class... Arguments>
[[gnu::unavailable(
    "the glass box has graphs of kernels, copies, memsets and host functions: launch the rest "
    "without a graph")]] cudaError_t
cudaGraphAddEventRecordNode(Arguments&&...);
template <class... Arguments>
[[gnu::unavailable(
    "the glass box has graphs of kernels, copies, memsets and host functions: launch the rest "
    "without a graph")]] cudaError_t
cudaGraphAddEventWaitNode(Arguments&&...);
template <class... Arguments>
[[gnu::unavailable(
    "the glass box has graphs of kernels, copies, memsets and host functions: launch the rest "
    "without a graph")]] cudaError_t
cudaGraphAddMemAllocNode(Arguments&&...);
template <class... Arguments>
[[gnu::unavailable(
    "the glass box has graphs of kernels, copies, memsets and host functions: launch the rest "
    "without a graph")]] cudaError_t
cudaGraphAddMemFreeNode(Arguments&&...);
template <class... Arguments>
[[gnu::unavailable(
    "the glass box has graphs of kernels, copies, memsets and host functions: launch the rest "
    "without a graph")]] cudaError_t
cudaGraphConditionalHandleCreate(Arguments&&...);
template <class... Arguments>
[[gnu::unavailable(
    "the glass box has graphs of kernels, copies, memsets and host functions: launch the rest "
    "without a graph")]] cudaError_t
cudaStreamGetCaptureInfo(Arguments&&...);
template <class... Arguments>
[[gnu::unavailable(
    "the glass box has graphs of kernels, copies, memsets and host functions: launch the rest "
    "without a graph")]] cudaError_t
cudaStreamUpdateCaptureDependencies(Arguments&&...);

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
