// SPDX-License-Identifier: MIT
/// \file  common/side_aware/kernels/element.cuh
/// \brief Elements and vectors of up to four inputs and four outputs, and what an operation may say
///        about itself.
#pragma once

#include "common/device.cuh"
#include "common/side_aware/kernels/arguments.hpp"
#include "common/side_aware/kernels/work_split.hpp"

namespace ladder::side_aware {

/// The type of an input, output or sum that there is not.
struct None {};

template <class T>
inline constexpr bool is_none = false;
template <>
inline constexpr bool is_none<None> = true;

/// What an operation inherits and may replace. It has to have apply(), and an input or output.
struct OperationDefaults {
  using o0 = None;
  using o1 = None;
  using o2 = None;
  using o3 = None;
  using i0 = None;
  using i1 = None;
  using i2 = None;
  using i3 = None;
  /// Of a reduction: also start() and combine(a, b).
  using Sum = None;
  /// Works from the end to the start: what the kernel before left in L2 is then read first.
  static constexpr bool reverse_order = false;
  /// Inputs that nobody reads again soon: they leave L2 first.
  static constexpr bool input_evict[4] = {false, false, false, false};
  /// Vectors that a thread has in flight.
  static constexpr int pairs_in_batch = 4;

  /// \brief  Where the inputs of a vector are.
  /// \param  vector  its number in the leading array
  /// \param  width   elements of a vector
  /// \param  inputs  (4)  numbers of their vectors; on entry, all are `vector`
  /// \return whether to skip the vector: nothing is read or written then
  template <class Index>
  __device__ static bool indexing(Index vector, int width, Index (&inputs)[4],
                                  const Sideband& sideband) {
    (void)vector, (void)width, (void)inputs, (void)sideband;
    return false;
  }
};

/// One element of all arrays, as an operation sees it.
template <class Operation>
struct Element {
  unsigned long long index;  ///< in the leading array
  Sideband sideband;
  typename Operation::i0 in0;
  typename Operation::i1 in1;
  typename Operation::i2 in2;
  typename Operation::i3 in3;
  typename Operation::o0 out0;
  typename Operation::o1 out1;
  typename Operation::o2 out2;
  typename Operation::o3 out3;
  typename Operation::Sum sum;  ///< of this thread so far
};

/// A thread's part of a reduction.
template <class Operation>
struct ThreadSum {
  typename Operation::Sum value;
  __device__ ThreadSum() {
    if constexpr (!is_none<typename Operation::Sum>) value = Operation::start();
  }
};

/// The first output, or the first input where there is no output: it decides who works on what.
template <class Operation, bool has_output = !is_none<typename Operation::o0>>
struct Leading {
  using Type = typename Operation::o0;
};
template <class Operation>
struct Leading<Operation, false> {
  using Type = typename Operation::i0;
};

/// Elements of a vector: 16 bytes of the leading array.
template <class Operation>
inline constexpr int kWidth = static_cast<int>(kVectorBytes /
                                               sizeof(typename Leading<Operation>::Type));

constexpr unsigned smaller(unsigned a, unsigned b) {
  return a < b ? a : b;
}

/// The largest words that an access can have.
template <unsigned bytes>
struct Word;
template <>
struct Word<16> {
  using Type = uint4;
};
template <>
struct Word<8> {
  using Type = uint2;
};
template <>
struct Word<4> {
  using Type = unsigned;
};
template <>
struct Word<2> {
  using Type = unsigned short;
};
template <>
struct Word<1> {
  using Type = unsigned char;
};

/// `width` elements in a row.
template <class T, int width>
struct Values {
  static constexpr unsigned kBytes = sizeof(T) * width;
  static constexpr unsigned kWordBytes = smaller(kBytes, kVectorBytes);
  static constexpr unsigned kWords = kBytes / kWordBytes;
  using WordType = typename Word<kWordBytes>::Type;

  alignas(kWordBytes) T value[width];  // (width)

  template <bool evict, class Index>
  __device__ __forceinline__ void load(const void* array, Index vector) {
    const WordType* const from = static_cast<const WordType*>(array) + vector * kWords;
    auto* const to = reinterpret_cast<WordType*>(value);
#pragma unroll
    for (unsigned i = 0; i < kWords; ++i) {
      if constexpr (evict)
        to[i] = __ldcs(from + i);
      else
        to[i] = from[i];
    }
  }

  template <class Index>
  __device__ __forceinline__ void store(void* array, Index vector) const {
    WordType* const to = static_cast<WordType*>(array) + vector * kWords;
    const auto* const from = reinterpret_cast<const WordType*>(value);
#pragma unroll
    for (unsigned i = 0; i < kWords; ++i)
      to[i] = from[i];
  }

  __device__ __forceinline__ T get(int i) const {
    return value[i];
  }
  __device__ __forceinline__ void set(int i, const T& element) {
    value[i] = element;
  }
};

/// No elements: nothing is loaded or stored.
template <int width>
struct Values<None, width> {
  template <bool evict, class Index>
  __device__ __forceinline__ void load(const void*, Index) {}
  template <class Index>
  __device__ __forceinline__ void store(void*, Index) const {}
  __device__ __forceinline__ None get(int) const { return {}; }
  __device__ __forceinline__ void set(int, const None&) {}
};

template <class T, class Operation>
constexpr unsigned alignment_of() {
  if constexpr (is_none<T>)
    return 0;
  else
    return Values<T, kWidth<Operation>>::kWordBytes;
}

/// Everything that the host has to know of an operation's types.
template <class Operation>
constexpr OperationShape shape_of() {
  using O = Operation;
  OperationShape shape = {};
  shape.element_bytes = sizeof(typename Leading<O>::Type);
  shape.leads_with_output = is_none<typename O::o0> ? 0u : 1u;
  shape.output_alignment[0] = alignment_of<typename O::o0, O>();
  shape.output_alignment[1] = alignment_of<typename O::o1, O>();
  shape.output_alignment[2] = alignment_of<typename O::o2, O>();
  shape.output_alignment[3] = alignment_of<typename O::o3, O>();
  shape.input_alignment[0] = alignment_of<typename O::i0, O>();
  shape.input_alignment[1] = alignment_of<typename O::i1, O>();
  shape.input_alignment[2] = alignment_of<typename O::i2, O>();
  shape.input_alignment[3] = alignment_of<typename O::i3, O>();
  shape.sum_bytes = is_none<typename O::Sum> ? 0u : static_cast<unsigned>(sizeof(typename O::Sum));
  return shape;
}

/// The vectors of all arrays that belong together.
template <class Operation>
struct Loaded {
  static constexpr int kElements = kWidth<Operation>;
  Values<typename Operation::i0, kElements> in0;
  Values<typename Operation::i1, kElements> in1;
  Values<typename Operation::i2, kElements> in2;
  Values<typename Operation::i3, kElements> in3;
  Values<typename Operation::o0, kElements> out0;
  Values<typename Operation::o1, kElements> out1;
  Values<typename Operation::o2, kElements> out2;
  Values<typename Operation::o3, kElements> out3;

  /// \return whether the operation skips this vector
  template <class Index>
  __device__ __forceinline__ bool load(const ElementwiseArguments& arguments, Index vector) {
    Index of_input[4] = {vector, vector, vector, vector};
    if (Operation::template indexing<Index>(vector, kElements, of_input, arguments.sideband))
      return true;
    in0.template load<Operation::input_evict[0]>(arguments.inputs[0], of_input[0]);
    in1.template load<Operation::input_evict[1]>(arguments.inputs[1], of_input[1]);
    in2.template load<Operation::input_evict[2]>(arguments.inputs[2], of_input[2]);
    in3.template load<Operation::input_evict[3]>(arguments.inputs[3], of_input[3]);
    return false;
  }

  template <class Index>
  __device__ __forceinline__ void apply(const ElementwiseArguments& arguments, Index vector,
                                        ThreadSum<Operation>& sum) {
#pragma unroll
    for (int i = 0; i < kElements; ++i) {
      Element<Operation> element;
      element.index = static_cast<unsigned long long>(vector) * kElements + i;
      element.sideband = arguments.sideband;
      element.in0 = in0.get(i);
      element.in1 = in1.get(i);
      element.in2 = in2.get(i);
      element.in3 = in3.get(i);
      element.sum = sum.value;
      Operation::apply(element);
      out0.set(i, element.out0);
      out1.set(i, element.out1);
      out2.set(i, element.out2);
      out3.set(i, element.out3);
      sum.value = element.sum;
    }
  }

  template <class Index>
  __device__ __forceinline__ void store(const ElementwiseArguments& arguments, Index vector) const {
    out0.store(arguments.outputs[0], vector);
    out1.store(arguments.outputs[1], vector);
    out2.store(arguments.outputs[2], vector);
    out3.store(arguments.outputs[3], vector);
  }
};

template <class T>
__device__ __forceinline__ T element_at(const void* array, unsigned long long index) {
  if constexpr (is_none<T>)
    return {};
  else
    return static_cast<const T*>(array)[index];
}

template <class T>
__device__ __forceinline__ void set_element(void* array, unsigned long long index, const T& value) {
  if constexpr (!is_none<T>) static_cast<T*>(array)[index] = value;
}

/// The elements that do not fill a vector, at the end of the arrays: one by one.
template <class Operation, class Index>
__device__ void last_elements(const ElementwiseArguments& arguments, Index vector,
                              ThreadSum<Operation>& sum) {
  constexpr unsigned kElements = kWidth<Operation>;
  Index of_input[4] = {vector, vector, vector, vector};
  if (Operation::template indexing<Index>(vector, kElements, of_input, arguments.sideband)) return;
  const auto first = static_cast<unsigned long long>(vector) * kElements;
  const auto input = [&](int k, unsigned i) {
    return static_cast<unsigned long long>(of_input[k]) * kElements + i;
  };
  for (unsigned i = 0; first + i < arguments.elements; ++i) {
    Element<Operation> element;
    element.index = first + i;
    element.sideband = arguments.sideband;
    element.in0 = element_at<typename Operation::i0>(arguments.inputs[0], input(0, i));
    element.in1 = element_at<typename Operation::i1>(arguments.inputs[1], input(1, i));
    element.in2 = element_at<typename Operation::i2>(arguments.inputs[2], input(2, i));
    element.in3 = element_at<typename Operation::i3>(arguments.inputs[3], input(3, i));
    element.sum = sum.value;
    Operation::apply(element);
    set_element(arguments.outputs[0], first + i, element.out0);
    set_element(arguments.outputs[1], first + i, element.out1);
    set_element(arguments.outputs[2], first + i, element.out2);
    set_element(arguments.outputs[3], first + i, element.out3);
    sum.value = element.sum;
  }
}

}  // namespace ladder::side_aware
