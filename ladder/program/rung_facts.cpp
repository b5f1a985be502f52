// SPDX-License-Identifier: MIT
#include "ladder/program/rung_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <utility>

#include "emulator/run/debug_info/kernel_constants.hpp"
#include "emulator/run/own_files.hpp"
#include "emulator/run/settings.hpp"
#include "ladder/program/results.hpp"
#include "ladder/program/rung_counter.hpp"
#include "ladder/program/rung_sources.hpp"

namespace ladder {
namespace {

using emulator::NotedLaunch;
using nlohmann::ordered_json;

/// Is this the name of a constant, kCamel or in capitals? The compiler may know others, too.
bool names_constant(const std::string& name) {
  const bool camel = name.size() > 1 && name[0] == 'k';
  return std::isupper(static_cast<unsigned char>(name[camel ? 1 : 0])) != 0;
}

ordered_json numbers_json(const std::vector<emulator::NamedNumber>& numbers) {
  ordered_json found = ordered_json::object();
  for (const auto& [name, value] : numbers) {
    if (names_constant(name)) found[name] = value;
  }
  return found;
}

ordered_json shape_json(const Shape& shape) {
  return {shape.M, shape.N, shape.K};
}

/// What a rung, or one of its plans, launches for a shape.
std::vector<NotedLaunch> launches_of(const Run& run, const Shape& shape) {
  return with_element_of(run.stored(), [&](auto element) {
    alignas(256) static decltype(element) untouched[1];
    const Gemm<decltype(element)> gemm = {shape.M,   shape.N,   shape.K, 1,
                                          untouched, untouched, 0,       untouched};
    return emulator::noted_launches([&] { run(gemm, nullptr); });
  });
}

/// The kernels of one rung, each listed once.
class KernelList {
 public:
  KernelList(const Rung& rung, const DeviceCard& card) : card_(card) {
    if (rung.tile.BM == 0) return;  // a library launches what it likes
    for (const auto& [size, registers] : recorded_registers(rung.number)) {
      for (const NotedLaunch& launch : launches_of(rung.run, {size, size, size}))
        registers_.push_back({launch.kernel, size, registers});
    }
  }

  /// \return where in the list the launched kernel stands
  std::size_t index_of(const NotedLaunch& launch) {
    const Kernel kernel = {launch.kernel, launch.block, launch.dynamic_shared_bytes};
    const auto found = std::ranges::find(kernels_, kernel);
    if (found != kernels_.end()) return static_cast<std::size_t>(found - kernels_.begin());
    kernels_.push_back(kernel);
    facts_.push_back(facts_of(launch));
    return kernels_.size() - 1;
  }

  const ordered_json& facts() const { return facts_; }
  const ordered_json& constants() const { return constants_; }

 private:
  struct Kernel {
    const void* address;
    std::array<unsigned, 3> block;
    std::size_t dynamic_shared_bytes;
    bool operator==(const Kernel&) const = default;
  };
  struct Recorded {
    const void* kernel;
    int size;
    int registers;
  };

  ordered_json facts_of(const NotedLaunch& launch) {
    const emulator::KernelConstants fixed = emulator::kernel_constants_of(launch.kernel);
    constants_.update(numbers_json(fixed.constants));
    const unsigned threads = launch.block[0] * launch.block[1] * launch.block[2];
    ordered_json facts = {{"function", fixed.function},
                          {"template", numbers_json(fixed.template_arguments)},
                          {"locals", numbers_json(fixed.locals)},
                          {"threads", threads},
                          {"block", launch.block},
                          {"static_shared_bytes", launch.static_shared_bytes},
                          {"dynamic_shared_bytes", launch.dynamic_shared_bytes},
                          {"registers", nullptr},
                          {"registers_at", nullptr},
                          {"blocks_per_sm", nullptr},
                          {"limits", nullptr}};
    const auto recorded = std::ranges::find(registers_, launch.kernel, &Recorded::kernel);
    if (recorded == registers_.end()) return facts;
    const KernelNeeds needs = {.threads_per_block = static_cast<int>(threads),
                               .registers_per_thread = recorded->registers,
                               .shared_bytes_per_block = static_cast<int>(
                                   launch.static_shared_bytes + launch.dynamic_shared_bytes)};
    facts["registers"] = recorded->registers;
    facts["registers_at"] = recorded->size;
    facts["blocks_per_sm"] = blocks_per_sm(card_, needs);
    facts["limits"] = deciding_limit(card_, needs);
    return facts;
  }

  const DeviceCard& card_;
  std::vector<Recorded> registers_;
  std::vector<Kernel> kernels_;
  ordered_json facts_ = ordered_json::array();
  ordered_json constants_ = ordered_json::object();
};

ordered_json launch_json(const NotedLaunch& launch, const Shape& shape, KernelList& kernels) {
  return {{"shape", shape_json(shape)},
          {"kernel", kernels.index_of(launch)},
          {"grid", launch.grid},
          {"cluster", launch.cluster},
          {"cooperative", launch.cooperative}};
}

/// A configuration: what of a plan does not depend on the shape.
ordered_json configuration_json(const WorkPlan& plan, const Shape& shape, KernelList& kernels) {
  ordered_json configuration = {{"name", plan.name},
                                {"BM", plan.tile.BM},
                                {"BN", plan.tile.BN},
                                {"BK", plan.BK},
                                {"blocks_per_sm", plan.blocks_per_sm},
                                {"cluster", plan.cluster},
                                {"fan_in", plan.fan_in},
                                {"kernels", ordered_json::array()}};
  for (const NotedLaunch& launch : launches_of(plan.launch, shape))
    configuration["kernels"].push_back(kernels.index_of(launch));
  return configuration;
}

ordered_json plan_json(const WorkPlan& plan, const Shape& shape) {
  return {{"shape", shape_json(shape)},
          {"configuration", plan.name},
          {"tiles", plan.tiles},
          {"k_tiles", plan.k_tiles},
          {"whole_tiles", plan.whole_tiles},
          {"ranks", plan.ranks},
          {"share", plan.share},
          {"longer", plan.longer}};
}

ordered_json table_line(const Rung& rung, const DeviceCard& card) {
  std::vector<std::string> architectures;
  for (const Architecture& architecture : rung.architectures)
    architectures.push_back(name_of(architecture));
  ordered_json line = {
      {"number", rung.number},
      {"name", rung.name},
      {"folder", folder(rung)},
      {"idea", rung.idea},
      {"sources", sources_fingerprint(emulator::source_tree() / "ladder" / folder(rung))},
      {"builds_on", rung.builds_on < 0 ? ordered_json(nullptr) : ordered_json(rung.builds_on)},
      {"precision", rung.precision.name},
      {"compute_capability", lowest_compute_capability(rung)},
      {"needs", needs(rung)},
      {"architectures", architectures},
      {"architecture", nullptr},
      {"multiple_of", rung.multiple_of},
      {"tile",
       rung.tile.BM == 0 ? ordered_json(nullptr) : ordered_json{rung.tile.BM, rung.tile.BN}}};
  if (runs_on(rung, card.compute_capability)) {
    line["architecture"] =
        "sm_" + name_of(Architecture{card.compute_capability, is_architecture_specific(rung)});
  }
  return line;
}

/// What a rung changes, its own figure, and the one of the rung below.
ordered_json about_json(const Rung& rung, const CountedRungs& counts) {
  const auto own = counts.find(rung.number);
  const auto below = counts.find(rung.builds_on);
  if (rung.about == Counter::kNone || own == counts.end() || below == counts.end()) return nullptr;
  const double value = own->second.at(rung.about);
  const double before = below->second.at(rung.about);
  return {{"counter", code_of(rung.about)},
          {"words", words_of(rung.about)},
          {"value", value},
          {"text", figure_text(rung.about, value)},
          {"below", before},
          {"below_text", figure_text(rung.about, before)}};
}

ordered_json facts_of(const Rung& rung, const DeviceCard& card, const std::vector<Shape>& shapes,
                      const CountedRungs& counts) {
  ordered_json facts = table_line(rung, card);
  facts["about"] = about_json(rung, counts);
  KernelList kernels(rung, card);
  ordered_json launches = ordered_json::array();
  ordered_json configurations = ordered_json::array();
  ordered_json plans = ordered_json::array();
  const bool chooses = rung.plans != nullptr;
  for (const Shape& shape : shapes) {
    if (rung.tile.BM == 0) break;
    if (shape.N % rung.multiple_of != 0 || shape.K % rung.multiple_of != 0) continue;
    for (const NotedLaunch& launch : launches_of(rung.run, shape))
      launches.push_back(launch_json(launch, shape, kernels));
    if (!chooses) break;
    for (const WorkPlan& plan : rung.plans(shape)) {
      const bool is_new = std::ranges::none_of(
          configurations, [&](const ordered_json& known) { return known["name"] == plan.name; });
      if (shape == shapes.front() || (plan.taken && is_new))
        configurations.push_back(configuration_json(plan, shape, kernels));
      if (plan.taken) plans.push_back(plan_json(plan, shape));
    }
  }
  facts["constants"] = kernels.constants();
  facts["kernels"] = kernels.facts();
  facts["launches"] = launches;
  facts["configurations"] = configurations;
  facts["plans"] = plans;
  return facts;
}

}  // namespace

std::vector<Shape> quoted_shapes() {
  std::vector<Shape> shapes;
  for (const int size : {4096, 256, 512, 1024, 2048, 8192, 16384})
    shapes.push_back({size, size, size});
  shapes.insert(shapes.end(),
                {{4, 2048, 2048}, {2048, 4, 2048}, {128, 128, 16384}, {4096, 4096, 16}});
  return shapes;
}

CountedRungs counted_rungs(std::span<const Rung> traced) {
  const std::unique_ptr<Machine> machine = make_cpu_machine();
  require_living_instrumentation();
  CountedRungs counts;
  const auto count = [&](const Rung& rung, Counter counter, const RungTrace& trace) {
    const std::optional<double> value = figure_of(counter, trace);
    if (!value) {
      throw std::logic_error(fmt::format("rung {} is about {}, which is not counted of rung {}",
                                         rung.number, code_of(counter), trace.rung.number));
    }
    counts[trace.rung.number][counter] = *value;
  };
  for (const Rung& rung : traced) {
    std::set<Counter> wanted = {rung.about};
    for (const Rung& above : traced)
      if (above.builds_on == rung.number) wanted.insert(above.about);
    wanted.erase(Counter::kNone);
    if (rung.tile.BM == 0 || wanted.empty()) continue;
    const RungTrace trace = trace_gains(*machine, rung, gains_problem());
    for (const Counter counter : wanted)
      count(rung, counter, trace);
  }
  return counts;
}

ordered_json rung_facts(std::span<const Rung> rungs, const DeviceCard& card,
                        const std::vector<Shape>& shapes, const CountedRungs& counts) {
  const emulator::ScopedMultiprocessors sms(card.sms);
  const emulator::ScopedSharedBytes shared(card.max_shared_bytes_per_block);
  ordered_json found = ordered_json::array();
  for (const Rung& rung : rungs)
    found.push_back(facts_of(rung, card, shapes, counts));
  return {{"card", card.id}, {"sms", card.sms}, {"rungs", found}};
}

std::string facts_text(const ordered_json& facts) {
  const auto is_list = [](const ordered_json& value) {
    return value.is_array() && !value.empty() && value.front().is_object();
  };
  // A line for the plain members of an object, and one for each entry of its lists of objects.
  const auto object_text = [&](const ordered_json& object, const auto& entry_text) {
    std::string text = "{";
    for (const auto& [name, value] : object.items()) {
      if (text != "{") text += value.is_structured() && name != "tile" ? ",\n" : ",";
      text += ordered_json(name).dump() + ":";
      if (!is_list(value)) {
        text += value.dump();
        continue;
      }
      std::string entries;
      for (const ordered_json& entry : value)
        entries += (entries.empty() ? "" : ",\n") + entry_text(entry);
      text += "[\n" + entries + "\n]";
    }
    return text + "}";
  };
  const auto line = [](const ordered_json& entry) { return entry.dump(); };
  return object_text(facts, [&](const ordered_json& rung) { return object_text(rung, line); }) +
         "\n";
}

}  // namespace ladder
