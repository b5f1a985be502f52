// SPDX-License-Identifier: MIT
/// \file  ladder/program/many_gpus/no_nccl_links.cpp
/// \brief Stands in for nccl_links.cpp in builds without CUDA or NCCL.
#include "ladder/program/many_gpus/links.hpp"

namespace ladder::many_gpus {

std::unique_ptr<Links> make_nccl_links(const Ranks&, const Beside&) {
  throw MachineError(
      "this program was built without NCCL 2.28 or newer: install it (libnccl-dev, or `pip install "
      "nvidia-nccl-cu13`), run make again, or run with --device cpu");
}

}  // namespace ladder::many_gpus
