// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/terminal/access_verdict.hpp"
#include "common/terminal/kernel_report.hpp"
#include "common/version.hpp"
#include "ladder/program/print.hpp"
#include "ladder/program/rung_counter.hpp"
#include "ladder/program/trace_report.hpp"

namespace ladder {
namespace {

using emulator::AccessCounts;
using emulator::LineCounts;
using emulator::Operation;

constexpr std::size_t kTilesPrinted = 6;

std::string shape_text(const Shape& shape) {
  return shape.M == shape.N && shape.N == shape.K
             ? fmt::format("M = N = K = {}", shape.M)
             : fmt::format("M = {}, N = {}, K = {}", shape.M, shape.N, shape.K);
}

std::string verified_sentence(const RungTrace& trace) {
  if (!trace.verified) {
    return fmt::format("Not verified: {} of {} blocks ran, the others do the same elsewhere.",
                       trace.kernel.blocks_traced, trace.kernel.blocks);
  }
  return *trace.verified ? "Verified: all elements are right."
                         : "Verified: WRONG. " + text_of(trace.wrong);
}

/// What is not in every kernel's heading: registers that no profile has.
std::string registers_note(const RungTrace& trace) {
  if (trace.registers_of_nvcc) {
    return fmt::format("nvcc gives a thread {} registers", trace.registers_per_thread);
  }
  return trace.registers_per_thread > 0 ? ""
                                        : "this version was never profiled, so its registers are "
                                          "not known and may allow fewer";
}

std::string heading(const RungTrace& trace) {
  const auto& [shape, alpha, beta, seed] = trace.problem;
  std::string text =
      wrapped(fmt::format("{}, traced for this GPU: {}", label(trace.rung), trace.card.name), 2);
  text += version_text() + "\n";
  text += wrapped(
      fmt::format("{}, alpha = {}, beta = {}, seed = {}", shape_text(shape), alpha, beta, seed), 2);
  const std::string note = registers_note(trace);
  text +=
      wrapped(fmt::format("{} blocks of {} threads, {} on an SM (limit: {}{}{}): {:.1f} waves.",
                          trace.kernel.blocks, trace.kernel.threads_per_block, trace.blocks_per_sm,
                          trace.occupancy_limit, note.empty() ? "" : "; ", note, trace.waves),
              2);
  text += wrapped(verified_sentence(trace), 2) + strays_text(trace);
  for (const emulator::Place& place : trace.kernel.polls) {
    text += wrapped(fmt::format("Blocks wait for each other at {}:{}: how often they look there "
                                "differs from run to run, and so do the counts of this line.",
                                place.file, place.line),
                    2);
  }
  return text;
}

/// What stands beside a modelled figure: where what it counts has gone, or how sure it is.
std::string remark(const RungTrace& trace, const std::string& name) {
  if (name == "dram__bytes_write.sum" && trace.metrics.at(name) == 0)
    return " (what was stored is still in L2)";
  if (name != "lts__t_sectors_srcunit_tex.sum") return "";
  const std::optional<double> least = trace.metrics.at("l2_sectors_least");
  const std::optional<double> most = trace.metrics.at("l2_sectors_most");
  if (least == most) return "";
  return fmt::format(" ({} to {})", grouped(*least), grouped(*most));
}

std::string metrics_table(const RungTrace& trace) {
  const auto row = [&](const std::string& name) -> std::string {
    const auto found = trace.metrics.find(name);
    if (found == trace.metrics.end()) return "";
    if (!found->second) return fmt::format("{:>18}  {}\n", "not modelled", name);
    const bool fraction = name.ends_with(".ratio") || name.starts_with("arithmetic_intensity");
    return fmt::format("{:>18}  {}{}\n",
                       fraction ? fmt::format("{:.2f}", *found->second) : grouped(*found->second),
                       name, remark(trace, name));
  };
  const auto each = [&](Operation load, Operation store) {
    std::string costs;
    for (const Operation operation : {load, store}) {
      const AccessCounts all = total(trace.kernel, operation);
      if (all.requests == 0) continue;
      costs +=
          fmt::format("{}{} {}", costs.empty() ? ": " : ", ", operation == load ? "load" : "store",
                      asks_global_memory(operation) ? sectors_text(all) : wavefronts_text(all));
    }
    return costs;
  };
  std::string text = fmt::format("\nGlobal memory, sectors (ideal) per request{}\n",
                                 each(Operation::kGlobalLoad, Operation::kGlobalStore));
  for (const char* operation : {"ld", "st", "atom"}) {
    const std::string end = fmt::format("_pipe_lsu_mem_global_op_{}", operation);
    text += row("l1tex__t_requests" + end + ".sum") + row("l1tex__t_sectors" + end + ".sum");
  }
  text += row("l1tex__data_pipe_lsu_wavefronts_mem_lgds.sum") +
          row("smsp__inst_executed_op_ldgsts.sum") +
          row("l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum") +
          row("l1tex__m_l1tex2xbar_write_bytes_mem_global_op_tma_st.sum");
  text += row("memory_l2_theoretical_sectors_global_ideal") +
          row("derived__memory_l2_theoretical_sectors_global_excessive");
  if (total(trace.kernel, Operation::kSharedLoad).requests +
          total(trace.kernel, Operation::kSharedStore).requests >
      0) {
    text += fmt::format("Shared memory, wavefronts (ideal) per request{}\n",
                        each(Operation::kSharedLoad, Operation::kSharedStore));
    for (const char* operation : {"ld", "st", "atom"}) {
      text += row(fmt::format("smsp__inst_executed_op_shared_{}.sum", operation)) +
              row(fmt::format("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum", operation));
    }
    text += row("memory_l1_wavefronts_shared_ideal") +
            row("derived__memory_l1_wavefronts_shared_excessive");
  }
  if (total(trace.kernel, Operation::kProduct).requests > 0) {
    text += "Tensor cores\n" + row("sm__inst_executed_pipe_tensor.sum");
  }
  text += "Caches and DRAM\n";
  for (const char* name :
       {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
        "lts__t_sectors_srcunit_tex.sum", "lts__t_sectors_srcunit_tex_lookup_hit.sum",
        "dram__bytes_read.sum", "dram__bytes_write.sum"})
    text += row(name);
  text += "FLOP per byte\n";
  for (const char* name :
       {"arithmetic_intensity_l1", "arithmetic_intensity_l2", "arithmetic_intensity_dram"})
    text += row(name);
  return text;
}

/// Whose wavefronts an SM waits for.
std::string wavefronts_table(const RungTrace& trace) {
  std::map<std::string, double> by_array;
  for (const LineCounts& line : trace.kernel.lines) {
    by_array[emulator::name_of(line.operation) + " " + line.array] +=
        wavefronts_per_multiply_add(trace, line);
  }
  std::vector<std::pair<std::string, double>> parts(by_array.begin(), by_array.end());
  std::erase_if(parts, [](const auto& part) { return part.second == 0; });
  std::ranges::stable_sort(parts, std::greater(), &std::pair<std::string, double>::second);
  std::string text = "\n" + wrapped(limit_of(trace).sentence, 0);
  for (const auto& [what, wavefronts] : parts)
    text += fmt::format("{:>18.3f}  {}\n", wavefronts, what);
  return text;
}

std::string interval_text(int interval) {
  return interval < 0 ? "-" : fmt::format("{}", interval);
}

std::string order_table(const RungTrace& trace) {
  const emulator::OrderOfEvents& order = trace.kernel.order;
  if (order.tiles.empty()) return "";
  std::string text = fmt::format(
      "\nOrder of events in a block (times count the barriers passed{})\n"
      "{:.2f} barriers per tile; {:.0f} of {:.0f} shared loads of a warp are issued while\n"
      "the next tile is on its way from global memory.\n",
      total(trace.kernel, Operation::kBoxCopy).requests > 0 ? "; mbarriers too" : "",
      order.barriers_per_tile, std::min(order.shared_loads_in_flight, order.shared_loads_per_tile),
      order.shared_loads_per_tile);
  if (order.steps_ahead > 1) {
    text += fmt::format("A tile is on its way {:.1f} barriers before it is first read.\n",
                        order.steps_ahead);
  }
  TextTable table({-12, 8, 8, 12, 12});
  table.heading({"tile", "loaded", "stored", "first read", "last read"});
  for (std::size_t i = 0; i < order.tiles.size() && i < kTilesPrinted; ++i) {
    const emulator::TileTimes& tile = order.tiles[i];
    table.row({fmt::format("{} {}", tile.array, tile.tile), interval_text(tile.loaded),
               interval_text(tile.stored), interval_text(tile.first_read),
               interval_text(tile.last_read)});
  }
  text += table.text();
  if (order.tiles.size() > kTilesPrinted) {
    text += fmt::format("... and {} more\n", order.tiles.size() - kTilesPrinted);
  }
  return text;
}

std::string lanes_text(const emulator::WarpRequest& request) {
  const unsigned a_line = columns_of() < 72 ? 4 : 8;
  std::string text;
  for (unsigned lane = 0; lane < 32; ++lane) {
    const bool active = (request.lanes >> lane & 1) != 0;
    text += fmt::format("{:>9}", active ? fmt::format("{}", request.addresses[lane]) : "-");
    if (lane % a_line == a_line - 1) text += "\n";
  }
  return text;
}

std::string warp_table(const RungTrace& trace) {
  if (trace.kernel.warp.empty()) return "";
  constexpr std::size_t kPrinted = 8;
  std::string text =
      fmt::format("\nWarp {} of block {}: {} requests; addresses in bytes, lanes 0-31\n",
                  trace.warp_number, emulator::to_text(trace.warp_block), trace.kernel.warp.size());
  for (std::size_t i = 0; i < trace.kernel.warp.size() && i < kPrinted; ++i) {
    const emulator::WarpRequest& request = trace.kernel.warp[i];
    const auto plural = [](std::uint64_t count, const char* what) {
      return fmt::format(", {} {}{}", count, what, count == 1 ? "" : "s");
    };
    text += fmt::format(
        "{}: {} of {} bytes in {}{}{}\n",
        fmt::format("{}:{}", std::filesystem::path(request.place.file).filename().string(),
                    request.place.line),
        emulator::name_of(request.operation), request.access_bytes, request.array,
        request.counts.sectors > 0 ? plural(request.counts.sectors, "sector") : "",
        request.counts.wavefronts > 0 ? plural(request.counts.wavefronts, "wavefront") : "");
    text += lanes_text(request);
  }
  if (trace.kernel.warp.size() > kPrinted) {
    text += fmt::format("... and {} more; --json and --html have all of them\n",
                        trace.kernel.warp.size() - kPrinted);
  }
  return text;
}

}  // namespace

std::string trace_text(const RungTrace& trace) {
  return folded(heading(trace) + wavefronts_table(trace) +
                lines_table(trace.kernel, trace.verdicts, Sources::kLadder) + metrics_table(trace) +
                order_table(trace) + warp_table(trace));
}

std::string strays_text(const RungTrace& trace) {
  std::string text;
  if (trace.verified.value_or(true)) return text;
  for (const emulator::StrayShuffles& stray : trace.kernel.strays) {
    text += wrapped(
        fmt::format(
            "{} in {}:{} asked lanes outside of its mask {}: what it got is "
            "undefined, and may be why the result is wrong.",
            stray.function, stray.place.file, stray.place.line,
            stray.times == 1 ? "once" : grouped(static_cast<double>(stray.times)) + " times"),
        2);
  }
  return text;
}

std::string gains_text(const std::vector<RungTrace>& traces) {
  if (traces.empty()) return "";
  const RungTrace& first = traces.front();
  std::string text = wrapped(fmt::format("What the kernels ask of memory: {}, traced for the {}",
                                         shape_text(first.problem.shape), first.card.name),
                             2);
  TextTable table({-17, 8, 9, 9, 9, 10, 9});
  table.heading({"", "sectors", "global", "wave-", "barriers", "tile loads", "MB from"});
  table.heading({"", "per", "loads per", "fronts", "per", "hidden by", "and to"});
  table.heading({"rung", "load", "FMA", "per FMA", "tile", "computing", "DRAM"});
  for (const RungTrace& trace : traces) {
    const emulator::OrderOfEvents& order = trace.kernel.order;
    const auto figure = [&](Counter counter) {
      return figure_text(counter, figure_of(counter, trace).value());
    };
    const auto dram = figure_of(Counter::kDramBytes, trace);
    table.row({label(trace.rung), figure(Counter::kSectorsPerLoad), figure(Counter::kGlobalLoads),
               figure(Counter::kWavefronts),
               order.tiles.empty() ? "-" : fmt::format("{:.1f}", order.barriers_per_tile),
               order.tiles.empty() ? "-" : figure(Counter::kHiddenLoads),
               dram ? fmt::format("{:.1f}", *dram / 1e6) : "-"});
  }
  return text + table.text() +
         wrapped(
             "Loads and FMAs (multiply-adds) are those of whole warps; a box that TMA brings is "
             "one load. Hidden by computing: share of a tile's shared loads that are issued while "
             "the next tile is on its way from global memory. DRAM: rungs without tiles take too "
             "long to replay here. Less is better, except of hidden loads; sectors per load grow "
             "where a thread loads 16 bytes at a time, in fewer loads.",
             0);
}

}  // namespace ladder
