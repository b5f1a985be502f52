// SPDX-License-Identifier: MIT
/// \file  common/side_aware/host_walk.cpp
#include "common/side_aware/host_walk.hpp"

#include "common/side_aware/kernels/work_split.hpp"

namespace ladder::side_aware {

void visit_granules(const LaunchPlan& plan, unsigned side, unsigned index, unsigned pairs_in_batch,
                    const std::function<void(std::int64_t vector)>& visit) {
  const ElementwiseArguments& arguments = plan.arguments;
  const std::uint64_t batches =
      batches_of<std::uint64_t>(arguments.lead_vectors + arguments.vectors + 1, pairs_in_batch);
  const unsigned in_page = arguments.start_vector & ((1u << kPageVectorBits) - 1);
  for (std::uint64_t batch = index; batch < batches; batch += arguments.slots[side]) {
    const std::uint64_t begin = batch * batch_vectors(pairs_in_batch);
    unsigned flip = arguments.flip ^ side;
    if (!plan.page_flags.empty()) {
      const auto page = static_cast<unsigned>((begin + in_page) >> kPageVectorBits);
      flip ^= plan.page_flags[page / 32] >> page % 32 & 1u;
    }
    for (unsigned i = 0; i < pairs_in_batch; ++i) {
      const std::uint64_t pair = begin + std::uint64_t{i} * kPairVectors;
      const unsigned bits = (static_cast<unsigned>(pair) + arguments.start_vector) & arguments.mask;
      const std::uint64_t half = half_of(ones_in(bits), flip);
      const std::uint64_t place = pair + half * kGranuleVectors;
      visit(static_cast<std::int64_t>(place) - static_cast<std::int64_t>(arguments.lead_vectors));
    }
  }
}

}  // namespace ladder::side_aware
