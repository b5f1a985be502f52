// SPDX-License-Identifier: MIT
#include "glassbox/runtime/program_libraries.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "glassbox/runtime/byte_ranges.hpp"

namespace ladder::glassbox {
namespace {

/// Needed by whatever calls CUDA's functions.
constexpr std::string_view kOwnName = "libladder_glassbox.so";

std::span<const ElfW(Phdr)> segments_of(const dl_phdr_info& library) {
  return {library.dlpi_phdr, library.dlpi_phnum};
}

/// Its thread_local variables are the shared memory of its kernels; see
/// define_dynamic_shared.cmake.
bool has_shared_memory(const dl_phdr_info& library) {
  return std::ranges::any_of(segments_of(library),
                             [](const auto& segment) { return segment.p_type == PT_TLS; });
}

bool needs_this_library(const dl_phdr_info& library) {
  const auto dynamic = std::ranges::find(segments_of(library), PT_DYNAMIC, &ElfW(Phdr)::p_type);
  if (dynamic == segments_of(library).end()) return false;
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  const auto* const begin =
      reinterpret_cast<const ElfW(Dyn)*>(library.dlpi_addr + dynamic->p_vaddr);
  const char* names = nullptr;
  for (const auto* entry = begin; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag != DT_STRTAB) continue;
    const ElfW(Addr) at = entry->d_un.d_ptr;
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    names = reinterpret_cast<const char*>(at < library.dlpi_addr ? at + library.dlpi_addr : at);
  }
  for (const auto* entry = begin; names != nullptr && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_NEEDED && kOwnName == names + entry->d_un.d_val) return true;
  }
  return false;
}

/// All addresses of the program's files, looked up again when a library has been loaded.
class Places {
 public:
  bool contains(std::uintptr_t address) {
    const std::lock_guard lock(mutex_);
    loads_now_ = loads_;
    dl_iterate_phdr([](dl_phdr_info* library, std::size_t,
                       void* places) { return static_cast<Places*>(places)->visit(*library); },
                    this);
    return std::ranges::any_of(
        all_, [&](const Bytes& place) { return place.begin <= address && address < place.end; });
  }

 private:
  /// \return 1 to look at no more of them
  int visit(const dl_phdr_info& library) {
    if (library.dlpi_adds == loads_now_) return 1;
    if (loads_ != library.dlpi_adds) all_.clear();
    loads_ = library.dlpi_adds;
    if (!is_of_program(library)) return 0;
    for (const auto& segment : segments_of(library)) {
      if (segment.p_type != PT_LOAD) continue;
      const std::uintptr_t begin = library.dlpi_addr + segment.p_vaddr;
      all_.push_back({begin, begin + segment.p_memsz});
    }
    return 0;
  }

  std::mutex mutex_;
  std::vector<Bytes> all_;
  unsigned long long loads_ = 0, loads_now_ = 0;
};

}  // namespace

bool is_of_program(const dl_phdr_info& library) {
  return has_shared_memory(library) && needs_this_library(library);
}

bool is_of_program(std::uintptr_t address) {
  static auto* const places = new Places();  // used until the very end of the process
  return places->contains(address);
}

}  // namespace ladder::glassbox
