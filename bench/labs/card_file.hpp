// SPDX-License-Identifier: MIT
/// \file  bench/labs/card_file.hpp
/// \brief A device card from what labs found, for a GPU that nobody has measured.
#pragma once

#include <string>

namespace ladder::labs {

/// \brief  A device card as common/devices holds them, from results of labs: `ladder trace --gpu
///         FILE` takes it. Each figure names the lab, or the table of NVIDIA's, that it is from.
/// \param  folder  with lab_device_card.json; lab_l2_sides.json tells the partitions of L2, too
/// \throws LabError  a file is missing or is no report, or the compute capability is not known here
std::string card_text(const std::string& folder);

}  // namespace ladder::labs
