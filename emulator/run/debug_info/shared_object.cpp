// SPDX-License-Identifier: MIT
#include "emulator/run/debug_info/shared_object.hpp"

#include <link.h>

#include <algorithm>
#include <utility>

// The C library's own, which no header declares.
struct TlsIndex {
  unsigned long module;
  unsigned long offset;
};
extern "C" void* __tls_get_addr(TlsIndex* index);

namespace ladder::emulator {
namespace {

/// Calls visit(library) for each loaded library until it returns true.
template <class Visit>
void for_each_library(Visit visit) {
  dl_iterate_phdr([](dl_phdr_info* library, std::size_t,
                     void* argument) { return (*static_cast<Visit*>(argument))(*library) ? 1 : 0; },
                  &visit);
}

std::span<const ElfW(Phdr)> segments_of(const dl_phdr_info& library) {
  return {library.dlpi_phdr, library.dlpi_phnum};
}

}  // namespace

CodeRanges::CodeRanges(const void* address) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  for_each_library([&](const dl_phdr_info& library) {
    std::vector<Range> ranges;
    Range all = {~std::uintptr_t{0}, 0};
    bool found = false;
    for (const auto& segment : segments_of(library)) {
      if (segment.p_type != PT_LOAD) continue;
      const std::uintptr_t begin = library.dlpi_addr + segment.p_vaddr;
      all = {std::min(all.begin, begin), std::max(all.end, begin + segment.p_memsz)};
      if ((segment.p_flags & PF_X) == 0) continue;
      ranges.push_back({begin, begin + segment.p_memsz});
      found = found || (wanted >= begin && wanted < begin + segment.p_memsz);
    }
    if (found) {
      ranges_ = std::move(ranges);
      library_ = all;
    }
    return found;
  });
}

std::span<std::byte> thread_local_segment(const void* address) {
  std::span<std::byte> result;
  for_each_library([&](const dl_phdr_info& library) {
    if (library.dlpi_tls_modid == 0) return false;
    for (const auto& segment : segments_of(library)) {
      if (segment.p_type != PT_TLS) continue;
      // Not known to dl_iterate_phdr() before the thread has asked, if dlopen() has loaded it.
      TlsIndex start = {library.dlpi_tls_modid, 0};
      auto* const begin = static_cast<std::byte*>(
          library.dlpi_tls_data != nullptr ? library.dlpi_tls_data : __tls_get_addr(&start));
      if (address >= begin && address < begin + segment.p_memsz) {
        result = {begin, segment.p_memsz};
        return true;
      }
    }
    return false;
  });
  return result;
}

}  // namespace ladder::emulator
