// SPDX-License-Identifier: MIT
/// \file  common/findings/call_reasons.hpp
/// \brief The list of all that is told of the host's part of a CUDA program: why a call fails, what
///        else it does wrong, and what is good to know.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace ladder {

/// LADDER_CALL(enumerator, group, code, sentence): one line for each reason. In the sentence,
/// {name} is a field, and what is in [brackets] is left out where one of its fields is not there.
#define LADDER_CALLS(LADDER_CALL)                                                                  \
  /* Pointers and sizes. */                                                                        \
  LADDER_CALL(kNullPointer, kCall, "null-pointer", "[the {role} is ]a null pointer")               \
  LADDER_CALL(kFreedMemory, kCall, "freed-memory",                                                 \
              "the {role} is in {array}, which was freed[ at {freed_file}:{freed_line}]")          \
  LADDER_CALL(kHostMemory, kCall, "host-memory",                                                   \
              "the {role} is memory of the host, not of the GPU")                                  \
  LADDER_CALL(kDeviceMemory, kCall, "device-memory",                                               \
              "the {role} is {array}, memory of the GPU, not of the host")                         \
  LADDER_CALL(kDoesNotFit, kCall, "does-not-fit",                                                  \
              "{bytes} bytes [from byte {from_byte} on ]do not fit: {array} has {array_bytes} "    \
              "bytes ({array_file}:{array_line})")                                                 \
  LADDER_CALL(kOutOfMemory, kCall, "out-of-memory",                                                \
              "{bytes} bytes; a {card} has {card_bytes}, of which {taken_bytes} are taken")        \
  LADDER_CALL(kMachineOutOfMemory, kCall, "machine-out-of-memory",                                 \
              "this machine has no {bytes} bytes left")                                            \
  LADDER_CALL(kNoDirection, kCall, "no-direction", "{direction} is no direction")                  \
  LADDER_CALL(kPitchTooSmall, kCall, "pitch-too-small",                                            \
              "a row of {width} bytes is longer than a pitch")                                     \
  LADDER_CALL(                                                                                     \
      kSymbolTooSmall, kCall, "symbol-too-small",                                                  \
      "{bytes} bytes from byte {from_byte} on do not fit: the variable has {symbol_bytes}")        \
  LADDER_CALL(kFreedBefore, kCall, "freed-before",                                                 \
              "{array} was freed before[, at {freed_file}:{freed_line}]")                          \
  LADDER_CALL(kNotStartOfArray, kCall, "not-start-of-array",                                       \
              "this is no start of an array of the GPU; it is in {array}")                         \
  LADDER_CALL(kNotOfDevice, kCall, "not-device-memory", "this is no memory of the GPU")            \
  LADDER_CALL(kNotPinned, kCall, "not-pinned-memory",                                              \
              "this memory is not of cudaMallocHost or cudaHostAlloc")                             \
  LADDER_CALL(kNotToRegister, kCall, "not-to-register",                                            \
              "this is no memory of the host's own, or is registered already")                     \
  LADDER_CALL(kNotRegistered, kCall, "not-registered", "this memory is not registered")            \
  /* The GPU. */                                                                                   \
  LADDER_CALL(kSharedTooLarge, kCall, "dynamic-shared-too-large",                                  \
              "{bytes} bytes of dynamic shared memory; a block on a {card} has at most {limit}")   \
  LADDER_CALL(kNoSuchDevice, kCall, "no-such-device",                                              \
              "there is one GPU, number 0[, and no number {device}]")                              \
  LADDER_CALL(kStackTooLarge, kCall, "stack-too-large",                                            \
              "a stack of {bytes} bytes; a thread has at most {most_bytes} of local memory")       \
  LADDER_CALL(kNoFigure, kLacks, "no-figure",                                                      \
              "device cards have no figure for attribute {attribute}")                             \
  /* Arrays, textures and surfaces. */                                                             \
  LADDER_CALL(kNoArray, kCall, "no-cuda-array", "this is no CUDA array, or it was freed")          \
  LADDER_CALL(                                                                                     \
      kPartDoesNotFit, kCall, "part-does-not-fit",                                                 \
      "{height} rows of {width} bytes from byte {x} of row {y} on do not fit: {array} has "        \
      "{rows} rows of {row_bytes}")                                                                \
  LADDER_CALL(kArrayWidthZero, kCall, "array-width-zero", "an array of width 0")                   \
  LADDER_CALL(kTexelFormat, kCall, "texel-format",                                                 \
              "a texel has 1, 2 or 4 channels of 8, 16 or 32 bits each, all alike; "               \
              "cudaCreateChannelDesc<float>() describes one")                                      \
  LADDER_CALL(kEndsOfCopy, kCall, "ends-of-copy",                                                  \
              "source and target are each either a CUDA array or the pointer of "                  \
              "make_cudaPitchedPtr")                                                               \
  LADDER_CALL(kTextureOfArray, kCall, "texture-of-array",                                          \
              "res.array.array is no array, or it was freed")                                      \
  LADDER_CALL(kNoMipmaps, kLacks, "no-mipmapped-arrays", "the glass box has no mipmapped arrays")  \
  LADDER_CALL(kNoViews, kLacks, "no-resource-views",                                               \
              "the glass box has no views of resources: pass a null pointer")                      \
  LADDER_CALL(kNoSrgb, kLacks, "no-srgb",                                                          \
              "the glass box has no sRGB: convert the colours by hand")                            \
  LADDER_CALL(kNoResourceType, kCall, "no-resource-type", "{type} is no resType")                  \
  LADDER_CALL(kTextureAlignment, kCall, "texture-alignment",                                       \
              "devPtr is no multiple of {multiple} bytes")                                         \
  LADDER_CALL(kTextureEmpty, kCall, "texture-empty", "a texture without texels")                   \
  LADDER_CALL(kTexturePitch, kCall, "texture-pitch",                                               \
              "pitchInBytes is {pitch}; it has to be a multiple of {multiple}, and at least the "  \
              "{row_bytes} bytes of a row")                                                        \
  LADDER_CALL(kFilterOfIntegers, kCall, "filter-of-integers",                                      \
              "cudaFilterModeLinear computes floats; integers, of 8 or 16 bits, need "             \
              "cudaReadModeNormalizedFloat with it")                                               \
  LADDER_CALL(kNormalisedWide, kCall, "normalised-wide-integers",                                  \
              "cudaReadModeNormalizedFloat wants integers of 8 or 16 bits, not of 32")             \
  LADDER_CALL(kNoTexture, kCall, "no-texture", "this is no texture object, or it was destroyed")   \
  LADDER_CALL(kSurfaceOfArray, kCall, "surface-of-array",                                          \
              "a surface is a CUDA array, resType cudaResourceTypeArray, that was not freed")      \
  LADDER_CALL(kNoSurface, kCall, "no-surface", "this is no surface object, or it was destroyed")   \
  /* Streams and events. */                                                                        \
  LADDER_CALL(kDefaultStream, kCall, "default-stream",                                             \
              "the default stream is not the program's to destroy")                                \
  LADDER_CALL(kTimeInCapture, kCall, "time-in-capture",                                            \
              "an event that was recorded in a capture has no time")                               \
  LADDER_CALL(kNeverRecorded, kCall, "never-recorded",                                             \
              "an event that was never recorded has no time")                                      \
  /* Streams that are captured. */                                                                 \
  LADDER_CALL(kStreamCaptured, kCall, "stream-captured",                                           \
              "the stream is captured, so none of its work runs: end the capture first")           \
  LADDER_CALL(kAnyStreamCaptured, kCall, "any-stream-captured",                                    \
              "a stream is captured, so none of its work runs: end the capture first")             \
  LADDER_CALL(kMayWait, kCall, "may-wait-in-capture",                                              \
              "CUDA may wait in this call, which the mode of a capture does not allow: call it "   \
              "before cudaStreamBeginCapture, or begin with cudaStreamCaptureModeRelaxed")         \
  LADDER_CALL(kDefaultStreamWaits, kCall, "default-stream-waits",                                  \
              "the default stream waits for a stream that is captured, so none of its work runs: " \
              "name that stream here, or create it with cudaStreamNonBlocking")                    \
  LADDER_CALL(kNotCaptured, kCall, "not-to-capture", "CUDA captures no such call")                 \
  LADDER_CALL(kEventCaptured, kCall, "event-captured",                                             \
              "the event was recorded in a stream that is captured, so it never happens: wait "    \
              "for the graph's launch")                                                            \
  LADDER_CALL(kMemoryInCapture, kLacks, "memory-in-capture",                                       \
              "the glass box has no graphs that take or free memory: call cudaMalloc before the "  \
              "capture")                                                                           \
  LADDER_CALL(kEventOfNoCapture, kCall, "event-of-no-capture",                                     \
              "the event was not recorded in this capture, so no launch of the graph could wait "  \
              "for it")                                                                            \
  LADDER_CALL(kEventOfEndedCapture, kCall, "event-of-ended-capture",                               \
              "the event was recorded in a capture that has ended, so it never happens")           \
  LADDER_CALL(kTwoCaptures, kCall, "two-captures",                                                 \
              "the stream and the event are of two captures, which make two graphs")               \
  LADDER_CALL(kDefaultStreamCapture, kCall, "default-stream-capture",                              \
              "the default stream cannot be captured: create one with cudaStreamCreate")           \
  LADDER_CALL(kCapturedAlready, kCall, "captured-already", "the stream is captured already")       \
  LADDER_CALL(kNoCapture, kCall, "no-capture", "the stream is not captured")                       \
  LADDER_CALL(kCaptureOfOther, kCall, "capture-of-other-stream",                                   \
              "the capture began in another stream, and ends there")                               \
  LADDER_CALL(kCaptureSpoilt, kCall, "capture-spoilt", "a call before has spoilt the capture")     \
  LADDER_CALL(kUnjoinedWork, kCall, "unjoined-work",                                               \
              "another stream has work that this one does not wait for: record an event behind "   \
              "it, and wait for that here with cudaStreamWaitEvent")                               \
  /* Graphs. */                                                                                    \
  LADDER_CALL(kNoGraph, kCall, "no-graph", "this is no graph, or it was destroyed")                \
  LADDER_CALL(kNoExec, kCall, "no-graph-exec",                                                     \
              "this was not made by cudaGraphInstantiate, or was destroyed")                       \
  LADDER_CALL(kForeignNode, kCall, "foreign-node", "it needs a node that is not of this graph")    \
  LADDER_CALL(kNodeTwice, kCall, "node-twice", "it names a node twice that it needs")              \
  LADDER_CALL(kNoKernel, kCall, "no-kernel", "func is no kernel; write `.func = (void*)kernel`")   \
  LADDER_CALL(kExtraArguments, kLacks, "extra-arguments",                                          \
              "the glass box takes arguments from kernelParams, not from extra")                   \
  LADDER_CALL(kGraphFlags, kCall, "graph-flags", "flags have to be 0")                             \
  LADDER_CALL(kElementSize, kCall, "element-size",                                                 \
              "elementSize is {bytes}; it has to be 1, 2 or 4")                                    \
  LADDER_CALL(kNeedsItself, kCall, "needs-itself", "a node cannot need itself")                    \
  LADDER_CALL(kNeededAlready, kCall, "needed-already", "it is there already")                      \
  LADDER_CALL(kCircle, kCall, "circle-of-nodes", "nodes need each other in a circle")              \
  LADDER_CALL(kNoKernelNode, kCall, "no-kernel-node",                                              \
              "this is no kernel node of the graph that was instantiated")                         \
  LADDER_CALL(kOtherGraph, kCall, "other-graph",                                                   \
              "the graph has other nodes or dependencies than the one that was instantiated: "     \
              "instantiate it again")                                                              \
  /* cuBLAS. */                                                                                    \
  LADDER_CALL(kNoHandle, kCall, "no-handle",                                                       \
              "the handle is not from cublasCreate, or was destroyed before")                      \
  LADDER_CALL(kBlasInCapture, kLacks, "cublas-in-capture",                                         \
              "the glass box has no graphs with cuBLAS: launch it outside of the capture")         \
  LADDER_CALL(kNegative, kCall, "negative-size", "{name} = {value} is negative")                   \
  LADDER_CALL(kLeadingDimension, kCall, "leading-dimension",                                       \
              "{name} = {value} is less than the {rows} rows of the matrix")                       \
  LADDER_CALL(kTypesOfProduct, kLacks, "types-of-product",                                         \
              "the glass box multiplies CUDA_R_16F, CUDA_R_16BF, CUDA_R_32F and CUDA_R_64F, with " \
              "A and B of one type")                                                               \
  LADDER_CALL(kIntegerProduct, kLacks, "integer-product", "the glass box multiplies no integers")  \
  LADDER_CALL(kColumns, kCall, "columns-of-copy",                                                  \
              "{rows} x {columns} elements of {bytes} bytes, columns of {from_columns} and "       \
              "{to_columns}")                                                                      \
  /* Accesses of the host. */                                                                      \
  LADDER_CALL(kHostAccess, kHost, "host-access",                                                   \
              "host code accesses {array}, which is memory of the GPU: copy it with cudaMemcpy, "  \
              "and use the copy")                                                                  \
  LADDER_CALL(kHostAccessFreed, kHost, "host-access-freed",                                        \
              "host code accesses {array}, which was freed[ at {freed_file}:{freed_line}]")        \
  /* What is left at the end. */                                                                   \
  LADDER_CALL(kNeverFreed, kLeak, "never-freed", "{array}, {bytes} bytes, was never freed")        \
  /* Good to know. */                                                                              \
  LADDER_CALL(                                                                                     \
      kUnwrittenCopied, kNote, "unwritten-elements-copied",                                        \
      "{unwritten} of the {elements} elements of {array} that are copied to the host were "        \
      "never written")                                                                             \
  LADDER_CALL(kHostTooLate, kNote, "host-too-late",                                                \
              "If {kernel} waits until the host writes {array}, it is right: the glass box runs "  \
              "each kernel to its end before the launch returns, so the host comes too late.")     \
  LADDER_CALL(kTimesOfCpu, kNote, "times-of-cpu",                                                  \
              "Times that this program took are those of the CPU: what runs here says nothing "    \
              "about how fast a GPU is.")                                                          \
  LADDER_CALL(kNoEffect, kNote, "no-effect",                                                       \
              "{call} has no effect here: kernels run without an L2.")                             \
  LADDER_CALL(kBlasNotTraced, kNote, "cublas-not-traced",                                          \
              "cuBLAS's calls were computed by OpenBLAS, in FP32 or FP64: right, and not traced.")

enum class CallReason {
#define LADDER_CALL(enumerator, group, code, sentence) enumerator,
  LADDER_CALLS(LADDER_CALL)
#undef LADDER_CALL
};

/// Reasons that readers treat alike.
enum class CallGroup {
  kCall,   ///< a call that CUDA refuses
  kLacks,  ///< right in CUDA, and not there in the glass box
  kHost,   ///< an access by the host that ends the program
  kLeak,   ///< memory that nobody freed: a warning
  kNote,   ///< not wrong at all
};

/// What is known of a reason.
struct CallReasonFacts {
  CallReason reason;
  CallGroup group;
  std::string_view code;      ///< "does-not-fit"; never changes
  std::string_view sentence;  ///< for people; may change
};

/// Of all reasons, in the order of their enumerators.
inline constexpr std::array kCallReasons = {
#define LADDER_CALL(enumerator, group, code, sentence) \
  CallReasonFacts{CallReason::enumerator, CallGroup::group, code, sentence},
    LADDER_CALLS(LADDER_CALL)
#undef LADDER_CALL
};

constexpr const CallReasonFacts& facts_of(CallReason reason) {
  return kCallReasons[static_cast<std::size_t>(reason)];
}
constexpr CallGroup group_of(CallReason reason) {
  return facts_of(reason).group;
}
/// "does-not-fit"
constexpr std::string_view code_of(CallReason reason) {
  return facts_of(reason).code;
}

/// "call", "lacks", "host", "leak", "note"
std::string_view code_of(CallGroup group);

}  // namespace ladder
