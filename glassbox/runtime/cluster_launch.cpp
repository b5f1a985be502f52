// SPDX-License-Identifier: MIT
#include "glassbox/runtime/cluster_launch.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

#include "emulator/run/settings.hpp"
#include "glassbox/runtime/extended_launch.hpp"
#include "glassbox/runtime/refused_launch.hpp"

namespace ladder::glassbox {
namespace {

using emulator::FaultKind;

/// Of the kernels with `__cluster_dims__`, by name and by address.
struct Clusters {
  std::mutex mutex;
  std::map<std::string, dim3> by_name;
  std::map<const void*, dim3> by_address;

  static Clusters& instance() {
    static auto* const all = new Clusters();  // variables of the program use it before main()
    return *all;
  }
};

/// "reduce" of "sums::reduce<256>"
std::string plain_name(const std::string& kernel) {
  const std::string name = kernel.substr(0, kernel.find('<'));
  const std::size_t scope = name.rfind(':');
  return scope == std::string::npos ? name : name.substr(scope + 1);
}

/// \return 0 blocks if the kernel has no such attribute
dim3 cluster_of_kernel(const LaunchRequest& request) {
  Clusters& all = Clusters::instance();
  const std::lock_guard lock(all.mutex);
  const std::string name = name_of(request);
  const bool is_of_template = name.find('<') != std::string::npos;  // they have no address there
  if (request.address != nullptr && !is_of_template) {
    const auto found = all.by_address.find(request.address);
    return found == all.by_address.end() ? dim3(0, 0, 0) : found->second;
  }
  const auto found = all.by_name.find(plain_name(name));
  return found == all.by_name.end() ? dim3(0, 0, 0) : found->second;
}

emulator::FieldValue::Numbers numbers_of(const dim3& extents) {
  return {extents.x, extents.y, extents.z};
}

}  // namespace

ClusterOfKernel::ClusterOfKernel(const char* kernel, const void* address, dim3 cluster) {
  Clusters& all = Clusters::instance();
  const std::lock_guard lock(all.mutex);
  all.by_name[kernel] = cluster;
  if (address != nullptr) all.by_address[address] = cluster;
}

LaunchCluster cluster_of(const LaunchRequest& request) {
  const dim3 declared = cluster_of_kernel(request);
  const dim3 asked = request.cluster;
  if (asked.x == 0 && declared.x == 0) return {};
  const dim3 cluster = asked.x == 0 ? declared : asked;
  const dim3& grid = request.grid;
  const auto wrong = [&](FaultKind kind, emulator::Fields fields) {
    fields.set("cluster", numbers_of(cluster));
    return LaunchCluster{.wrong = emulator::Fault(kind, std::move(fields))};
  };
  if (declared.x != 0 && numbers_of(declared) != numbers_of(cluster)) {
    return wrong(FaultKind::kLaunchClusterDeclared, {{"declared", numbers_of(declared)}});
  }
  if (cluster.x == 0 || cluster.y == 0 || cluster.z == 0) {
    return wrong(FaultKind::kLaunchClusterExtentZero, {});
  }
  if (grid.x % cluster.x != 0 || grid.y % cluster.y != 0 || grid.z % cluster.z != 0) {
    return wrong(FaultKind::kLaunchClusterGrid, {{"grid", numbers_of(grid)}});
  }
  constexpr std::uint64_t kMaxBlocks = 8;  // on every GPU
  const std::uint64_t blocks = std::uint64_t{cluster.x} * cluster.y * cluster.z;
  if (blocks > kMaxBlocks) {
    return wrong(FaultKind::kLaunchClusterSize, {{"blocks", blocks}, {"limit", kMaxBlocks}});
  }
  return {.extents = cluster};
}

cudaError_t count_clusters(int* count, const AnyKernel& kernel, const LaunchRequest& request) {
  *count = 0;
  const LaunchCluster cluster = cluster_of(request);
  if (cluster.wrong) return refused(request, *cluster.wrong);
  const dim3& block = request.block;
  const int blocks = blocks_on_sm(kernel, static_cast<int>(block.x * block.y * block.z),
                                  request.dynamic_shared_bytes) *
                     emulator::multiprocessors();
  *count = blocks / static_cast<int>(cluster.extents.x * cluster.extents.y * cluster.extents.z);
  return cudaSuccess;
}

void add_attributes(LaunchRequest& request, const cudaLaunchConfig_t& config) {
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config.attrs[i];
    const auto& cluster = attribute.val.clusterDim;
    if (attribute.id == cudaLaunchAttributeClusterDimension)
      request.cluster = {cluster.x, cluster.y, cluster.z};
    if (attribute.id == cudaLaunchAttributeCooperative)
      request.cooperative = attribute.val.cooperative != 0;
    if (attribute.id == cudaLaunchAttributeProgrammaticStreamSerialization)
      request.overlaps_previous = attribute.val.programmaticStreamSerializationAllowed != 0;
  }
}

}  // namespace ladder::glassbox
