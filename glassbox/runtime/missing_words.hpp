// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/missing_words.hpp
/// \brief What the glass box does not have, each with a sentence in place of g++'s errors.
#pragma once

#include "glassbox/runtime/error_codes.hpp"

// The sentence is GLASSBOX_SENTENCE, where the word stands; the code behind it is read by
// build_error.cpp.
#define GLASSBOX_NO_TYPE(name) \
  struct [[gnu::unavailable(GLASSBOX_SENTENCE " [missing-word]")]] name {}
#define GLASSBOX_NO_CALL(name)  \
  template <class... Arguments> \
  [[gnu::unavailable(GLASSBOX_SENTENCE " [missing-word]")]] cudaError_t name(Arguments&&...)
#define GLASSBOX_NO_READ(name)           \
  template <class T, class... Arguments> \
  [[gnu::unavailable(GLASSBOX_SENTENCE " [missing-word]")]] T name(Arguments&&...)
#define GLASSBOX_NO_WRITE(name) \
  template <class... Arguments> \
  [[gnu::unavailable(GLASSBOX_SENTENCE " [missing-word]")]] void name(Arguments&&...)

// -- Textures of other sorts, surfaces, and the arrays behind them --------------------------------
#define GLASSBOX_SENTENCE                                                                       \
  "the glass box has no texture references, which CUDA 12 removed: make a texture object with " \
  "cudaCreateTextureObject"
GLASSBOX_NO_TYPE(textureReference);
template <class T, int kType = 1, int kMode = 0>
GLASSBOX_NO_TYPE(texture);
GLASSBOX_NO_CALL(cudaBindTexture);
GLASSBOX_NO_CALL(cudaBindTexture2D);
GLASSBOX_NO_CALL(cudaBindTextureToArray);
GLASSBOX_NO_CALL(cudaUnbindTexture);
#undef GLASSBOX_SENTENCE

#define GLASSBOX_SENTENCE                                                                \
  "the glass box reads textures with tex1Dfetch, tex1D and tex2D alone: read the array " \
  "itself, and compute its index"
GLASSBOX_NO_READ(tex3D);
GLASSBOX_NO_READ(tex1DLayered);
GLASSBOX_NO_READ(tex2DLayered);
GLASSBOX_NO_READ(texCubemap);
GLASSBOX_NO_READ(texCubemapLayered);
GLASSBOX_NO_READ(tex1DLod);
GLASSBOX_NO_READ(tex2DLod);
GLASSBOX_NO_READ(tex3DLod);
GLASSBOX_NO_READ(tex1DGrad);
GLASSBOX_NO_READ(tex2DGrad);
GLASSBOX_NO_READ(tex2Dgather);
#undef GLASSBOX_SENTENCE

#define GLASSBOX_SENTENCE                                                                       \
  "the glass box has surface objects of one and two dimensions: make one of a CUDA array with " \
  "cudaCreateSurfaceObject, and use surf2Dread and surf2Dwrite"
template <class T, int kType = 1>
GLASSBOX_NO_TYPE(surface);
GLASSBOX_NO_READ(surf3Dread);
GLASSBOX_NO_READ(surf1DLayeredread);
GLASSBOX_NO_READ(surf2DLayeredread);
GLASSBOX_NO_READ(surfCubemapread);
GLASSBOX_NO_WRITE(surf3Dwrite);
GLASSBOX_NO_WRITE(surf1DLayeredwrite);
GLASSBOX_NO_WRITE(surf2DLayeredwrite);
GLASSBOX_NO_WRITE(surfCubemapwrite);
GLASSBOX_NO_CALL(cudaBindSurfaceToArray);
#undef GLASSBOX_SENTENCE

#define GLASSBOX_SENTENCE                                                                      \
  "the glass box has CUDA arrays of one and two dimensions: take memory from cudaMalloc, and " \
  "compute its index"
GLASSBOX_NO_TYPE(cudaMipmappedArray_t);
GLASSBOX_NO_CALL(cudaMalloc3DArray);
GLASSBOX_NO_CALL(cudaMallocMipmappedArray);
#undef GLASSBOX_SENTENCE

// -- Graphs with nodes of other sorts -------------------------------------------------------------
#define GLASSBOX_SENTENCE                                                                     \
  "the glass box has graphs of kernels, copies, memsets and host functions: launch the rest " \
  "without a graph"
GLASSBOX_NO_TYPE(cudaGraphNodeParams);
GLASSBOX_NO_TYPE(cudaGraphConditionalHandle);
GLASSBOX_NO_TYPE(cudaMemAllocNodeParams);
GLASSBOX_NO_CALL(cudaGraphAddNode);
GLASSBOX_NO_CALL(cudaGraphAddEventRecordNode);
GLASSBOX_NO_CALL(cudaGraphAddEventWaitNode);
GLASSBOX_NO_CALL(cudaGraphAddMemAllocNode);
GLASSBOX_NO_CALL(cudaGraphAddMemFreeNode);
GLASSBOX_NO_CALL(cudaGraphConditionalHandleCreate);
GLASSBOX_NO_CALL(cudaStreamGetCaptureInfo);
GLASSBOX_NO_CALL(cudaStreamUpdateCaptureDependencies);
#undef GLASSBOX_SENTENCE

// -- Other processes ------------------------------------------------------------------------------
#define GLASSBOX_SENTENCE \
  "the glass box shares no memory between processes: take it from cudaMalloc in one process"
GLASSBOX_NO_TYPE(cudaIpcMemHandle_t);
GLASSBOX_NO_TYPE(cudaIpcEventHandle_t);
GLASSBOX_NO_CALL(cudaIpcGetMemHandle);
GLASSBOX_NO_CALL(cudaIpcOpenMemHandle);
#undef GLASSBOX_SENTENCE

#undef GLASSBOX_NO_TYPE
#undef GLASSBOX_NO_CALL
#undef GLASSBOX_NO_READ
#undef GLASSBOX_NO_WRITE
