// SPDX-License-Identifier: MIT
/// \file  ladder/program/many_gpus/nccl_links.cpp
/// \brief Links between GPUs: NCCL's collectives, and windows through which a kernel reads and
///        writes the others' memory.
#include <fmt/format.h>
#include <nccl.h>

#include <cstdlib>
#include <cstring>
#include <source_location>
#include <vector>

#include "common/check.hpp"
#include "ladder/program/many_gpus/links.hpp"
#include "ladder/program/many_gpus/nccl_windows.hpp"

namespace ladder::many_gpus {
namespace {

constexpr int kOldestNccl = NCCL_VERSION(2, 28, 0);

void check(ncclResult_t status, std::source_location at = std::source_location::current()) {
  if (status == ncclSuccess) return;
  throw GpuError(
      fmt::format("NCCL: {} at {}:{}", ncclGetErrorString(status), at.file_name(), at.line()));
}

ncclDataType_t nccl_type(const float*) {
  return ncclFloat32;
}
ncclDataType_t nccl_type(const bfloat16*) {
  return ncclBfloat16;
}

std::string text_of_version(int version) {
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

int version_of_nccl() {
  int version = 0;
  check(ncclGetVersion(&version));
  return version;
}

class NcclLinks final : public Links {
 public:
  NcclLinks(const Ranks& ranks, const Beside& beside) : ranks_(ranks), beside_(beside) {
    if (version_of_nccl() < kOldestNccl) {
      throw MachineError(fmt::format("NCCL {} was found, and 2.28 or newer is needed",
                                     text_of_version(version_of_nccl())));
    }
    // Of two kernels that could start, the copy does.
    int least = 0;
    int most = 0;
    ladder::check(cudaDeviceGetStreamPriorityRange(&least, &most));
    ladder::check(cudaStreamCreateWithPriority(&second_, cudaStreamNonBlocking, most));
    ladder::check(cudaEventCreateWithFlags(&passed_, cudaEventDisableTiming));
    ncclConfig_t all = NCCL_CONFIG_INITIALIZER;
    ncclConfig_t few = NCCL_CONFIG_INITIALIZER;
    few.maxCTAs = beside.blocks;
    // NCCL's blocks are clusters of 4 unless it is told otherwise. A kernel that has taken all SMs
    // but a few leaves no four of them side by side, so such a copy would begin when it ends.
    few.cgaClusterSize = beside.cluster;
    all_ = connect(all);
    few_ = connect(few);
    ranks.watchdog().set_alarm([this] { return failure(); });
  }
  ~NcclLinks() override {
    ranks_.watchdog().set_alarm({});
    close();
    ncclCommDestroy(few_);
    ncclCommDestroy(all_);
    cudaEventDestroy(passed_);
    cudaStreamDestroy(second_);
  }

  std::string name() const override { return "NCCL " + text_of_version(version_of_nccl()); }
  std::map<std::string, std::string> versions() const override {
    return {{"nccl", text_of_version(version_of_nccl())},
            {"nccl_compiled_with", text_of_version(NCCL_VERSION_CODE)},
            {"peer_memory", kind_}};
  }
  Stream second_stream() override { return second_; }
  void order(Stream earlier, Stream later) override {
    ladder::check(cudaEventRecord(passed_, earlier));
    ladder::check(cudaStreamWaitEvent(later, passed_, 0));
  }

  void all_gather(Elements whole, std::size_t count, Stream stream) override {
    std::visit(
        [&](auto* elements) {
          check(ncclAllGather(elements + ranks_.rank() * count, elements, count,
                              nccl_type(elements), all_, stream));
        },
        whole);
  }

  void reduce_scatter(ConstElements parts, Elements mine, std::size_t count,
                      Stream stream) override {
    std::visit(
        [&]<class T>(T* to) {
          check(ncclReduceScatter(std::get<const T*>(parts), to, count, nccl_type(to), ncclSum,
                                  all_, stream));
        },
        mine);
  }

  void exchange(ConstElements out, std::size_t out_count, int to, Elements in, std::size_t in_count,
                int from, Stream stream) override {
    std::visit(
        [&]<class T>(T* target) {
          check(ncclGroupStart());
          check(ncclSend(std::get<const T*>(out), out_count, nccl_type(target), to, few_, stream));
          check(ncclRecv(target, in_count, nccl_type(target), from, few_, stream));
          check(ncclGroupEnd());
        },
        in);
  }
  int blocks_of_exchange() const override { return beside_.blocks; }

  std::string why_no_open_memory() const override {
    const int reached = ranks_in_reach(all_);
    if (reached == ranks_.ranks()) return "";
    return fmt::format("a kernel reaches the memory of {} of {} GPUs by load and store", reached,
                       ranks_.ranks());
  }

  OpenMemory open_memory(std::size_t bytes) override {
    close();
    ladder::check(cudaMalloc(&windows_, sizeof(void*) * ranks_.ranks()));
    if (std::getenv("LADDER_PEER_MEMORY") == nullptr) open_window(bytes);
    // NCCL gives no window where GPUs do not map each other's memory its way.
    if (ranks_.largest(window_ == nullptr ? 1 : 0) > 0) open_with_cuda_ipc(bytes);
    ladder::check(cudaDeviceSynchronize());
    ranks_.barrier();
    return {static_cast<unsigned char*>(memory_), windows_};
  }
  void close_memory() override { close(); }
  std::string kind_of_memory() const override { return kind_; }

  void copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                 std::size_t row_bytes, std::size_t rows) override {
    if (rows == 0 || row_bytes == 0) return;
    ladder::check(
        cudaMemcpy2D(to, to_pitch, from, from_pitch, row_bytes, rows, cudaMemcpyDeviceToDevice));
  }

 private:
  void open_window(std::size_t bytes) {
    check(ncclMemAlloc(&memory_, bytes));
    ladder::check(cudaMemset(memory_, 0, bytes));
    check(ncclCommWindowRegister(all_, memory_, bytes, &window_, NCCL_WIN_COLL_SYMMETRIC));
    if (window_ == nullptr) return;
    find_windows(window_, ranks_.ranks(), windows_);
    kind_ = "NCCL window";
  }

  void open_with_cuda_ipc(std::size_t bytes) {
    if (window_ != nullptr) ncclCommWindowDeregister(all_, window_);
    window_ = nullptr;
    if (memory_ != nullptr) ncclMemFree(memory_);
    memory_ = nullptr;
    ladder::check(cudaMalloc(&ipc_memory_, bytes));
    memory_ = ipc_memory_;
    ladder::check(cudaMemset(memory_, 0, bytes));
    cudaIpcMemHandle_t handle = {};
    ladder::check(cudaIpcGetMemHandle(&handle, memory_));
    const std::vector<std::string> handles =
        ranks_.texts(std::string(reinterpret_cast<const char*>(&handle), sizeof handle));
    for (int q = 0; q < ranks_.ranks(); ++q) {
      void* theirs = memory_;
      if (q != ranks_.rank()) {
        std::memcpy(&handle, handles[q].data(), sizeof handle);
        ladder::check(cudaIpcOpenMemHandle(&theirs, handle, cudaIpcMemLazyEnablePeerAccess));
        opened_.push_back(theirs);
      }
      ladder::check(cudaMemcpy(windows_ + q, &theirs, sizeof theirs, cudaMemcpyHostToDevice));
    }
    kind_ = "CUDA IPC";
  }

  ncclComm_t connect(ncclConfig_t& config) {
    const Watchdog::Wait wait(ranks_.watchdog(), "all ranks to connect");
    ncclUniqueId id = {};
    if (ranks_.rank() == 0) check(ncclGetUniqueId(&id));
    ranks_.broadcast(&id, sizeof id);
    ncclComm_t communicator = nullptr;
    check(ncclCommInitRankConfig(&communicator, ranks_.ranks(), id, ranks_.rank(), &config));
    return communicator;
  }

  /// What NCCL has met with in the background; empty while all is well.
  std::string failure() const {
    for (const ncclComm_t communicator : {all_, few_}) {
      ncclResult_t status = ncclSuccess;
      if (ncclCommGetAsyncError(communicator, &status) != ncclSuccess ||
          (status != ncclSuccess && status != ncclInProgress)) {
        return fmt::format("NCCL: {}", ncclGetLastError(communicator));
      }
    }
    return "";
  }

  void close() {
    for (void* const theirs : opened_)
      cudaIpcCloseMemHandle(theirs);
    opened_.clear();
    if (window_ != nullptr) ncclCommWindowDeregister(all_, window_);
    if (memory_ != nullptr && memory_ != ipc_memory_) ncclMemFree(memory_);
    cudaFree(ipc_memory_);
    cudaFree(windows_);
    window_ = nullptr;
    memory_ = nullptr;
    ipc_memory_ = nullptr;
    windows_ = nullptr;
  }

  const Ranks& ranks_;
  Beside beside_;
  ncclComm_t all_ = nullptr;
  ncclComm_t few_ = nullptr;
  cudaStream_t second_ = nullptr;
  cudaEvent_t passed_ = nullptr;
  std::string kind_ = "none";
  void* memory_ = nullptr;
  void* ipc_memory_ = nullptr;  ///< memory_, if it came from cudaMalloc()
  std::vector<void*> opened_;
  ncclWindow_t window_ = nullptr;
  void** windows_ = nullptr;
};

}  // namespace

std::unique_ptr<Links> make_nccl_links(const Ranks& ranks, const Beside& beside) {
  return std::make_unique<NcclLinks>(ranks, beside);
}

}  // namespace ladder::many_gpus
