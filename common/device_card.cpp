// SPDX-License-Identifier: MIT
#include "common/device_card.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "common/gemm.hpp"
#include "common/json_file.hpp"
#include "emulator/run/own_files.hpp"

namespace ladder {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

fs::path card_folder() {
  return emulator::source_tree() / "common/devices";
}

// The same on every card since compute capability 7.0: CUDA C++ Programming Guide, "Technical
// Specifications per Compute Capability", and cudaOccSubPartitionsPerMultiprocessor.
constexpr int kThreadsPerWarp = 32;
constexpr int kMaxThreadsPerBlock = 1024;
constexpr int kMaxRegistersPerThread = 255;
constexpr int kPartitionsPerSm = 4;

constexpr double kMost = 1e18;  // of any figure
/// The emulator keeps each line of L2; the largest L2 of a GPU is an eighth of this.
constexpr std::int64_t kMostL2Bytes = std::int64_t{1} << 30;
constexpr int kNoLimit = std::numeric_limits<int>::max();

/// The figures of one file; each is checked when it is asked for.
class Figures {
 public:
  Figures(json card, std::string path) : card_(std::move(card)), path_(std::move(path)) {
    if (!card_.is_object()) {
      throw std::invalid_argument(path_ +
                                  " is no device card: it must be a JSON object of figures");
    }
  }

  std::string text(const char* name) const {
    const json& value = value_of(name);
    if (!value.is_string() || value == "") complain(name, "a text");
    return value;
  }

  template <class Integer>
  Integer whole_number(const char* name, int lowest = 1,
                       Integer largest = std::numeric_limits<Integer>::max()) const {
    const json& value = value_of(name);
    if (!value.is_number_integer()) complain(name, "a whole number");
    // JSON's positive numbers are unsigned and may be too large for the signed comparison below.
    if (value.is_number_unsigned() &&
        value.get<std::uint64_t>() > static_cast<std::uint64_t>(largest)) {
      complain(name, fmt::format("at most {}", largest));
    }
    if (value.get<std::int64_t>() < lowest) complain(name, lowest == 0 ? "0 or more" : "positive");
    return value;
  }

  double number(const char* name) const {
    const json& value = value_of(name);
    if (!value.is_number()) complain(name, "a number");
    if (!(value.get<double>() > 0)) complain(name, "positive");
    if (value.get<double>() > kMost) complain(name, fmt::format("at most {:g}", kMost));
    return value;
  }

  std::optional<double> number_or_null(const char* name) const {
    if (value_of(name).is_null()) return std::nullopt;
    return number(name);
  }

 private:
  const json& value_of(const char* name) const {
    if (!card_.contains(name)) {
      throw std::invalid_argument(
          fmt::format("{} lacks the figure {}; {} shows all that a card holds", path_, name,
                      (card_folder() / "h200.json").string()));
    }
    const json& figure = card_.at(name);
    if (!figure.is_object() || !figure.contains("value")) {
      throw std::invalid_argument(
          fmt::format("{} in {} is {}, but must be an object with a value and its source", name,
                      path_, figure.dump()));
    }
    const json& value = figure.at("value");
    const json source = figure.value("source", json());
    if (!source.is_string() ||
        source.get<std::string>().find_first_not_of(" \t\n") == std::string::npos) {
      throw std::invalid_argument(
          fmt::format("{} in {} has no source: say where {} is from", name, path_, value.dump()));
    }
    return value;
  }

  [[noreturn]] void complain(const char* name, const std::string& requirement) const {
    throw std::invalid_argument(fmt::format("{} in {} is {}, but must be {}", name, path_,
                                            card_.at(name).at("value").dump(), requirement));
  }

  json card_;
  std::string path_;
};

json read_json(const std::string& path) {
  std::error_code unreadable;  // the stream says why
  if (fs::is_directory(path, unreadable)) {
    throw std::invalid_argument(
        fmt::format("cannot read the device card {}: it is a folder", path));
  }
  std::ifstream file(path);
  if (!file) {
    throw std::invalid_argument(
        fmt::format("cannot read the device card {}: {}", path, std::strerror(errno)));
  }
  try {
    return json::parse(file);
  } catch (const json::exception& error) {
    throw std::invalid_argument(fmt::format("{} is not valid JSON: {}", path, plain_reason(error)));
  }
}

/// fmt::join() would do, but g++ 12 raises a false alarm inside it.
std::string joined(const std::vector<std::string>& words, const char* separator) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += separator;
    text += word;
  }
  return text;
}

std::string path_of(const std::string& name_or_path) {
  const bool is_path =
      name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".json");
  if (is_path) return name_or_path;
  const std::vector<std::string> names = card_names();
  if (std::ranges::find(names, name_or_path) == names.end()) {
    throw std::invalid_argument(
        fmt::format("there is no device card \"{}\"; there are {}, or give the path of your own, "
                    "which ends in .json",
                    name_or_path, joined(names, ", ")));
  }
  return (card_folder() / (name_or_path + ".json")).string();
}

int round_up(int value, int unit) {
  return ceil_div(value, unit) * unit;
}

int blocks_by_threads(const DeviceCard& card, const KernelNeeds& needs) {
  if (needs.threads_per_block > kMaxThreadsPerBlock) return 0;
  const int warps_per_sm =
      std::min(card.max_warps_per_sm, card.max_threads_per_sm / kThreadsPerWarp);
  return warps_per_sm / ceil_div(needs.threads_per_block, kThreadsPerWarp);
}

int blocks_by_registers(const DeviceCard& card, const KernelNeeds& needs) {
  if (needs.registers_per_thread == 0) return kNoLimit;
  if (needs.registers_per_thread > kMaxRegistersPerThread) return 0;
  const int registers_per_warp =
      round_up(needs.registers_per_thread * kThreadsPerWarp, card.register_allocation_unit);
  // A warp cannot straddle partitions, so what is left over in each of them is lost.
  const int warps_per_partition = card.registers_per_sm / kPartitionsPerSm / registers_per_warp;
  return kPartitionsPerSm * warps_per_partition /
         ceil_div(needs.threads_per_block, kThreadsPerWarp);
}

int blocks_by_shared_memory(const DeviceCard& card, const KernelNeeds& needs) {
  if (needs.shared_bytes_per_block > card.max_shared_bytes_per_block) return 0;
  const int bytes = needs.shared_bytes_per_block + card.shared_bytes_reserved_per_block;
  if (bytes == 0) return kNoLimit;
  return card.shared_bytes_per_sm / round_up(bytes, card.shared_allocation_unit_bytes);
}

struct Limit {
  const char* what;
  int blocks;
};

std::array<Limit, 4> limits_of(const DeviceCard& card, const KernelNeeds& needs) {
  if (needs.threads_per_block < 1 || needs.registers_per_thread < 0 ||
      needs.shared_bytes_per_block < 0) {
    throw std::invalid_argument(fmt::format(
        "a block of {} threads with {} registers each and {} bytes of shared memory makes no "
        "sense: it has at least one thread, and needs nothing negative",
        needs.threads_per_block, needs.registers_per_thread, needs.shared_bytes_per_block));
  }
  return {{{"threads", blocks_by_threads(card, needs)},
           {"blocks", card.max_blocks_per_sm},
           {"registers", blocks_by_registers(card, needs)},
           {"shared memory", blocks_by_shared_memory(card, needs)}}};
}

}  // namespace

std::vector<std::string> card_names() {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(card_folder())) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem());
  }
  std::ranges::sort(names);
  return names;
}

DeviceCard load_card(const std::string& name_or_path) {
  const std::string path = path_of(name_or_path);
  const Figures figures(read_json(path), path);
  const auto whole = [&](const char* name) { return figures.whole_number<int>(name); };
  return {.id = fs::path(path).stem(),
          .name = figures.text("name"),
          .compute_capability = whole("compute_capability"),
          .sms = whole("sms"),
          .sm_clock_mhz = whole("sm_clock_mhz"),
          .max_threads_per_sm = whole("max_threads_per_sm"),
          .max_warps_per_sm = whole("max_warps_per_sm"),
          .max_blocks_per_sm = whole("max_blocks_per_sm"),
          .registers_per_sm = whole("registers_per_sm"),
          .register_allocation_unit = whole("register_allocation_unit"),
          .shared_bytes_per_sm = whole("shared_bytes_per_sm"),
          .shared_bytes_reserved_per_block =
              figures.whole_number<int>("shared_bytes_reserved_per_block", 0),
          .shared_allocation_unit_bytes = whole("shared_allocation_unit_bytes"),
          .max_shared_bytes_per_block = whole("max_shared_bytes_per_block"),
          .l1_and_shared_bytes_per_sm = whole("l1_and_shared_bytes_per_sm"),
          .l2_bytes = figures.whole_number<std::int64_t>("l2_bytes", 1, kMostL2Bytes),
          .l2_ways = whole("l2_ways"),
          .l2_partitions = whole("l2_partitions"),
          .l2_merging_gpcs = figures.whole_number<int>("l2_merging_gpcs", 0),
          .dram_bytes = figures.whole_number<std::int64_t>("dram_bytes"),
          .dram_bytes_per_second = figures.number("dram_bytes_per_second"),
          .fp32_tflops = figures.number("fp32_tflops"),
          .tf32_tflops = figures.number_or_null("tf32_tflops"),
          .bf16_tflops = figures.number_or_null("bf16_tflops")};
}

Roof roof_of(const DeviceCard& card) {
  return {.fp32_tflops = card.fp32_tflops,
          .dram_gbps = card.dram_bytes_per_second * 1e-9,
          .tf32_tflops = card.tf32_tflops,
          .bf16_tflops = card.bf16_tflops};
}

int blocks_per_sm(const DeviceCard& card, const KernelNeeds& needs) {
  return std::ranges::min(limits_of(card, needs), {}, &Limit::blocks).blocks;
}

std::string deciding_limit(const DeviceCard& card, const KernelNeeds& needs) {
  const int blocks = blocks_per_sm(card, needs);
  std::vector<std::string> deciding;
  for (const Limit& limit : limits_of(card, needs)) {
    if (limit.blocks == blocks) deciding.emplace_back(limit.what);
  }
  return joined(deciding, " and ");
}

}  // namespace ladder
