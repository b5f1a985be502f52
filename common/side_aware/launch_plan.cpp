// SPDX-License-Identifier: MIT
/// \file  common/side_aware/launch_plan.cpp
#include "common/side_aware/launch_plan.hpp"

#include <algorithm>
#include <bit>

#include "common/side_aware/error.hpp"
#include "common/side_aware/kernels/work_split.hpp"

namespace ladder::side_aware {
namespace {

/// Bit 21: pages of a block take turns.
constexpr std::uint64_t kPageRule = kPageBytes;
/// Batches begin here in memory, so that none lies in two pages.
constexpr std::uint64_t kBatchAlignment = std::uint64_t{kMostPairsInBatch} * kPairBytes;
constexpr std::uint64_t kMostAlignedVectors = std::uint64_t{1} << 31;

/// The granule's own bit, so that both halves of a pair are taken, and bits that no side depends
/// on.
std::uint64_t random_mask(std::uint64_t mask) {
  return kGranuleBytes | (~mask & 0x1FE000u);
}

void check_array(Address address, unsigned alignment, const std::string& what) {
  if (alignment == 0 && address != 0) {
    throw SideAwareError("The operation has no " + what + ", but an array is given for it");
  }
  if (alignment != 0 && address == 0) {
    throw SideAwareError("The operation has an " + what + ", and no array is given for it");
  }
  if (alignment != 0 && address % alignment != 0) {
    throw SideAwareError("The array of the operation's " + what +
                         " begins at an address that is "
                         "no multiple of " +
                         std::to_string(alignment) + " bytes, which its vectors need");
  }
}

void check_arrays(const OperationShape& shape, const Arrays& arrays) {
  for (std::size_t i = 0; i < 4; ++i) {
    const std::string number = std::to_string(i);
    check_array(arrays.outputs[i], shape.output_alignment[i], "output " + number);
    check_array(arrays.inputs[i], shape.input_alignment[i], "input " + number);
  }
}

/// Bits for the pages from `first` on, of a block whose pages have flags.
std::vector<unsigned> flags_from(const SideRule& rule, Address first) {
  if (std::ranges::count(rule.off_rule, true) == 0) return {};
  const auto skipped = static_cast<std::size_t>((first - rule.block) / kPageBytes);
  std::vector<unsigned> words((rule.off_rule.size() - skipped + 31) / 32);
  for (std::size_t page = skipped; page < rule.off_rule.size(); ++page) {
    const std::size_t place = page - skipped;
    if (rule.off_rule[page]) words[place / 32] |= 1u << place % 32;
  }
  return words;
}

}  // namespace

std::string name_of(Assignment assignment) {
  constexpr std::array kNames = {"off", "right", "wrong", "random"};
  return kNames.at(static_cast<std::size_t>(assignment));
}

std::array<unsigned, 2> slots_of(const std::vector<int>& side_of_sm, unsigned blocks_per_sm) {
  const auto sms = static_cast<unsigned>(side_of_sm.size());
  const auto ones = static_cast<unsigned>(std::ranges::count(side_of_sm, 1));
  std::array<unsigned, 2> slots = {(sms - ones) * blocks_per_sm, ones * blocks_per_sm};
  // Both halves of each pair need somebody, even if all SMs are on one side.
  const unsigned all = std::max(slots[0] + slots[1], 2u);
  if (slots[0] == 0 || slots[1] == 0) slots = {all / 2, all - all / 2};
  return slots;
}

LaunchPlan plan_launch(const OperationShape& shape, const Arrays& arrays,
                       const std::optional<SideRule>& rule, const GpuSides& sides,
                       Assignment assignment, unsigned blocks_per_sm) {
  check_arrays(shape, arrays);
  const Address lead = shape.leads_with_output != 0 ? arrays.outputs[0] : arrays.inputs[0];
  if (lead % kVectorBytes != 0)
    throw SideAwareError("The leading array begins at an address that is no multiple of 16 bytes");
  const std::uint64_t width = kVectorBytes / shape.element_bytes;
  LaunchPlan plan;
  ElementwiseArguments& arguments = plan.arguments;
  for (std::size_t i = 0; i < 4; ++i) {
    arguments.outputs[i] = std::bit_cast<void*>(arrays.outputs[i]);
    arguments.inputs[i] = std::bit_cast<const void*>(arrays.inputs[i]);
  }
  arguments.elements = arrays.elements;
  arguments.vectors = arrays.elements / width;

  const Address start = lead / kBatchAlignment * kBatchAlignment;
  arguments.lead_vectors = (lead - start) / kVectorBytes;
  arguments.start_vector = static_cast<unsigned>(start / kVectorBytes);
  const bool known = rule && sides.mask != 0;
  if (known && assignment != Assignment::off) {
    const bool random = assignment == Assignment::random;
    const std::uint64_t mask = random ? random_mask(sides.mask) : sides.mask | kPageRule;
    arguments.mask = static_cast<unsigned>(mask / kVectorBytes);
    arguments.flip = assignment == Assignment::wrong ? 1 : 0;
    if (!random) plan.page_flags = flags_from(*rule, start);
  }
  plan.aligned =
      lead % kPageBytes == 0 && arguments.vectors < kMostAlignedVectors && plan.page_flags.empty();
  const std::array<unsigned, 2> slots = slots_of(sides.of_sm, blocks_per_sm);
  std::ranges::copy(slots, arguments.slots);
  plan.blocks = slots[0] + slots[1];
  arguments.sm_count = static_cast<unsigned>(sides.of_sm.size());
  return plan;
}

int side_of(Address address, const SideRule& rule, std::uint64_t mask) {
  const auto page = static_cast<std::size_t>((address - rule.block) / kPageBytes);
  const bool flagged = page < rule.off_rule.size() && rule.off_rule[page];
  return (std::popcount(address & (mask | kPageRule)) & 1) ^ (flagged ? 1 : 0);
}

}  // namespace ladder::side_aware
