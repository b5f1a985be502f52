// SPDX-License-Identifier: MIT
/// \file  bench/labs/labs.cpp
/// \brief The table of labs.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bench/labs/lab.hpp"
#include "bench/labs/questions/labs.hpp"

namespace ladder::labs {
namespace {

constexpr std::array kLabs = {
    Lab{.number = "L00",
        .name = "device_card",
        .question = "What does the driver say about this GPU?",
        .quick_seconds = 1,
        .run = device_card},
    Lab{.number = "L01",
        .name = "latency",
        .question = "How does latency grow with the working set?",
        .quick_seconds = 15,
        .run = latency},
    Lab{.number = "L02",
        .name = "sectors",
        .question = "How many bytes does a miss bring?",
        .quick_seconds = 5,
        .run = sectors},
    Lab{.number = "L03",
        .name = "l2_bandwidth",
        .question = "How fast is L2, where does it end, and how does it replace lines?",
        .quick_seconds = 10,
        .run = l2_bandwidth},
    Lab{.number = "L04",
        .name = "set_aside",
        .question = "How much of a hot array survives a stream, if a part of L2 is set aside?",
        .quick_seconds = 5,
        .run = set_aside},
    Lab{.number = "L05",
        .name = "cache_operators",
        .question = "What do the operators of loads do, in L1 and in L2?",
        .quick_seconds = 5,
        .run = cache_operators},
    Lab{.number = "L06",
        .name = "coalescing",
        .question = "What does a warp ask of memory, by stride, offset, width and structure?",
        .needs = Needs::emulator,
        .quick_seconds = 5,
        .run = coalescing},
    Lab{.number = "L07",
        .name = "memory_bandwidth",
        .question = "What bandwidth do reads, writes and copies get?",
        .quick_seconds = 5,
        .run = memory_bandwidth},
    Lab{.number = "L08",
        .name = "shared_memory",
        .question = "What do bank conflicts cost, and what if registers run out?",
        .needs = Needs::emulator,
        .quick_seconds = 5,
        .run = shared_memory},
    Lab{.number = "L09",
        .name = "l2_sides",
        .question =
            "Which half of the L2 is an SM near to, and which bits of an address choose it?",
        .quick_seconds = 5,
        .run = l2_sides},
    Lab{.number = "L10",
        .name = "near_memory",
        .question = "What does a stream save if each SM works on the half of memory that is near?",
        .quick_seconds = 20,
        .run = near_memory},
    Lab{.number = "L11",
        .name = "tlb_reach",
        .question = "How much memory do the TLBs cover, and what does a miss cost?",
        .quick_seconds = 30,
        .run = tlb_reach},
    Lab{.number = "L12",
        .name = "tlb_sharing",
        .question = "Which SMs share a TLB?",
        .quick_seconds = 40,
        .run = tlb_sharing},
    Lab{.number = "L13",
        .name = "random_sampling",
        .question = "How fast are random reads over more memory than the TLBs cover?",
        .quick_seconds = 20,
        .run = random_sampling},
    Lab{.number = "L14",
        .name = "hash_grouping",
        .question = "How fast does a GPU count groups in a table beyond what the TLBs cover?",
        .quick_seconds = 12,
        .run = hash_grouping},
    Lab{.number = "L15",
        .name = "roofline",
        .question = "Which roof is each rung of the ladder under?",
        .quick_seconds = 15,
        .run = roofline},
    Lab{.number = "L16",
        .name = "raster_orders",
        .question = "What does a matrix product read from DRAM, by the order of its blocks?",
        .needs = Needs::emulator,
        .quick_seconds = 15,
        .run = raster_orders},
    Lab{.number = "L17",
        .name = "interference",
        .question = "What do attention's keys and values lose to the matrix product in between?",
        .quick_seconds = 5,
        .run = interference},
    Lab{.number = "L18",
        .name = "remote_memory",
        .question = "How far is the memory of another GPU, and which L2 keeps its lines?",
        .needs = Needs::two_gpus,
        .quick_seconds = 20,
        .run = remote_memory},
    Lab{.number = "L19",
        .name = "register_ports",
        .question = "What do registers deliver, and what do pauses cost a multiply-add?",
        .needs = Needs::hopper,
        .quick_seconds = 10,
        .run = register_ports},
    Lab{.number = "L20",
        .name = "toolchain",
        .question = "What does nvcc make of the ladder on this machine?",
        .needs = Needs::nvcc,
        .quick_seconds = 20,
        .run = toolchain},
};

/// "L01" for "1", "01", "l1" and "L01".
std::string as_number(std::string_view text) {
  if (text.starts_with('L') || text.starts_with('l')) text.remove_prefix(1);
  const bool digits = !text.empty() && text.size() < 4 &&
                      std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  return digits ? fmt::format("L{:02}", std::stoi(std::string(text))) : "";
}

}  // namespace

std::span<const Lab> labs() {
  return kLabs;
}

const Lab& find_lab(std::string_view number_or_name) {
  const std::string number = as_number(number_or_name);
  std::string known;
  for (const Lab& lab : kLabs) {
    if (lab.name == number_or_name || lab.number == number) return lab;
    known += fmt::format("{}{} {}", known.empty() ? "" : ", ", lab.number, lab.name);
  }
  throw LabError(fmt::format("There is no lab '{}'. The labs are {}", number_or_name, known));
}

}  // namespace ladder::labs
