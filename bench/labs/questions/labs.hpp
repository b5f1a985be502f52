// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/labs.hpp
/// \brief The labs' functions, one file each. The table in bench/labs/labs.cpp names them.
#pragma once

#include "bench/labs/lab.hpp"

namespace ladder::labs {

LabReport device_card(Instruments* instruments, const LabOptions& options);
LabReport latency(Instruments* instruments, const LabOptions& options);
LabReport l2_bandwidth(Instruments* instruments, const LabOptions& options);
LabReport coalescing(Instruments* instruments, const LabOptions& options);
LabReport memory_bandwidth(Instruments* instruments, const LabOptions& options);
LabReport shared_memory(Instruments* instruments, const LabOptions& options);
LabReport l2_sides(Instruments* instruments, const LabOptions& options);
LabReport near_memory(Instruments* instruments, const LabOptions& options);
LabReport tlb_reach(Instruments* instruments, const LabOptions& options);
LabReport tlb_sharing(Instruments* instruments, const LabOptions& options);
LabReport register_ports(Instruments* instruments, const LabOptions& options);
LabReport remote_memory(Instruments* instruments, const LabOptions& options);
LabReport random_sampling(Instruments* instruments, const LabOptions& options);
LabReport hash_grouping(Instruments* instruments, const LabOptions& options);
LabReport sectors(Instruments* instruments, const LabOptions& options);
LabReport set_aside(Instruments* instruments, const LabOptions& options);
LabReport cache_operators(Instruments* instruments, const LabOptions& options);
LabReport interference(Instruments* instruments, const LabOptions& options);
LabReport roofline(Instruments* instruments, const LabOptions& options);
LabReport raster_orders(Instruments* instruments, const LabOptions& options);
LabReport toolchain(Instruments* instruments, const LabOptions& options);

}  // namespace ladder::labs
