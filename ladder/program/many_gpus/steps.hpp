// SPDX-License-Identifier: MIT
/// \file  ladder/program/many_gpus/steps.hpp
/// \brief The three steps of rung 24: how one rank's part of a product is computed.
#pragma once

#include <string_view>
#include <vector>

#include "ladder/program/many_gpus/product.hpp"

namespace ladder::many_gpus {

/// Three ways to let copies and products come together, and their parts alone.
enum class Step {
  in_turn,    ///< NCCL's all-gather, then the rung; the rung, then NCCL's reduce-scatter
  in_pieces,  ///< a piece of rows is multiplied while the next travels
  in_kernel,  ///< the kernel itself reads and writes the other ranks' memory
};

std::string_view name_of(Form form);
std::string_view name_of(Step step);
inline constexpr Step kSteps[] = {Step::in_turn, Step::in_pieces, Step::in_kernel};

/// \brief  Starts one product in one of the ways. All ranks call it, in the same order.
/// \throws ShapeRefused, MachineError
template <class T>
void start(Step step, Product<T>& product, Stream stream);

/// \brief  Starts the step in the kernel, which records what its blocks are busy with.
/// \param  tracks  see Product::peer_gemm()
template <class T>
void start_recorded(Product<T>& product, Track* tracks, Stream stream);

/// Starts what a step consists of, alone: the rung on this rank's slice.
template <class T>
void start_compute(Product<T>& product, Stream stream);
/// ... and NCCL's collective.
template <class T>
void start_communication(Product<T>& product, Stream stream);

}  // namespace ladder::many_gpus
