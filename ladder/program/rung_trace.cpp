// SPDX-License-Identifier: MIT
#include "ladder/program/rung_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "common/terminal/access_verdict.hpp"
#include "emulator/run/debug_info/source_lines.hpp"
#include "emulator/run/own_files.hpp"
#include "emulator/run/settings.hpp"
#include "emulator/run/workspace.hpp"
#include "ladder/program/cache_replay.hpp"
#include "ladder/program/nvcc_registers.hpp"
#include "ladder/program/results.hpp"
#include "ladder/program/rung_sources.hpp"

namespace ladder {
namespace {

using emulator::AccessCounts;
using emulator::Operation;

constexpr double kWarp = 32;

/// Multiply-adds up to which all blocks are traced: a few seconds for the slowest rung.
constexpr double kWholeGridMultiplyAdds = 300e6;

template <class T>
std::vector<emulator::TracedArray> arrays_of(const Gemm<T>& gemm) {
  const auto array = [](const char* name, const T* data, std::size_t rows, std::size_t columns) {
    return emulator::TracedArray{.name = name,
                                 .data = data,
                                 .bytes = rows * columns * sizeof(T),
                                 .element_bytes = sizeof(T),
                                 .columns = columns};
  };
  const auto M = static_cast<std::size_t>(gemm.M);
  const auto N = static_cast<std::size_t>(gemm.N);
  const auto K = static_cast<std::size_t>(gemm.K);
  const std::span<std::byte> workspace = emulator::whole_workspace();  // of rungs that hand over
  emulator::TracedArray C = array("C", gemm.C, M, N);
  C.written = gemm.beta != 0;
  return {array("A", gemm.A, M, K), array("B", gemm.B, K, N), C,
          emulator::TracedArray{.name = "workspace",
                                .data = workspace.data(),
                                .bytes = workspace.size(),
                                .watched_bytes = emulator::kWatchedWorkspaceBytes}};
}

/// A block that is r rows of A and c columns of B away from another is as far from it in C.
bool complete_shifts(const Shape& shape, Format stored, emulator::ArrayShifts& shifts) {
  const std::int64_t element = bytes_of(stored);
  const auto& [a, b] = std::pair(shifts[0], shifts[1]);
  if (!a || !b || *a % (element * shape.K) != 0) return false;
  const std::int64_t rows = *a / (element * shape.K);
  const std::int64_t columns = *b / element;
  shifts[2] = (rows * shape.N + columns) * element;
  return true;
}

/// A, B and C without contents, for runs whose results nobody looks at.
template <class T>
class EmptyArrays {
 public:
  EmptyArrays(Machine& machine, const Problem& problem) : machine_(machine) {
    const auto& [M, N, K] = problem.shape;
    const auto bytes = [](int rows, int columns) {
      return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) * sizeof(T);
    };
    A = static_cast<T*>(machine.allocate(bytes(M, K)));
    B = static_cast<T*>(machine.allocate(bytes(K, N)));
    C = static_cast<T*>(machine.allocate(bytes(M, N)));
  }
  ~EmptyArrays() {
    for (T* array : {A, B, C}) {
      if (array != nullptr) machine_.release(array);
    }
  }
  EmptyArrays(const EmptyArrays&) = delete;
  EmptyArrays& operator=(const EmptyArrays&) = delete;

  T* A = nullptr;
  T* B = nullptr;
  T* C = nullptr;

 private:
  Machine& machine_;
};

/// \tparam T  what the rung's precision stores
template <class T>
void run_and_judge(Machine& machine, RungTrace& result, const TraceChoice& choice, bool whole) {
  const emulator::ScopedMultiprocessors sms(result.card.sms);
  const Problem& problem = result.problem;
  const emulator::ScopedSharedBytes shared(result.card.max_shared_bytes_per_block);
  const emulator::TraceOptions options = {.sample = !whole,
                                          .complete_shifts =
                                              [&](emulator::ArrayShifts& shifts) {
                                                return complete_shifts(problem.shape, kFormatOf<T>,
                                                                       shifts);
                                              },
                                          .warp = choice.warp};
  const auto traced = [&](const Gemm<T>& gemm, Stream stream) {
    result.kernel = emulator::trace(
        arrays_of(gemm), [&] { result.rung.run(gemm, stream); }, options);
  };
  if (whole) {
    Verifier verifier(machine, problem.shape, problem.seed, result.rung.precision);
    const Verdict verdict = verifier.verify(traced, problem.alpha, problem.beta, result.rung.tile);
    result.verified = verdict.right;
    result.wrong = verdict.wrong;
    return;
  }
  const EmptyArrays<T> arrays(machine, problem);
  const auto& [M, N, K] = problem.shape;
  traced({M, N, K, problem.alpha, arrays.A, arrays.B, problem.beta, arrays.C}, nullptr);
}

/// The kernel that the rung takes on an H200 for M = N = K = size.
const void* kernel_on_h200(const Rung& rung, int size) {
  static const DeviceCard h200 = load_card("h200");
  const emulator::ScopedMultiprocessors sms(h200.sms);
  return with_element_of(rung.precision.stored, [&]<class T>(T) {
    alignas(256) static T untouched[1];
    const Gemm<T> gemm = {size, size, size, 1, untouched, untouched, 0, untouched};
    return emulator::launched_kernel([&] { rung.run(gemm, nullptr); });
  });
}

/// The rung's own folder, below the source tree.
std::filesystem::path own_folder(const Rung& rung) {
  return std::filesystem::path("ladder") / folder(rung);
}

/// The folder that the traced kernel comes from: the rung's own, or a student's of the same name.
std::filesystem::path folder_of_kernel(const RungTrace& result) {
  const std::filesystem::path own = own_folder(result.rung);
  const std::filesystem::path file = emulator::place_of_kernel(result.kernel.kernel).file;
  const std::filesystem::path found = file.parent_path();
  return found.filename() == own.filename() ? found : own;
}

/// Registers per thread that ptxas gave the traced kernel when it was last profiled; 0 for one that
/// never was, or whose source has been edited since. A rung may take one kernel on an H200 and
/// another on this card.
int registers_of_kernel(const RungTrace& result) {
  if (folder_of_kernel(result) != own_folder(result.rung)) return 0;
  if (edited_rungs(emulator::source_tree()).contains(result.rung.number)) return 0;
  for (const auto& [size, registers] : recorded_registers(result.rung.number)) {
    if (kernel_on_h200(result.rung, size) == result.kernel.kernel) return registers;
  }
  return 0;
}

/// How many blocks an SM of the card holds. A kernel of which nobody knows the registers is not
/// limited by them.
void find_occupancy(RungTrace& result, bool ask_nvcc) {
  result.registers_per_thread = registers_of_kernel(result);
  if (result.registers_per_thread == 0 && ask_nvcc) {
    const auto source = emulator::source_tree() / folder_of_kernel(result) / "launch.cu";
    const std::string architecture = name_of(
        Architecture{result.card.compute_capability, is_architecture_specific(result.rung)});
    const auto counted = registers_by_nvcc(source.string(), architecture, result.kernel.kernel);
    result.registers_of_nvcc = counted.has_value();
    result.registers_per_thread = counted.value_or(0);
  }
  const KernelNeeds needs = {
      .threads_per_block = static_cast<int>(result.kernel.threads_per_block),
      .registers_per_thread = result.registers_per_thread,
      .shared_bytes_per_block = static_cast<int>(result.kernel.shared_bytes)};
  result.blocks_per_sm = blocks_per_sm(result.card, needs);
  if (result.blocks_per_sm == 0) {
    throw BadRequest({RefusalKind::kBlockDoesNotFit,
                      {{"rung", label(result.rung)},
                       {"card", result.card.name},
                       {"limit", deciding_limit(result.card, needs)},
                       {"threads", needs.threads_per_block},
                       {"registers", needs.registers_per_thread},
                       {"shared_bytes", needs.shared_bytes_per_block},
                       {"most_shared_bytes", result.card.max_shared_bytes_per_block}}});
  }
  result.occupancy_limit = deciding_limit(result.card, needs);
  result.waves = static_cast<double>(result.kernel.blocks) /
                 (static_cast<double>(result.blocks_per_sm) * result.card.sms);
}

/// The card's peak rate for a rung's products; that of FP32 where it does not tell.
double peak_of(const DeviceCard& card, const Rung& rung) {
  return peak_tflops(roof_of(card), rung.precision).value_or(card.fp32_tflops);
}

std::optional<emulator::MemoryTraffic> traffic_of(const RungTrace& result,
                                                  std::uint64_t touch_budget) {
  const double fp32_to_peak = result.card.fp32_tflops / peak_of(result.card, result.rung);
  // Arrays of their own, one after the other, as cudaMalloc places them.
  const auto& [M, N, K] = result.problem.shape;
  constexpr std::uint64_t kAlignedLines = (std::uint64_t{2} << 20) / emulator::kLineBytes;
  const auto lines = [&](int rows, int columns) {
    const std::uint64_t bytes = static_cast<std::uint64_t>(bytes_of(result.rung.precision.stored)) *
                                static_cast<unsigned>(rows) * static_cast<unsigned>(columns);
    return (bytes / emulator::kLineBytes / kAlignedLines + 1) * kAlignedLines;
  };
  return replay_caches({.kernel = result.kernel,
                        .card = result.card,
                        .blocks_per_sm = result.blocks_per_sm,
                        .multiply_adds = flops(result.problem.shape) / 2 * fp32_to_peak,
                        .array_first_lines = {0, lines(M, K), lines(M, K) + lines(K, N)}},
                       touch_budget);
}

/// From one row of A, B or C to the next.
std::size_t row_bytes_of(const RungTrace& trace, const std::string& array) {
  const auto& [M, N, K] = trace.problem.shape;
  const int columns = array == "A" ? K : array == "B" || array == "C" ? N : 0;
  return static_cast<std::size_t>(columns) *
         static_cast<std::size_t>(bytes_of(trace.rung.precision.stored));
}

void add_metrics(RungTrace& result, const std::optional<emulator::MemoryTraffic>& traffic) {
  const auto sum = [&](Operation operation) { return total(result.kernel, operation); };
  const AccessCounts loads = sum(Operation::kGlobalLoad);
  const AccessCounts stores = sum(Operation::kGlobalStore);
  const AccessCounts atomics = sum(Operation::kGlobalAtomic);
  const AccessCounts shared_loads = sum(Operation::kSharedLoad);
  const AccessCounts shared_stores = sum(Operation::kSharedStore);
  const AccessCounts shared_atomics = sum(Operation::kSharedAtomic);
  const AccessCounts copies = sum(Operation::kAsyncCopy);
  const AccessCounts boxes = sum(Operation::kBoxCopy);
  const AccessCounts stored_boxes = sum(Operation::kBoxStore);
  const AccessCounts products = sum(Operation::kProduct);
  AccessCounts global = loads;
  global += stores;
  global += atomics;
  global += copies;
  AccessCounts shared = shared_loads;
  shared += shared_stores;
  shared += shared_atomics;
  shared += copies;
  shared += products;

  Metrics& metrics = result.metrics;
  const auto set = [&](const std::string& name, std::optional<double> value) {
    metrics[name] = value;
  };
  const auto ratio = [](double a, double b) { return b == 0 ? std::optional<double>() : a / b; };
  const auto global_operation = [&](const char* name, const AccessCounts& counts) {
    const std::string end = fmt::format("_pipe_lsu_mem_global_op_{}", name);
    const auto requests = static_cast<double>(counts.requests - counts.zeros);
    set("l1tex__t_requests" + end + ".sum", requests);
    set("l1tex__t_sectors" + end + ".sum", static_cast<double>(counts.sectors));
    set("l1tex__t_set_accesses" + end + ".sum", static_cast<double>(counts.lines));
    if (requests == 0) return;
    set("l1tex__average_t_sectors_per_request" + end + ".ratio",
        static_cast<double>(counts.sectors) / requests);
  };
  AccessCounts loads_and_copies = loads;  // cp.async is a load to these counters
  loads_and_copies += copies;
  global_operation("ld", loads_and_copies);
  global_operation("st", stores);
  if (atomics.requests > 0) global_operation("atom", atomics);
  // Atomics' wavefronts are not modelled.
  set("l1tex__data_pipe_lsu_wavefronts_mem_lgds.sum",
      atomics.requests > 0
          ? std::nullopt
          : std::optional<double>(static_cast<double>(loads.wavefronts + stores.wavefronts)));
  set("memory_l2_theoretical_sectors_global", static_cast<double>(global.distinct_sectors));
  set("memory_l2_theoretical_sectors_global_ideal", static_cast<double>(global.ideal_sectors));
  set("derived__memory_l2_theoretical_sectors_global_excessive",
      static_cast<double>(global.distinct_sectors - global.ideal_sectors));

  const auto shared_operation = [&](const char* name, const AccessCounts& counts) {
    set(fmt::format("smsp__inst_executed_op_shared_{}.sum", name),
        static_cast<double>(counts.requests));
    set(fmt::format("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum", name),
        static_cast<double>(counts.wavefronts));
  };
  shared_operation("ld", shared_loads);
  shared_operation("st", shared_stores);
  if (shared_atomics.requests > 0) shared_operation("atom", shared_atomics);
  if (copies.requests > 0) {
    set("smsp__inst_executed_op_ldgsts.sum", static_cast<double>(copies.requests));
  }
  if (boxes.requests > 0) {
    set("l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum",
        static_cast<double>(boxes.sectors * emulator::kSectorBytes));
  }
  if (stored_boxes.requests > 0) {
    set("l1tex__m_l1tex2xbar_write_bytes_mem_global_op_tma_st.sum",
        static_cast<double>(stored_boxes.sectors * emulator::kSectorBytes));
  }
  if (products.requests > 0) {
    set("sm__inst_executed_pipe_tensor.sum", static_cast<double>(products.requests));
  }
  set("memory_l1_wavefronts_shared", static_cast<double>(shared.wavefronts));
  set("memory_l1_wavefronts_shared_ideal", static_cast<double>(shared.ideal_wavefronts));
  set("derived__memory_l1_wavefronts_shared_excessive",
      static_cast<double>(shared.wavefronts - shared.ideal_wavefronts));

  const auto modelled = [&](auto figure) {
    return traffic ? std::optional<double>(static_cast<double>(figure(*traffic))) : std::nullopt;
  };
  using Traffic = emulator::MemoryTraffic;
  set("l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
      modelled([](const Traffic& t) { return t.l1_load_hits; }));
  set("lts__t_sectors_srcunit_tex.sum",
      modelled([](const Traffic& t) { return t.l2_read_sectors + t.l2_write_sectors; }));
  set("l2_sectors_least",
      modelled([](const Traffic& t) { return t.l2_read_sectors_least + t.l2_write_sectors; }));
  set("l2_sectors_most",
      modelled([](const Traffic& t) { return t.l2_read_sectors_most + t.l2_write_sectors; }));
  set("lts__t_sectors_srcunit_tex_lookup_hit.sum",
      modelled([](const Traffic& t) { return t.l2_hits; }));
  set("lts__t_sectors_srcunit_tex_lookup_miss.sum",
      modelled([](const Traffic& t) { return t.l2_misses; }));
  set("dram__bytes_read.sum", modelled([](const Traffic& t) { return t.dram_read_bytes; }));
  set("dram__bytes_write.sum", modelled([](const Traffic& t) { return t.dram_write_bytes; }));

  const double work = flops(result.problem.shape);
  constexpr double kSector = emulator::kSectorBytes;
  set("arithmetic_intensity_l1",
      ratio(work,
            kSector * static_cast<double>(global.sectors + boxes.sectors + stored_boxes.sectors)));
  set("arithmetic_intensity_l2",
      traffic ? ratio(work, kSector * static_cast<double>(traffic->l2_read_sectors +
                                                          traffic->l2_write_sectors))
              : std::nullopt);
  set("arithmetic_intensity_dram",
      traffic ? ratio(work, static_cast<double>(traffic->dram_read_bytes) +
                                static_cast<double>(traffic->dram_write_bytes))
              : std::nullopt);
}

}  // namespace

AccessCounts total(const emulator::KernelTrace& trace, Operation operation) {
  AccessCounts sum;
  for (const emulator::LineCounts& line : trace.lines) {
    if (line.operation == operation) sum += line.counts;
  }
  return sum;
}

double wavefronts_per_multiply_add(const RungTrace& trace, const emulator::LineCounts& line) {
  return static_cast<double>(line.counts.wavefronts) / (flops(trace.problem.shape) / 2 / kWarp);
}

std::string_view name_of(Quantity quantity) {
  switch (quantity) {
    case Quantity::kGlobalWavefronts:
      return "wavefronts of global memory";
    case Quantity::kSharedWavefronts:
      return "wavefronts of shared memory";
    case Quantity::kExcessSectors:
      return "excess sectors";
  }
  return "";
}

Limit limit_of(const RungTrace& trace) {
  double global = 0, shared = 0;
  AccessCounts all;
  for (const emulator::LineCounts& line : trace.kernel.lines) {
    (asks_shared_memory(line.operation) ? shared : global) +=
        wavefronts_per_multiply_add(trace, line);
    if (asks_global_memory(line.operation)) all += line.counts;
  }
  // An SM passes one wavefront in a cycle, and starts so many multiply-adds of a warp.
  const DeviceCard& card = trace.card;
  const double in_a_cycle =
      peak_of(card, trace.rung) * 1e12 / (2.0 * card.sms * card.sm_clock_mhz * 1e6) / kWarp;
  const double cycles = (global + shared) * in_a_cycle;  // in those of the arithmetic
  const bool busy = cycles > 1.25;
  const bool wasteful = 2 * all.ideal_sectors < all.sectors;
  Limit limit;
  limit.quantity = !busy && wasteful ? Quantity::kExcessSectors
                   : shared > global ? Quantity::kSharedWavefronts
                                     : Quantity::kGlobalWavefronts;
  limit.sentence = fmt::format(
      "{:.3g} wavefronts of L1 and shared memory for one multiply-add of a warp. In the cycle that "
      "a "
      "wavefront takes, an SM could start {:.0f} multiply-adds: {}.",
      global + shared, in_a_cycle,
      busy           ? "this pipe is the bottleneck, not the arithmetic"
      : cycles > 0.8 ? "this pipe and the arithmetic take about as long"
                     : "this pipe keeps up with the arithmetic");
  return limit;
}

RungTrace trace_rung(Machine& machine, const Rung& rung, const Problem& problem,
                     const DeviceCard& card, const TraceChoice& choice) {
  if (rung.tile.BM == 0) {
    throw BadRequest({RefusalKind::kNoKernel, {{"rung", label(rung)}}});
  }
  RungTrace result;
  result.rung = rung;
  result.problem = problem;
  result.card = card;
  const auto& [M, N, K] = problem.shape;
  const bool whole =
      choice.all_blocks.value_or(static_cast<double>(M) * N * K <= kWholeGridMultiplyAdds);
  with_element_of(rung.precision.stored,
                  [&]<class T>(T) { run_and_judge<T>(machine, result, choice, whole); });
  find_occupancy(result, choice.ask_nvcc);
  if (choice.warp) {
    result.warp_block = result.kernel.warp_block;
    result.warp_number = choice.warp->second;
  }
  for (const emulator::LineCounts& line : result.kernel.lines)
    result.verdicts.push_back(verdict_of(line, row_bytes_of(result, line.array)));
  const bool broken = !result.kernel.hazards.empty();
  add_metrics(result, broken ? std::nullopt : traffic_of(result, choice.touch_budget));
  return result;
}

namespace {

/// Is the probe counted as it has to be?
bool instrumentation_lives() {
  alignas(256) std::array<float, 32> in = {};
  alignas(256) std::array<float, 32> out = {};
  const emulator::KernelTrace trace =
      emulator::trace({{.name = "in", .data = in.data(), .bytes = sizeof in},
                       {.name = "out", .data = out.data(), .bytes = sizeof out}},
                      [&] { traced_rungs_probe(in.data(), out.data()); });
  const AccessCounts global = {.requests = 1,
                               .lanes = 32,
                               .bytes = 128,
                               .sectors = 4,
                               .distinct_sectors = 4,
                               .ideal_sectors = 4,
                               .lines = 1,
                               .wavefronts = 1,
                               .ideal_wavefronts = 1};
  const AccessCounts shared = {
      .requests = 1, .lanes = 32, .bytes = 128, .wavefronts = 1, .ideal_wavefronts = 1};
  return trace.hazards.empty() && total(trace, Operation::kGlobalLoad) == global &&
         total(trace, Operation::kGlobalStore) == global &&
         total(trace, Operation::kSharedLoad) == shared &&
         total(trace, Operation::kSharedStore) == shared;
}

}  // namespace

void require_living_instrumentation() {
  try {
    if (instrumentation_lives()) return;
  } catch (const std::logic_error&) {
    // The library has no hooks at all.
  }
  throw std::runtime_error(
      "tracing does not work: a kernel with one load and one store of each kind was miscounted. "
      "Its library must be built by add_emulated_library(... TRACED), without link-time "
      "optimisation; `make clean` and `make` rebuild it");
}

}  // namespace ladder
