// SPDX-License-Identifier: MIT
#include "common/findings/rules.hpp"

#include "common/findings/call_reasons.hpp"
#include "common/findings/source_error.hpp"
#include "common/refusal.hpp"
#include "common/wrong_pattern.hpp"
#include "emulator/run/fault_kinds.hpp"
#include "emulator/trace/trace.hpp"

namespace ladder {
namespace {

using emulator::FaultGroup;
using emulator::FaultKind;

constexpr const char* kHelpOfLacks =
    "The program may be right: the emulator does not have this. Leave it out here, or use what the "
    "message names instead.";

std::string help_of(FaultGroup group) {
  switch (group) {
    case FaultGroup::kRace:
      return "The result depends on which access comes first. Within a block, put a barrier that "
             "all threads pass between the two lines, in a loop also for the next round. Blocks "
             "run in any order: give each element to one block, or use atomics.";
    case FaultGroup::kOrder:
      return "Streams run side by side, and the host does not wait for them: the result depends on "
             "who is first. Let a stream wait for the other one's event, give the graph an edge, "
             "or "
             "let the host wait, with cudaStreamSynchronize, cudaEventSynchronize or "
             "cudaDeviceSynchronize, before it uses the memory.";
    case FaultGroup::kDependent:
      return "A kernel that was launched to overlap the one before waits for it, with "
             "cudaGridDependencySynchronize() or griddepcontrol.wait, before it uses any memory "
             "that the other one uses.";
    case FaultGroup::kOutOfBounds:
      return "What is there belongs to something else, or does not exist. At the edges of a matrix "
             "test row, column and k before each access; compare the indices with the declaration "
             "of the array, and the size with what the launch asks for.";
    case FaultGroup::kAlignment:
      return "A GPU stops at such an access. A float4 begins at a multiple of 16 bytes, so the "
             "first of its four floats has an index that is a multiple of 4.";
    case FaultGroup::kUninitialised:
      return "The value may be anything. Give sums a first value, fill every word of a tile, with "
             "0 beyond the edges, wait for it, and never read C when beta is 0.";
    case FaultGroup::kCopy:
      return "An asynchronous copy arrives later than it is started. Wait for its group or its "
             "mbarrier, then pass a barrier, because other threads waited for their own copies; a "
             "proxy fence orders ordinary stores before the copy engine.";
    case FaultGroup::kBarrier:
      return "All threads that a barrier counts must reach the same one. No branch or return that "
             "only some threads take may skip it.";
    case FaultGroup::kHang:
      return "The kernel never ends. Look at who should arrive at each barrier, how often and in "
             "which round, and at what ends each loop.";
    case FaultGroup::kWarp:
      return "All lanes in the mask must make the same call, with the same mask, at the same line.";
    case FaultGroup::kMbarrier:
      return "Initialise an mbarrier once, with the number of arrivals of a phase; each phase is "
             "waited for, with the parity that alternates, before anything arrives at the next.";
    case FaultGroup::kRegisters:
      return "setmaxnreg moves registers between warpgroups: all four warps of one ask for the "
             "same, and all of them together for no more than the block started with.";
    case FaultGroup::kWgmma:
      return "All four warps of a warpgroup start the same products: a fence before the first and "
             "after the program has used the sums, then a commit, and a wait before it reads the "
             "sums or overwrites the factors.";
    case FaultGroup::kCluster:
      return "Blocks of a cluster are numbered from 0, and each must stay until the others no "
             "longer use its shared memory: end with cluster_sync().";
    case FaultGroup::kStop:
      return "The thread cannot go on, and the launch fails.";
    case FaultGroup::kTexture:
      return "Create the object of live memory before the launch, read it with the function for "
             "its "
             "sort and type, and destroy it after the launch.";
    case FaultGroup::kHeap:
      return "Free each piece once, in a kernel, by the pointer that malloc() or new gave, and "
             "after "
             "a barrier that all who use it have passed.";
    case FaultGroup::kLacks:
      return kHelpOfLacks;
    case FaultGroup::kLaunch:
      break;
  }
  return "CUDA does not start such a launch. Look at the tile sizes, and at the grid, the block "
         "and the shared memory that follow from them.";
}

std::string help_of(WrongKind kind) {
  switch (kind) {
    case WrongKind::kNeverWritten:
      return "Each element of C needs one thread that reaches its store.";
    case WrongKind::kNan:
    case WrongKind::kInfinite:
      return "Such values come from words that nobody has set: shared memory that is read too "
             "early, a load beyond A or B, or C that is read although beta is 0.";
    case WrongKind::kAllZero:
      return "The products are never added up, or the sums never reach C.";
    case WrongKind::kWrongBeta:
    case WrongKind::kWrongFactor:
      return "C = alpha*A*B + beta*C: apply alpha once and beta once, and add each k once.";
    case WrongKind::kLowPrecision:
      return "Keep the sums in FP32, and round inputs only where the precision says so.";
    case WrongKind::kTransposed:
    case WrongKind::kShiftedColumns:
    case WrongKind::kShiftedRows:
      return "The values are right and in the wrong place: look at row, column and stride of the "
             "store, and at where this thread works.";
    case WrongKind::kLastTileRow:
    case WrongKind::kLastTileColumn:
    case WrongKind::kLastTiles:
      return "The last tile reaches beyond the matrix: load 0 for what is outside, and store only "
             "what is inside.";
    case WrongKind::kEveryElement:
    case WrongKind::kSomeElements:
      return "Check which words of A and B are multiplied, and that every k is added once. Look "
             "for what the wrong elements have in common: a row, a column, a thread.";
    case WrongKind::kOutsideWritten:
      return "Test row and column before each store.";
    case WrongKind::kInputChanged:
      break;
  }
  return "A and B belong to the caller: a kernel only reads them.";
}

/// \return nothing for what has a rule by CUDA's name of its error
const char* help_of(CallGroup group) {
  switch (group) {
    case CallGroup::kHost:
      return "Memory of cudaMalloc is the GPU's alone: copy it with cudaMemcpy before the host "
             "reads it.";
    case CallGroup::kLeak:
      return "Give back what you take: cudaFree for cudaMalloc, cudaFreeHost for cudaMallocHost.";
    case CallGroup::kNote:
      return "Nothing is wrong: it is good to know.";
    default:
      return nullptr;
  }
}

std::string_view title_of(CallGroup group) {
  return group == CallGroup::kHost   ? "The host accesses memory of the GPU"
         : group == CallGroup::kLeak ? "Memory was never freed"
                                     : "Good to know";
}

std::vector<FindingRule> all_rules() {
  std::vector<FindingRule> rules;
  rules.reserve(emulator::kFaultKinds.size());
  for (const emulator::FaultKindFacts& facts : emulator::kFaultKinds)
    rules.push_back({facts.code, facts.title, help_of(facts.group)});
  for (int kind = 0; kind < kWrongKinds; ++kind) {
    const auto wrong = static_cast<WrongKind>(kind);
    rules.push_back({code_of(wrong), title_of(wrong), help_of(wrong)});
  }
  rules.push_back({emulator::kStrayShuffleCode, "A shuffle asks a lane outside of its mask",
                   "What it got is undefined. Nobody knows whether it was used: it may be why a "
                   "result is wrong."});
  for (const CallReasonFacts& facts : kCallReasons) {
    if (const char* const help = help_of(facts.group)) {
      rules.push_back({facts.code, title_of(facts.group), help});
    }
  }
  for (int kind = 0; kind < kSourceErrorKinds; ++kind) {
    const auto error = static_cast<SourceErrorKind>(kind);
    rules.push_back({code_of(error), title_of(error),
                     is_lack(error)   ? kHelpOfLacks
                     : is_note(error) ? "Give nvcc the option; here the program runs without it."
                                      : "The program was not built, so nothing of it ran."});
  }
  for (int kind = 0; kind < kRefusalKinds; ++kind) {
    const auto refusal = static_cast<RefusalKind>(kind);
    rules.push_back({code_of(refusal), title_of(refusal),
                     "Nothing is known to be wrong: this was not run, or not judged.", true});
  }
  return rules;
}

}  // namespace

const std::vector<FindingRule>& finding_rules() {
  static const std::vector<FindingRule> rules = all_rules();
  return rules;
}

}  // namespace ladder
