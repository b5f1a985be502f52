// SPDX-License-Identifier: MIT
/// \file  tests/common/side_aware/made_up_cuda.cpp
#include "tests/common/side_aware/made_up_cuda.hpp"

#include <cuda.h>
#include <elf.h>
#include <sys/mman.h>

#include <array>
#include <bit>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <string>
#include <vector>

namespace {

constexpr std::uint64_t kPageBytes = std::uint64_t{2} << 20;
constexpr int kAdditions = 16;  // of a measurement: home_latency.cuh

/// A loaded module: names of its functions, values of its variables.
struct MadeUpModule {
  std::map<std::string, std::string> functions;  ///< by name: the name, at an address that stays
  std::map<std::string, std::vector<char>> variables;
};

/// All that the driver knows.
struct World {
  std::mutex mutex;
  std::map<std::uint64_t, std::uint64_t> pages;  ///< by address / 2 MiB: the physical page there
  std::uint64_t next_page = 1;
  int pages_left = 1 << 20;
  MadeUpKernel kernel = nullptr;
  int launches = 0;
  void* last_stream = nullptr;
};

World& world() {
  static auto& only = *new World;
  return only;
}

std::array<int, kMadeUpDevices> contexts = {0, 1};  // a context is the address of its device
thread_local CUcontext current = nullptr;

/// The side of a page is random, and that of an address within it a parity.
int side_of(std::uint64_t address) {
  const std::uint64_t page = world().pages.at(address / kPageBytes);
  const int of_page = static_cast<int>(page * 0x9E3779B97F4A7C15u >> 63);
  return (std::popcount(address & kMadeUpMask) & 1) ^ of_page;
}

template <class T>
const T* at(const char* image, std::uint64_t offset) {
  return reinterpret_cast<const T*>(image + offset);
}

/// The functions and variables of machine code, as its file names them.
MadeUpModule read_module(const char* image) {
  const auto* const header = at<Elf64_Ehdr>(image, 0);
  const auto* const sections = at<Elf64_Shdr>(image, header->e_shoff);
  MadeUpModule module;
  for (int i = 0; i < header->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_SYMTAB) continue;
    const char* const names = image + sections[sections[i].sh_link].sh_offset;
    const auto* const symbols = at<Elf64_Sym>(image, sections[i].sh_offset);
    for (std::uint64_t k = 0; k < sections[i].sh_size / sizeof(Elf64_Sym); ++k) {
      const Elf64_Sym& symbol = symbols[k];
      const std::string name = names + symbol.st_name;
      const int type = ELF64_ST_TYPE(symbol.st_info);
      if (type == STT_FUNC) module.functions[name] = name;
      if (type != STT_OBJECT || symbol.st_shndx >= header->e_shnum) continue;
      const char* const first = image + sections[symbol.st_shndx].sh_offset + symbol.st_value;
      module.variables[name].assign(first, first + symbol.st_size);
    }
  }
  return module;
}

/// What home_latency() measures: the other side is far, and some SMs are farther than others.
void probe(void** parameters) {
  const auto* const addresses = *static_cast<const std::uint64_t* const*>(parameters[0]);
  const int count = *static_cast<const int*>(parameters[1]);
  const int repeats = *static_cast<const int*>(parameters[2]);
  const unsigned sm = *static_cast<const unsigned*>(parameters[3]);
  auto* const cycles = *static_cast<long long**>(parameters[5]);
  auto* const seen = *static_cast<unsigned**>(parameters[6]);
  constexpr int kNear = 300;
  constexpr int kFarther = 200;
  const int sm_side = static_cast<int>(sm % 2);
  for (int i = 0; i < count; ++i) {
    const int far = side_of(addresses[i]) != sm_side ? kFarther : 0;
    const int noise = static_cast<int>((sm * 31 + static_cast<unsigned>(i) * 17) % 23);
    for (int repeat = 0; repeat < repeats; ++repeat)
      cycles[i * repeats + repeat] = kAdditions * (kNear + far + noise);
  }
  for (int each = 0; each < kMadeUpSms; ++each)
    ++seen[each];
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): NVIDIA's names
extern "C" {

void made_up_run_kernels_by(MadeUpKernel kernel) {
  world().kernel = kernel;
}
int made_up_launches() {
  return world().launches;
}
void* made_up_last_stream() {
  return world().last_stream;
}
void made_up_limit_pages(int pages) {
  world().pages_left = pages;
}

CUresult cuInit(unsigned) {
  return CUDA_SUCCESS;
}
/// NVRTC asks for a table whose first word is its size, and leaves a small one alone.
CUresult cuGetExportTable(const void** table, const CUuuid*) {
  static const std::uint64_t small = sizeof small;
  *table = &small;
  return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult, const char** words) {
  *words = "a made-up error";
  return CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice* device, int number) {
  *device = number;
  return number >= 0 && number < kMadeUpDevices ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice) {
  static const std::map<CUdevice_attribute, int> known = {
      {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, kMadeUpSms},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0},
      {CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 1},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 227 * 1024}};
  *value = known.at(which);
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  *context = reinterpret_cast<CUcontext>(&contexts.at(static_cast<std::size_t>(device)));
  return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext context) {
  current = context;
  return CUDA_SUCCESS;
}
CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = current;
  return CUDA_SUCCESS;
}
CUresult cuCtxGetDevice(CUdevice* device) {
  if (current == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  *device = *reinterpret_cast<int*>(current);
  return CUDA_SUCCESS;
}
CUresult cuCtxSynchronize() {
  return CUDA_SUCCESS;
}
CUresult cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  *free = *total = std::size_t{1} << 30;
  return CUDA_SUCCESS;
}
CUresult cuMemAlloc_v2(CUdeviceptr* address, std::size_t bytes) {
  *address = std::bit_cast<CUdeviceptr>(::operator new (bytes, std::align_val_t{256}));
  return CUDA_SUCCESS;
}
CUresult cuMemFree_v2(CUdeviceptr address) {
  ::operator delete (std::bit_cast<void*>(address), std::align_val_t{256});
  return CUDA_SUCCESS;
}
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, std::size_t bytes) {
  std::memcpy(std::bit_cast<void*>(to), from, bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, std::size_t bytes) {
  std::memcpy(to, std::bit_cast<const void*>(from), bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, std::size_t bytes) {
  std::memset(std::bit_cast<void*>(to), value, bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemGetAllocationGranularity(std::size_t* bytes, const CUmemAllocationProp*,
                                       CUmemAllocationGranularity_flags) {
  *bytes = kPageBytes;
  return CUDA_SUCCESS;
}
CUresult cuMemAddressReserve(CUdeviceptr* first, std::size_t bytes, std::size_t, CUdeviceptr,
                             unsigned long long) {
  // One page more, so that they can begin at a multiple of one; nobody gives that one back.
  void* const all = mmap(nullptr, bytes + kPageBytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
  *first = (std::bit_cast<CUdeviceptr>(all) + kPageBytes - 1) / kPageBytes * kPageBytes;
  return CUDA_SUCCESS;
}
CUresult cuMemAddressFree(CUdeviceptr first, std::size_t bytes) {
  munmap(std::bit_cast<void*>(first), bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemCreate(CUmemGenericAllocationHandle* page, std::size_t, const CUmemAllocationProp*,
                     unsigned long long) {
  const std::scoped_lock lock(world().mutex);
  if (world().pages_left == 0) return CUDA_ERROR_OUT_OF_MEMORY;
  --world().pages_left;
  *page = world().next_page++;
  return CUDA_SUCCESS;
}
CUresult cuMemRelease(CUmemGenericAllocationHandle) {
  const std::scoped_lock lock(world().mutex);
  ++world().pages_left;
  return CUDA_SUCCESS;
}
CUresult cuMemMap(CUdeviceptr place, std::size_t, std::size_t, CUmemGenericAllocationHandle page,
                  unsigned long long) {
  const std::scoped_lock lock(world().mutex);
  world().pages[place / kPageBytes] = page;
  return CUDA_SUCCESS;
}
CUresult cuMemUnmap(CUdeviceptr first, std::size_t bytes) {
  const std::scoped_lock lock(world().mutex);
  for (CUdeviceptr page = first; page < first + bytes; page += kPageBytes)
    world().pages.erase(page / kPageBytes);
  return CUDA_SUCCESS;
}
CUresult cuMemSetAccess(CUdeviceptr, std::size_t, const CUmemAccessDesc*, std::size_t) {
  return CUDA_SUCCESS;
}
CUresult cuEventCreate(CUevent* event, unsigned) {
  *event = nullptr;
  return CUDA_SUCCESS;
}
CUresult cuEventRecord(CUevent, CUstream) {
  return CUDA_SUCCESS;
}
CUresult cuEventQuery(CUevent) {
  return CUDA_SUCCESS;
}
CUresult cuEventSynchronize(CUevent) {
  return CUDA_SUCCESS;
}
CUresult cuEventDestroy_v2(CUevent) {
  return CUDA_SUCCESS;
}
CUresult cuStreamWaitEvent(CUstream, CUevent, unsigned) {
  return CUDA_SUCCESS;
}
CUresult cuStreamSynchronize(CUstream) {
  return CUDA_SUCCESS;
}
CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  *module =
      reinterpret_cast<CUmodule>(new MadeUpModule(read_module(static_cast<const char*>(image))));
  return CUDA_SUCCESS;
}
CUresult cuModuleUnload(CUmodule module) {
  delete reinterpret_cast<MadeUpModule*>(module);
  return CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  auto& functions = reinterpret_cast<MadeUpModule*>(module)->functions;
  const auto found = functions.find(name);
  if (found == functions.end()) return CUDA_ERROR_NOT_FOUND;
  *function = reinterpret_cast<CUfunction>(found->second.data());
  return CUDA_SUCCESS;
}
CUresult cuModuleGetGlobal_v2(CUdeviceptr* address, std::size_t* bytes, CUmodule module,
                              const char* name) {
  auto& variables = reinterpret_cast<MadeUpModule*>(module)->variables;
  const auto found = variables.find(name);
  if (found == variables.end()) return CUDA_ERROR_NOT_FOUND;
  *address = std::bit_cast<CUdeviceptr>(found->second.data());
  *bytes = found->second.size();
  return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) {
  return CUDA_SUCCESS;
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction, int, std::size_t) {
  *blocks = 4;
  return CUDA_SUCCESS;
}
CUresult cuLaunchKernel(CUfunction function, unsigned blocks, unsigned, unsigned, unsigned,
                        unsigned, unsigned, unsigned, CUstream stream, void** parameters, void**) {
  ++world().launches;
  world().last_stream = stream;
  if (world().kernel != nullptr)
    world().kernel(reinterpret_cast<const char*>(function), blocks, parameters);
  return CUDA_SUCCESS;
}
CUresult cuLaunchCooperativeKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned,
                                   unsigned, unsigned, CUstream, void** parameters) {
  probe(parameters);
  return CUDA_SUCCESS;
}
}
// NOLINTEND(readability-identifier-naming)
