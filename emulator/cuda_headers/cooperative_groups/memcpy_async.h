// SPDX-License-Identifier: MIT
/// \file  emulator/cuda_headers/cooperative_groups/memcpy_async.h
/// \brief CUDA's header of this name, for g++: copies that the threads of a group share.
#pragma once

#include "cooperative_groups.h"
#include "cuda/barrier"

namespace cooperative_groups {

template <class Group, class T, class Size>
void memcpy_async(const Group& group, T* to, const T* from, const Size& bytes,
                  Here here = Here::current()) {
  cuda::emulated::copy_share(to, from, bytes, group.thread_rank(), group.size(), here);
  ladder::emulator::commit_copies(here);
}
/// \param to_elements, from_elements  the smaller number is copied
template <class Group, class T>
void memcpy_async(const Group& group, T* to, std::size_t to_elements, const T* from,
                  std::size_t from_elements, Here here = Here::current()) {
  const std::size_t elements = to_elements < from_elements ? to_elements : from_elements;
  memcpy_async(group, to, from, elements * sizeof(T), here);
}

/// All copies but the newest `kNewest` of the group have arrived.
template <unsigned kNewest, class Group>
void wait_prior(const Group& group, Here here = Here::current()) {
  ladder::emulator::wait_for_copies(kNewest, here);
  group.sync(here);
}
template <class Group>
void wait(const Group& group, Here here = Here::current()) {
  wait_prior<0>(group, here);
}

}  // namespace cooperative_groups
