// SPDX-License-Identifier: MIT
/// \file  tests/common/side_aware/elementwise_probes.cu
#include "tests/common/side_aware/elementwise_probes.hpp"

#include "common/launch.cuh"
#include "common/side_aware/kernels/elementwise.cuh"
#include "common/side_aware/kernels/given_types.cuh"
#include "common/side_aware/operations/absmax.cuh"
#include "common/side_aware/operations/copy.cuh"
#include "common/side_aware/operations/rope.cuh"
#include "common/side_aware/operations/scale.cuh"
#include "common/side_aware/operations/sum.cuh"

// As the run-time compiler gets them: see operation_of_header().
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
namespace memcpy_listing {
using size_type = unsigned long long;
#include "tests/common/side_aware/listings/memcpy.txt"

#include "common/side_aware/kernels/operation_of_header.cuh"
}  // namespace memcpy_listing
namespace rope_listing {
using size_type = unsigned long long;
#include "tests/common/side_aware/listings/rope.txt"

#include "common/side_aware/kernels/operation_of_header.cuh"
}  // namespace rope_listing
namespace sideband_listing {
using size_type = unsigned long long;
#include "tests/common/side_aware/listings/sideband.txt"

#include "common/side_aware/kernels/operation_of_header.cuh"
}  // namespace sideband_listing
#pragma GCC diagnostic pop
static_assert(sideband_listing::OperationOfHeader::reverse_order);
static_assert(!memcpy_listing::OperationOfHeader::reverse_order);
static_assert(memcpy_listing::OperationOfHeader::input_evict[0]);
static_assert(sideband_listing::OperationOfHeader::input_evict[1]);
static_assert(ladder::side_aware::Copy::input_evict[0]);
static_assert(!ladder::side_aware::CopyOfKept::input_evict[0]);
static_assert(memcpy_listing::OperationOfHeader::pairs_in_batch == 4);
static_assert(rope_listing::OperationOfHeader::pairs_in_batch == 2);

namespace ladder::near_probes {
namespace {

using namespace side_aware;

struct Increment : OperationDefaults {
  using i0 = int;
  using o0 = int;
  __device__ static void apply(Element<Increment>& element) { element.out0 = element.in0 + 1; }
};

struct IncrementReverse : OperationDefaults {
  using i0 = int;
  using o0 = int;
  static constexpr bool reverse_order = true;
  static constexpr int pairs_in_batch = 2;
  __device__ static void apply(Element<IncrementReverse>& element) {
    element.out0 = element.in0 + 1;
  }
};

/// Counts in the sideband's memory.
template <bool reverse>
struct Turns : OperationDefaults {
  using o0 = int;
  static constexpr bool reverse_order = reverse;
  __device__ static void apply(Element<Turns>& element) {
    element.out0 = atomicAdd(const_cast<int*>(element.sideband.memory), 1);
  }
};

/// Reads its first input back to front, by vectors, and skips each third vector.
struct Mix : OperationDefaults {
  using i0 = float;
  using i1 = short;
  using i2 = signed char;
  using i3 = double;
  using o0 = float;
  using o1 = double;
  using o2 = short;
  using o3 = int;
  static constexpr int pairs_in_batch = 1;
  static constexpr bool input_evict[4] = {true, false, true, false};

  template <class Index>
  __device__ static bool indexing(Index vector, int, Index (&inputs)[4], const Sideband& sideband) {
    inputs[0] = static_cast<Index>(sideband.memory[0]) - vector;
    return vector % 3 == 2;
  }
  __device__ static void apply(Element<Mix>& element) {
    element.out0 = element.in0 + element.in1;
    element.out1 = element.in3 * element.sideband.value;
    element.out2 = element.in2;
    element.out3 = static_cast<int>(element.index);
  }
};

template <class Operation>
__global__ void aligned_kernel(const ElementwiseArguments arguments) {
  elementwise_aligned<Operation>(arguments);
}

template <class Operation>
__global__ void anywhere_kernel(const ElementwiseArguments arguments) {
  elementwise_anywhere<Operation>(arguments);
}

template <class Visit>
void with_operation(Probe probe, Visit visit) {
  switch (probe) {
    case Probe::increment:
      return visit(Increment{});
    case Probe::increment_reverse:
      return visit(IncrementReverse{});
    case Probe::turns:
      return visit(Turns<false>{});
    case Probe::turns_reverse:
      return visit(Turns<true>{});
    case Probe::sum:
      return visit(Total{});
    case Probe::absmax:
      return visit(AbsMax{});
    case Probe::rope:
      return visit(Rope{});
    case Probe::first_absmax:
      return visit(FirstAbsMax{});
    case Probe::scale:
      return visit(Scale{});
    case Probe::scale_backwards:
      return visit(ScaleBackwards{});
    case Probe::copy_of_kept:
      return visit(CopyOfKept{});
    case Probe::copy_bytes:
      return visit(CopyBytes{});
    case Probe::mix:
      return visit(Mix{});
    case Probe::listed_copy:
      return visit(memcpy_listing::OperationOfHeader{});
    case Probe::listed_rope:
      return visit(rope_listing::OperationOfHeader{});
    case Probe::listed_sideband:
      return visit(sideband_listing::OperationOfHeader{});
  }
}

}  // namespace

OperationShape shape_of(Probe probe) {
  OperationShape shape = {};
  with_operation(probe,
                 [&](auto operation) { shape = side_aware::shape_of<decltype(operation)>(); });
  return shape;
}

void run(Probe probe, const ElementwiseArguments& arguments, bool aligned, unsigned blocks) {
  with_operation(probe, [&](auto operation) {
    using Operation = decltype(operation);
    const LaunchShape shape = {.grid = dim3(blocks), .block = dim3(kThreads)};
    launch(aligned ? aligned_kernel<Operation> : anywhere_kernel<Operation>, shape, arguments);
  });
}

}  // namespace ladder::near_probes
