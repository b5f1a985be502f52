// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/error_list.hpp
/// \brief The list of CUDA's error codes: name, number and what cudaGetErrorString() says.
#pragma once

/// LADDER_ERROR(name, value, text): one line for each.
#define LADDER_ERRORS(LADDER_ERROR)                                                                \
  LADDER_ERROR(cudaSuccess, 0, "no error")                                                         \
  LADDER_ERROR(cudaErrorInvalidValue, 1, "invalid argument")                                       \
  LADDER_ERROR(cudaErrorMemoryAllocation, 2, "out of memory")                                      \
  LADDER_ERROR(cudaErrorInitializationError, 3, "initialization error")                            \
  LADDER_ERROR(cudaErrorCudartUnloading, 4, "driver shutting down")                                \
  LADDER_ERROR(cudaErrorProfilerDisabled, 5,                                                       \
               "profiler disabled while using external profiling tool")                            \
  LADDER_ERROR(cudaErrorProfilerNotInitialized, 6,                                                 \
               "profiler not initialized: call cudaProfilerInitialize()")                          \
  LADDER_ERROR(cudaErrorProfilerAlreadyStarted, 7, "profiler already started")                     \
  LADDER_ERROR(cudaErrorProfilerAlreadyStopped, 8, "profiler already stopped")                     \
  LADDER_ERROR(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")                 \
  LADDER_ERROR(cudaErrorInvalidPitchValue, 12, "invalid pitch argument")                           \
  LADDER_ERROR(cudaErrorInvalidSymbol, 13, "invalid device symbol")                                \
  LADDER_ERROR(cudaErrorInvalidHostPointer, 16, "invalid host pointer")                            \
  LADDER_ERROR(cudaErrorInvalidDevicePointer, 17, "invalid device pointer")                        \
  LADDER_ERROR(cudaErrorInvalidTexture, 18, "invalid texture reference")                           \
  LADDER_ERROR(cudaErrorInvalidTextureBinding, 19, "texture is not bound to a pointer")            \
  LADDER_ERROR(cudaErrorInvalidChannelDescriptor, 20, "invalid channel descriptor")                \
  LADDER_ERROR(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy")           \
  LADDER_ERROR(cudaErrorAddressOfConstant, 22, "invalid address of constant")                      \
  LADDER_ERROR(cudaErrorTextureFetchFailed, 23, "fetch from texture failed")                       \
  LADDER_ERROR(cudaErrorTextureNotBound, 24, "cannot fetch from a texture that is not bound")      \
  LADDER_ERROR(cudaErrorSynchronizationError, 25, "incorrect use of __syncthreads()")              \
  LADDER_ERROR(cudaErrorInvalidFilterSetting, 26,                                                  \
               "linear filtering not supported for non-float type")                                \
  LADDER_ERROR(cudaErrorInvalidNormSetting, 27,                                                    \
               "read as normalized float not supported for data type")                             \
  LADDER_ERROR(cudaErrorMixedDeviceExecution, 28,                                                  \
               "device emulation mode and device execution mode cannot be mixed")                  \
  LADDER_ERROR(cudaErrorNotYetImplemented, 31, "feature not yet implemented")                      \
  LADDER_ERROR(cudaErrorMemoryValueTooLarge, 32,                                                   \
               "memory size or pointer value too large to fit in 32 bit")                          \
  LADDER_ERROR(cudaErrorStubLibrary, 34, "CUDA driver is a stub library")                          \
  LADDER_ERROR(cudaErrorInsufficientDriver, 35,                                                    \
               "CUDA driver version is insufficient for CUDA runtime version")                     \
  LADDER_ERROR(cudaErrorCallRequiresNewerDriver, 36,                                               \
               "API call is not supported in the installed CUDA driver")                           \
  LADDER_ERROR(cudaErrorInvalidSurface, 37, "invalid surface reference")                           \
  LADDER_ERROR(cudaErrorDuplicateVariableName, 43,                                                 \
               "duplicate global variable looked up by string name")                               \
  LADDER_ERROR(cudaErrorDuplicateTextureName, 44, "duplicate texture looked up by string name")    \
  LADDER_ERROR(cudaErrorDuplicateSurfaceName, 45, "duplicate surface looked up by string name")    \
  LADDER_ERROR(cudaErrorDevicesUnavailable, 46,                                                    \
               "CUDA-capable device(s) is/are busy or unavailable")                                \
  LADDER_ERROR(cudaErrorIncompatibleDriverContext, 49, "incompatible driver context")              \
  LADDER_ERROR(cudaErrorMissingConfiguration, 52, "__global__ function call is not configured")    \
  LADDER_ERROR(cudaErrorPriorLaunchFailure, 53, "unspecified launch failure in prior launch")      \
  LADDER_ERROR(cudaErrorLaunchMaxDepthExceeded, 65,                                                \
               "launch would exceed maximum depth of nested launches")                             \
  LADDER_ERROR(cudaErrorLaunchFileScopedTex, 66,                                                   \
               "launch failed because kernel uses unsupported, file-scoped textures (texture "     \
               "objects are supported)")                                                           \
  LADDER_ERROR(cudaErrorLaunchFileScopedSurf, 67,                                                  \
               "launch failed because kernel uses unsupported, file-scoped surfaces (surface "     \
               "objects are supported)")                                                           \
  LADDER_ERROR(cudaErrorSyncDepthExceeded, 68,                                                     \
               "cudaDeviceSynchronize failed because caller's grid depth exceeds "                 \
               "cudaLimitDevRuntimeSyncDepth")                                                     \
  LADDER_ERROR(cudaErrorLaunchPendingCountExceeded, 69,                                            \
               "launch failed because launch would exceed cudaLimitDevRuntimePendingLaunchCount")  \
  LADDER_ERROR(cudaErrorInvalidDeviceFunction, 98, "invalid device function")                      \
  LADDER_ERROR(cudaErrorNoDevice, 100, "no CUDA-capable device is detected")                       \
  LADDER_ERROR(cudaErrorInvalidDevice, 101, "invalid device ordinal")                              \
  LADDER_ERROR(cudaErrorDeviceNotLicensed, 102, "device doesn't have valid Grid license")          \
  LADDER_ERROR(cudaErrorSoftwareValidityNotEstablished, 103, "integrity checks failed")            \
  LADDER_ERROR(cudaErrorStartupFailure, 127, "startup failure in cuda runtime")                    \
  LADDER_ERROR(cudaErrorInvalidKernelImage, 200, "device kernel image is invalid")                 \
  LADDER_ERROR(cudaErrorDeviceUninitialized, 201, "invalid device context")                        \
  LADDER_ERROR(cudaErrorMapBufferObjectFailed, 205, "mapping of buffer object failed")             \
  LADDER_ERROR(cudaErrorUnmapBufferObjectFailed, 206, "unmapping of buffer object failed")         \
  LADDER_ERROR(cudaErrorArrayIsMapped, 207, "array is mapped")                                     \
  LADDER_ERROR(cudaErrorAlreadyMapped, 208, "resource already mapped")                             \
  LADDER_ERROR(cudaErrorNoKernelImageForDevice, 209,                                               \
               "no kernel image is available for execution on the device")                         \
  LADDER_ERROR(cudaErrorAlreadyAcquired, 210, "resource already acquired")                         \
  LADDER_ERROR(cudaErrorNotMapped, 211, "resource not mapped")                                     \
  LADDER_ERROR(cudaErrorNotMappedAsArray, 212, "resource not mapped as array")                     \
  LADDER_ERROR(cudaErrorNotMappedAsPointer, 213, "resource not mapped as pointer")                 \
  LADDER_ERROR(cudaErrorECCUncorrectable, 214, "uncorrectable ECC error encountered")              \
  LADDER_ERROR(cudaErrorUnsupportedLimit, 215, "limit is not supported on this architecture")      \
  LADDER_ERROR(cudaErrorDeviceAlreadyInUse, 216,                                                   \
               "exclusive-thread device already in use by a different thread")                     \
  LADDER_ERROR(cudaErrorPeerAccessUnsupported, 217,                                                \
               "peer access is not supported between these two devices")                           \
  LADDER_ERROR(cudaErrorInvalidPtx, 218, "a PTX JIT compilation failed")                           \
  LADDER_ERROR(cudaErrorInvalidGraphicsContext, 219, "invalid OpenGL or DirectX context")          \
  LADDER_ERROR(cudaErrorNvlinkUncorrectable, 220,                                                  \
               "uncorrectable NVLink error detected during the execution")                         \
  LADDER_ERROR(cudaErrorJitCompilerNotFound, 221, "PTX JIT compiler library not found")            \
  LADDER_ERROR(cudaErrorUnsupportedPtxVersion, 222,                                                \
               "the provided PTX was compiled with an unsupported toolchain.")                     \
  LADDER_ERROR(cudaErrorJitCompilationDisabled, 223, "PTX JIT compilation was disabled")           \
  LADDER_ERROR(cudaErrorUnsupportedExecAffinity, 224,                                              \
               "the provided execution affinity is not supported")                                 \
  LADDER_ERROR(cudaErrorUnsupportedDevSideSync, 225,                                               \
               "the provided PTX contains unsupported call to cudaDeviceSynchronize")              \
  LADDER_ERROR(cudaErrorContained, 226,                                                            \
               "Invalid access of peer GPU memory over nvlink or a hardware error")                \
  LADDER_ERROR(cudaErrorInvalidSource, 300, "device kernel image is invalid")                      \
  LADDER_ERROR(cudaErrorFileNotFound, 301, "file not found")                                       \
  LADDER_ERROR(cudaErrorSharedObjectSymbolNotFound, 302, "shared object symbol not found")         \
  LADDER_ERROR(cudaErrorSharedObjectInitFailed, 303, "shared object initialization failed")        \
  LADDER_ERROR(cudaErrorOperatingSystem, 304,                                                      \
               "OS call failed or operation not supported on this OS")                             \
  LADDER_ERROR(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")                     \
  LADDER_ERROR(cudaErrorIllegalState, 401,                                                         \
               "the operation cannot be performed in the present state")                           \
  LADDER_ERROR(cudaErrorLossyQuery, 402, "attempted introspection would be semantically lossy")    \
  LADDER_ERROR(cudaErrorSymbolNotFound, 500, "named symbol not found")                             \
  LADDER_ERROR(cudaErrorNotReady, 600, "device not ready")                                         \
  LADDER_ERROR(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered")           \
  LADDER_ERROR(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch")      \
  LADDER_ERROR(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated")             \
  LADDER_ERROR(cudaErrorLaunchIncompatibleTexturing, 703,                                          \
               "launch uses incompatible texturing mode")                                          \
  LADDER_ERROR(cudaErrorPeerAccessAlreadyEnabled, 704, "peer access is already enabled")           \
  LADDER_ERROR(cudaErrorPeerAccessNotEnabled, 705, "peer access has not been enabled")             \
  LADDER_ERROR(cudaErrorSetOnActiveProcess, 708,                                                   \
               "cannot set while device is active in this process")                                \
  LADDER_ERROR(cudaErrorContextIsDestroyed, 709, "context is destroyed")                           \
  LADDER_ERROR(cudaErrorAssert, 710, "device-side assert triggered")                               \
  LADDER_ERROR(cudaErrorTooManyPeers, 711, "peer mapping resources exhausted")                     \
  LADDER_ERROR(cudaErrorHostMemoryAlreadyRegistered, 712,                                          \
               "part or all of the requested memory range is already mapped")                      \
  LADDER_ERROR(cudaErrorHostMemoryNotRegistered, 713,                                              \
               "pointer does not correspond to a registered memory region")                        \
  LADDER_ERROR(cudaErrorHardwareStackError, 714, "hardware stack error")                           \
  LADDER_ERROR(cudaErrorIllegalInstruction, 715, "an illegal instruction was encountered")         \
  LADDER_ERROR(cudaErrorMisalignedAddress, 716, "misaligned address")                              \
  LADDER_ERROR(cudaErrorInvalidAddressSpace, 717,                                                  \
               "operation not supported on global/shared address space")                           \
  LADDER_ERROR(cudaErrorInvalidPc, 718, "invalid program counter")                                 \
  LADDER_ERROR(cudaErrorLaunchFailure, 719, "unspecified launch failure")                          \
  LADDER_ERROR(cudaErrorCooperativeLaunchTooLarge, 720, "too many blocks in cooperative launch")   \
  LADDER_ERROR(cudaErrorTensorMemoryLeak, 721, "tensor memory not completely freed")               \
  LADDER_ERROR(cudaErrorNotPermitted, 800, "operation not permitted")                              \
  LADDER_ERROR(cudaErrorNotSupported, 801, "operation not supported")                              \
  LADDER_ERROR(cudaErrorSystemNotReady, 802, "system not yet initialized")                         \
  LADDER_ERROR(cudaErrorSystemDriverMismatch, 803,                                                 \
               "system has unsupported display driver / cuda driver combination")                  \
  LADDER_ERROR(cudaErrorCompatNotSupportedOnDevice, 804,                                           \
               "forward compatibility was attempted on non supported HW")                          \
  LADDER_ERROR(cudaErrorMpsConnectionFailed, 805,                                                  \
               "MPS client failed to connect to the MPS control daemon or the MPS server")         \
  LADDER_ERROR(cudaErrorMpsRpcFailure, 806,                                                        \
               "the remote procedural call between the MPS server and the MPS client failed")      \
  LADDER_ERROR(cudaErrorMpsServerNotReady, 807,                                                    \
               "MPS server is not ready to accept new MPS client requests")                        \
  LADDER_ERROR(cudaErrorMpsMaxClientsReached, 808,                                                 \
               "the hardware resources required to create MPS client have been exhausted")         \
  LADDER_ERROR(                                                                                    \
      cudaErrorMpsMaxConnectionsReached, 809,                                                      \
      "the hardware resources required to support device connections have been exhausted")         \
  LADDER_ERROR(cudaErrorMpsClientTerminated, 810,                                                  \
               "the MPS client has been terminated by the server")                                 \
  LADDER_ERROR(cudaErrorCdpNotSupported, 811,                                                      \
               "is using CUDA Dynamic Parallelism, but the current configuration, like MPS, does " \
               "not support it")                                                                   \
  LADDER_ERROR(cudaErrorCdpVersionMismatch, 812,                                                   \
               "unsupported interaction between different versions of CUDA Dynamic Parallelism")   \
  LADDER_ERROR(cudaErrorStreamCaptureUnsupported, 900,                                             \
               "operation not permitted when stream is capturing")                                 \
  LADDER_ERROR(cudaErrorStreamCaptureInvalidated, 901,                                             \
               "operation failed due to a previous error during capture")                          \
  LADDER_ERROR(cudaErrorStreamCaptureMerge, 902,                                                   \
               "operation would result in a merge of separate capture sequences")                  \
  LADDER_ERROR(cudaErrorStreamCaptureUnmatched, 903,                                               \
               "capture was not ended in the same stream as it began")                             \
  LADDER_ERROR(cudaErrorStreamCaptureUnjoined, 904, "capturing stream has unjoined work")          \
  LADDER_ERROR(cudaErrorStreamCaptureIsolation, 905,                                               \
               "dependency created on uncaptured work in another stream")                          \
  LADDER_ERROR(cudaErrorStreamCaptureImplicit, 906,                                                \
               "operation would make the legacy stream depend on a capturing blocking stream")     \
  LADDER_ERROR(cudaErrorCapturedEvent, 907,                                                        \
               "operation not permitted on an event last recorded in a capturing stream")          \
  LADDER_ERROR(cudaErrorStreamCaptureWrongThread, 908,                                             \
               "attempt to terminate a thread-local capture sequence from another thread")         \
  LADDER_ERROR(cudaErrorTimeout, 909, "wait operation timed out")                                  \
  LADDER_ERROR(cudaErrorGraphExecUpdateFailure, 910,                                               \
               "the graph update was not performed because it included changes which violated "    \
               "constraints specific to instantiated graph update")                                \
  LADDER_ERROR(cudaErrorExternalDevice, 911,                                                       \
               "an async error has occur"                                                          \
               "ed in external entity outside of CUDA")                                            \
  LADDER_ERROR(cudaErrorInvalidClusterSize, 912,                                                   \
               "a kernel launch error has occurred due to cluster misconfiguration")               \
  LADDER_ERROR(                                                                                    \
      cudaErrorFunctionNotLoaded, 913,                                                             \
      "the function handle is not loaded when calling an API that requires a loaded function")     \
  LADDER_ERROR(cudaErrorInvalidResourceType, 914,                                                  \
               "one or more resources passed in are not valid resource types for the operation")   \
  LADDER_ERROR(cudaErrorInvalidResourceConfiguration, 915,                                         \
               "one or more resources are insufficient or non-applicable for the operation")       \
  LADDER_ERROR(cudaErrorUnknown, 999, "unknown error")
