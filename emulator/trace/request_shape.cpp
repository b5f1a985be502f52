// SPDX-License-Identifier: MIT
#include "emulator/trace/request_shape.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <map>
#include <utility>

namespace ladder::emulator {
namespace {

constexpr unsigned kBanks = 32;
constexpr unsigned kBankBytes = 4;
constexpr std::uint32_t kAllLanes = ~0u;

template <class Visit>
void for_each_active(const WarpAddresses& request, Visit visit) {
  for (std::uint32_t lanes = request.lanes; lanes != 0; lanes &= lanes - 1)
    visit(static_cast<unsigned>(std::countr_zero(lanes)));
}

/// Distinct values, in ascending order.
struct SortedSet {
  std::array<std::uint64_t, 128> value;
  unsigned count = 0;

  void add(std::uint64_t added) { value[count++] = added; }
  void settle() {
    std::sort(value.begin(), value.begin() + count);
    count =
        static_cast<unsigned>(std::unique(value.begin(), value.begin() + count) - value.begin());
  }
};

/// Passes through the banks for the lanes of `mask`: each bank gives one word per pass, to
/// whichever lanes want it.
unsigned passes(const WarpAddresses& request, std::uint32_t mask) {
  SortedSet words;
  for_each_active({request.address, request.lanes & mask, request.bytes}, [&](unsigned lane) {
    const std::uint64_t first = request.address[lane] / kBankBytes;
    const std::uint64_t last = (request.address[lane] + request.bytes - 1) / kBankBytes;
    for (std::uint64_t word = first; word <= last; ++word)
      words.add(word);
  });
  words.settle();
  std::array<unsigned, kBanks> per_bank = {};
  unsigned most = 0;
  for (unsigned i = 0; i < words.count; ++i)
    most = std::max(most, ++per_bank[words.value[i] % kBanks]);
  return most;
}

/// Of a warp: 8 and 16 bytes are served half and quarter by quarter.
unsigned lanes_at_once(unsigned bytes) {
  return bytes <= 4 ? 32 : bytes == 8 ? 16 : 8;
}

/// Adds up the passes of groups of neighbouring lanes that are served one after the other.
unsigned passes_in_groups(const WarpAddresses& request, unsigned lanes_per_group) {
  unsigned sum = 0;
  for (unsigned first = 0; first < 32; first += lanes_per_group) {
    const std::uint32_t group = (lanes_per_group == 32 ? ~0u : (1u << lanes_per_group) - 1)
                                << first;
    sum += passes(request, group);
  }
  return sum;
}

/// As few units of `unit_bytes` as the lanes' bytes fill; not more than are needed anyway, which
/// may be fewer where lanes share addresses.
unsigned ideal_units(const WarpAddresses& request, std::size_t unit_bytes, unsigned needed) {
  const std::size_t bytes = std::popcount(request.lanes) * std::size_t{request.bytes};
  return std::min(needed, static_cast<unsigned>((bytes + unit_bytes - 1) / unit_bytes));
}

SharedShape shape_of(const WarpAddresses& request, unsigned wavefronts) {
  return {wavefronts, ideal_wavefronts(request, wavefronts)};
}

/// Lines that L1 looks up at a time.
constexpr std::size_t kLinesAtOnce = 4;

/// \brief The group of lines that a line of L1 belongs to. Found from the probes: each bit is the
///        parity of some bits of the line's number. Those of bits 7 and up are not certain.
unsigned group_of(std::uint64_t line) {
  constexpr std::uint64_t kOfBit0 = 0b0000'1011'0101;
  constexpr std::uint64_t kOfBit1 = 0b0001'0101'1010;
  const auto parity = [&](std::uint64_t bits) {
    return static_cast<unsigned>(std::popcount(line & bits)) % 2;
  };
  return parity(kOfBit0) | parity(kOfBit1) << 1;
}

/// Do lanes l and l ^ distance have one address, for all lanes of which both are active?
bool lanes_share(const WarpAddresses& request, unsigned distance) {
  bool all = true;
  for_each_active(request, [&](unsigned lane) {
    const unsigned other = lane ^ distance;
    const bool active = (request.lanes >> other & 1) != 0;
    all = all && (!active || request.address[lane] == request.address[other]);
  });
  return all;
}

/// Sectors, each in its line.
GlobalShape shape_of_sectors(const SortedSet& sectors, std::uint64_t first_line) {
  constexpr unsigned kSectorsPerLine = kLineBytes / kSectorBytes;
  GlobalShape shape;
  shape.sectors = shape.distinct_sectors = sectors.count;
  for (unsigned i = 0; i < sectors.count; ++i) {
    const auto line = static_cast<std::int32_t>(sectors.value[i] / kSectorsPerLine - first_line);
    if (shape.lines.empty() || shape.lines.back().line != line) shape.lines.push_back({line, 0});
    shape.lines.back().sectors |= 1u << sectors.value[i] % kSectorsPerLine;
  }
  shape.tags = static_cast<unsigned>(shape.lines.size());
  return shape;
}

/// Passes of single words: lanes do not overtake those that they share a bank with.
unsigned passes_in_order(const WarpAddresses& source, const WarpAddresses& target) {
  std::array<unsigned, kBanks> source_pass = {};
  std::array<unsigned, kBanks> target_pass = {};
  unsigned most = 0;
  for_each_active(target, [&](unsigned lane) {
    const bool reads = (source.lanes >> lane & 1) != 0;
    unsigned unused = 0;
    unsigned& from = reads ? source_pass[source.address[lane] / kBankBytes % kBanks] : unused;
    unsigned& to = target_pass[target.address[lane] / kBankBytes % kBanks];
    from = to = std::max(from, to) + 1;
    most = std::max(most, to);
  });
  return most;
}

/// How many pairs of a source and a target unit a copy has. `by_half`: halves of a sector that keep
/// their place, the lower one or the upper one, count apart from those that change it.
unsigned pairs_of(const WarpAddresses& source, const WarpAddresses& target,
                  std::uint64_t source_bytes, std::uint64_t target_bytes, bool by_half = false) {
  SortedSet pairs;
  for_each_active(source, [&](unsigned lane) {
    const std::uint64_t from = source.address[lane];
    const std::uint64_t to = target.address[lane] % (1u << 20);  // shared memory is smaller
    const std::uint64_t changes = by_half ? (from + to) / 16 % 2 : 0;
    pairs.add((from / source_bytes << 20 | to / target_bytes) << 1 | changes);
  });
  pairs.settle();
  return pairs.count;
}

}  // namespace

LinePattern lines_of(std::uint64_t begin, std::uint64_t end) {
  LinePattern lines;
  for (std::uint64_t sector = begin / kSectorBytes; sector * kSectorBytes < end; ++sector) {
    constexpr std::uint64_t kSectorsPerLine = kLineBytes / kSectorBytes;
    const auto line = static_cast<std::int32_t>(sector / kSectorsPerLine - begin / kLineBytes);
    if (lines.empty() || lines.back().line != line) lines.push_back({line, 0});
    lines.back().sectors |= 1u << sector % kSectorsPerLine;
  }
  return lines;
}

GlobalShape global_shape(const WarpAddresses& request) {
  SortedSet sectors;
  std::uint64_t lowest = ~std::uint64_t{0};
  for_each_active(request, [&](unsigned lane) {
    const std::uint64_t address = request.address[lane];
    lowest = std::min(lowest, address);
    sectors.add(address / kSectorBytes);
    sectors.add((address + request.bytes - 1) / kSectorBytes);
  });
  sectors.settle();
  GlobalShape shape = shape_of_sectors(sectors, lowest / kLineBytes);
  shape.ideal_sectors = ideal_units(request, kSectorBytes, shape.sectors);
  return shape;
}

GlobalShape global_copy_shape(const WarpAddresses& request) {
  GlobalShape shape = global_shape(request);
  std::uint64_t lowest = ~std::uint64_t{0};
  SortedSet pairs;
  for_each_active(request, [&](unsigned lane) {
    lowest = std::min(lowest, request.address[lane]);
    pairs.add(request.address[lane] / kSectorBytes << 5 | lane / 2);
  });
  pairs.settle();
  for (unsigned i = 1; i < pairs.count; ++i) {
    const std::uint64_t sector = pairs.value[i] >> 5;
    if (sector != pairs.value[i - 1] >> 5) continue;
    constexpr std::uint64_t kSectorsPerLine = kLineBytes / kSectorBytes;
    shape.lines.push_back(
        {.line = static_cast<std::int32_t>(sector / kSectorsPerLine - lowest / kLineBytes),
         .sectors = 1u << sector % kSectorsPerLine,
         .again = true});
  }
  return shape;
}

unsigned ideal_wavefronts(const WarpAddresses& request, unsigned needed) {
  return ideal_units(request, std::size_t{kBanks} * kBankBytes, needed);
}

unsigned global_load_wavefronts(const WarpAddresses& request) {
  std::uint64_t first_line = ~std::uint64_t{0};
  for_each_active(request, [&](unsigned lane) {
    first_line = std::min(first_line, request.address[lane] / kLineBytes);
  });
  // Which look-up finds a line: the lines of a group come one after the other.
  std::map<std::uint64_t, unsigned> look_up;
  std::array<unsigned, kLinesAtOnce> of_group = {};
  const auto find = [&](std::uint64_t line) {
    const auto [place, is_new] = look_up.try_emplace(line);
    if (is_new) place->second = of_group[group_of(line - first_line)]++;
    return place->second;
  };
  std::map<std::pair<unsigned, unsigned>, std::uint32_t> leaving;  // together: lanes
  for_each_active(request, [&](unsigned lane) {
    const unsigned part = lane / lanes_at_once(request.bytes);
    const std::uint64_t address = request.address[lane];
    const unsigned first = find(address / kLineBytes);
    const unsigned last = find((address + request.bytes - 1) / kLineBytes);
    leaving[{std::max(first, last), part}] |= 1u << lane;
  });
  unsigned sum = 0;
  for (const auto& [when, lanes] : leaving)
    sum += passes(request, lanes);
  return sum;
}

unsigned global_store_wavefronts(const WarpAddresses& request) {
  return passes_in_groups(request, lanes_at_once(request.bytes));
}

GlobalShape global_load_shape(const WarpAddresses& request) {
  GlobalShape shape = global_shape(request);
  shape.wavefronts = global_load_wavefronts(request);
  shape.ideal_wavefronts = ideal_wavefronts(request, shape.wavefronts);
  return shape;
}

GlobalShape global_store_shape(const WarpAddresses& request) {
  GlobalShape shape = global_shape(request);
  shape.wavefronts = global_store_wavefronts(request);
  shape.ideal_wavefronts = ideal_wavefronts(request, shape.wavefronts);
  return shape;
}

// The n-th lane of each address is in turn n.
GlobalShape global_atomic_shape(const WarpAddresses& request) {
  GlobalShape shape = global_shape(request);
  shape.sectors = shape.tags = 0;
  std::uint32_t waiting = request.lanes;
  while (waiting != 0) {
    std::uint32_t turn = 0;
    for_each_active({request.address, waiting, request.bytes}, [&](unsigned lane) {
      bool taken = false;
      for_each_active({request.address, turn, request.bytes}, [&](unsigned other) {
        taken = taken || request.address[other] == request.address[lane];
      });
      if (!taken) turn |= 1u << lane;
    });
    const GlobalShape part = global_shape({request.address, turn, request.bytes});
    shape.sectors += part.sectors;
    shape.tags += part.tags;
    waiting &= ~turn;
  }
  return shape;
}

unsigned lanes_loading_at_once(const WarpAddresses& request) {
  const unsigned lanes = lanes_at_once(request.bytes);
  if (lanes == 32) return lanes;
  return lanes_share(request, 1) || lanes_share(request, 2) ? 2 * lanes : lanes;
}

SharedShape shared_load_shape(const WarpAddresses& request) {
  return shape_of(request, passes_in_groups(request, lanes_loading_at_once(request)));
}

SharedShape shared_store_shape(const WarpAddresses& request) {
  return shape_of(request, passes_in_groups(request, lanes_at_once(request.bytes)));
}

CopyShape copy_shape(const WarpAddresses& source, const WarpAddresses& target) {
  if (target.bytes == 4) {
    return {source.lanes == 0 ? GlobalShape() : global_shape(source),
            shape_of(target, passes_in_order(source, target))};
  }
  assert(target.bytes == 16);
  CopyShape shape = {{}, shared_store_shape(target)};
  shape.source.sectors = pairs_of(source, target, kLineBytes, kSectorBytes);
  shape.source.distinct_sectors = pairs_of(source, target, kSectorBytes, kSectorBytes, true);
  shape.source.ideal_sectors = (std::popcount(source.lanes) + 1u) / 2;
  shape.source.tags = pairs_of(source, target, kLineBytes, kLineBytes);
  return shape;
}

SharedShape shared_atomic_shape(const WarpAddresses& request) {
  std::array<unsigned, kBanks> per_bank = {};
  unsigned most = 0;
  for_each_active(request, [&](unsigned lane) {
    most = std::max(most, ++per_bank[request.address[lane] / kBankBytes % kBanks]);
  });
  return shape_of(request, most);
}

unsigned ladder_lanes_loading_at_once(const std::uint64_t* addresses, unsigned bytes) {
  return lanes_loading_at_once({addresses, kAllLanes, bytes});
}
unsigned ladder_shared_load_wavefronts(const std::uint64_t* addresses, unsigned bytes) {
  return shared_load_shape({addresses, kAllLanes, bytes}).wavefronts;
}
unsigned ladder_global_load_wavefronts(const std::uint64_t* addresses, unsigned bytes) {
  return global_load_wavefronts({addresses, kAllLanes, bytes});
}
unsigned ladder_copy_wavefronts(const std::uint64_t* sources, const std::uint64_t* targets,
                                unsigned bytes) {
  return copy_shape({sources, kAllLanes, bytes}, {targets, kAllLanes, bytes}).target.wavefronts;
}

}  // namespace ladder::emulator
