// SPDX-License-Identifier: MIT
/// \file  common/side_aware/kernels/arguments.hpp
/// \brief What the host passes to an elementwise kernel. Read by the host's compiler and by the
///        run-time compiler alike, so it has no includes.
#pragma once

namespace ladder::side_aware {

/// Something that all elements of one launch see. Its meaning is up to the operation.
struct Sideband {
  int value;          ///< often the bits of a float: a factor
  const int* memory;  ///< on the GPU, or nullptr
};

/// What the host has to know of an operation's types.
struct OperationShape {
  unsigned element_bytes;        ///< of the leading array
  unsigned leads_with_output;    ///< 1: the first output leads; 0: the first input
  unsigned output_alignment[4];  ///< in bytes; 0: there is no such output
  unsigned input_alignment[4];
  unsigned sum_bytes;  ///< 0: no reduction
};

struct ElementwiseArguments {
  void* outputs[4];
  const void* inputs[4];
  unsigned long long elements;
  unsigned long long vectors;       ///< whole vectors of 16 bytes of the leading array
  unsigned long long lead_vectors;  ///< from the aligned start of the first batch to the array
  unsigned start_vector;            ///< address of that start in vectors, its low 32 bits
  unsigned mask;                    ///< bits of a vector's number that choose the side
  unsigned flip;                    ///< 0 or 1
  unsigned sm_count;
  unsigned slots[2];                ///< of each side, at least 1
  const unsigned char* side_of_sm;  ///< (sm_count)
  unsigned* claims;                 ///< (3)  slots taken of each side, blocks done; zero
  const unsigned* page_flags;       ///< a bit for each page from that start on, or nullptr
  void* partial_sums;               ///< (slots of both sides)
  void* sum;                        ///< (1)
  Sideband sideband;
};

}  // namespace ladder::side_aware
