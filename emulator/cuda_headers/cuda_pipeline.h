// SPDX-License-Identifier: MIT
/// \file  emulator/cuda_headers/cuda_pipeline.h
/// \brief CUDA's header of this name, for g++: cp.async by the names that libcu++ does without.
#pragma once

#include "emulator/words/async_functions.hpp"
#include "emulator/words/cuda_words.hpp"

#include <cstddef>
#include <source_location>

/// \brief  Starts a copy of 4, 8 or 16 bytes from global to shared memory.
/// \param  zeros  bytes at the end that are not read, and arrive as zeros
inline void __pipeline_memcpy_async(void* shared, const void* global, std::size_t bytes,
                                    std::size_t zeros = 0,
                                    std::source_location where = std::source_location::current()) {
  ladder::emulator::start_copy(shared, global, static_cast<unsigned>(bytes),
                               static_cast<unsigned>(bytes - zeros), where);
}

inline void __pipeline_commit(std::source_location where = std::source_location::current()) {
  ladder::emulator::commit_copies(where);
}

inline void __pipeline_wait_prior(unsigned newest,
                                  std::source_location where = std::source_location::current()) {
  ladder::emulator::wait_for_copies(newest, where);
}
