// SPDX-License-Identifier: MIT
/// \file  common/side_aware/kernels/operation_of_header.cuh
/// \brief Makes an operation of what stands before it: types o0 to o3 and i0 to i3, reverse_order,
///        input_evict and elementwise_op(); UNROLLED and CUSTOM_IDX_FUNC with indexing() if they
///        are there. Needs kernels/given_types.cuh. May be included in several namespaces.

#ifdef CUSTOM_IDX_FUNC
/// indexing() by another name: the struct has a function of that name.
__device__ inline bool given_indexing(size_type vector, int width, size_type (&inputs)[4],
                                      int* memory, int value) {
  return indexing(vector, width, inputs[0], inputs[1], inputs[2], inputs[3], memory, value);
}
#endif

struct OperationOfHeader
    : ladder::side_aware::GivenTypes<o0, o1, o2, o3, i0, i1, i2, i3, reverse_order, input_evict[0],
                                     input_evict[1], input_evict[2], input_evict[3],
#ifdef UNROLLED
                                     UNROLLED
#else
                                     4
#endif
                                     > {
#ifdef CUSTOM_IDX_FUNC
  template <class Index>
  __device__ static bool indexing(Index vector, int width, Index (&inputs)[4],
                                  const ladder::side_aware::Sideband& sideband) {
    size_type of_input[4] = {vector, vector, vector, vector};
    const bool skipped =
        given_indexing(vector, width, of_input, const_cast<int*>(sideband.memory), sideband.value);
    for (int i = 0; i < 4; ++i)
      inputs[i] = static_cast<Index>(of_input[i]);
    return skipped;
  }
#endif

  __device__ static void apply(ladder::side_aware::Element<OperationOfHeader>& element) {
    elementwise_op(element.index, element.sideband.value, Out0().of(element.out0),
                   Out1().of(element.out1), Out2().of(element.out2), Out3().of(element.out3),
                   In0().of(element.in0), In1().of(element.in1), In2().of(element.in2),
                   In3().of(element.in3));
  }
};

#undef UNROLLED
#undef CUSTOM_IDX_FUNC
