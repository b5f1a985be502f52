// SPDX-License-Identifier: MIT
/// \file  ladder/program/many_gpus/timeline.hpp
/// \brief What every block of every rank was busy with during one product in the kernel.
#pragma once

#include <nlohmann/json.hpp>

#include "ladder/program/many_gpus/product.hpp"

namespace ladder::many_gpus {

/// \brief  Runs a product in the kernel with stamps, after some without. All ranks call it.
/// \return one entry of a timeline file on rank 0, null on the others. Each rank's times begin with
///         its first interval: GPUs have clocks of their own.
/// \throws ShapeRefused; MachineError  the kernel cannot run here
template <class T>
nlohmann::json record_timeline(Setting& setting, const Problem& problem, Form form);

}  // namespace ladder::many_gpus
