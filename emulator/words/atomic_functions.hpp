// SPDX-License-Identifier: MIT
/// \file  emulator/words/atomic_functions.hpp
/// \brief CUDA's atomic functions: each reads, changes and writes *address as one step, even
///        between blocks on different CPU threads, and returns the old value.
#pragma once

#include <atomic>
#include <concepts>
#include <type_traits>

#include "emulator/words/barrier_functions.hpp"

namespace ladder::emulator {

template <class T>
concept AtomicInteger = std::same_as<T, int> || std::same_as<T, unsigned> ||
    std::same_as<T, unsigned long long> || std::same_as<T, long long>;

template <class T>
concept AtomicNumber = AtomicInteger<T> || std::same_as<T, float> || std::same_as<T, double>;

/// Replaces *address by change(*address), and tries again when another thread came in between.
template <class T, class Change>
T update_atomically(T* address, Change change) {
  std::atomic_ref<T> target(*address);
  T old = target.load(std::memory_order_relaxed);
  while (!target.compare_exchange_weak(old, change(old))) {
  }
  step_aside();
  return old;
}

}  // namespace ladder::emulator

template <ladder::emulator::AtomicNumber T>
T atomicAdd(T* address, std::type_identity_t<T> value) {
  if constexpr (std::is_integral_v<T>) {
    const T old = __atomic_fetch_add(address, value, __ATOMIC_SEQ_CST);
    ladder::emulator::step_aside();
    return old;
  } else {
    return ladder::emulator::update_atomically(address, [=](T old) { return old + value; });
  }
}

template <ladder::emulator::AtomicInteger T>
T atomicSub(T* address, std::type_identity_t<T> value) {
  const T old = __atomic_fetch_sub(address, value, __ATOMIC_SEQ_CST);
  ladder::emulator::step_aside();
  return old;
}

template <ladder::emulator::AtomicInteger T>
T atomicMin(T* address, std::type_identity_t<T> value) {
  return ladder::emulator::update_atomically(address,
                                             [=](T old) { return value < old ? value : old; });
}

template <ladder::emulator::AtomicInteger T>
T atomicMax(T* address, std::type_identity_t<T> value) {
  return ladder::emulator::update_atomically(address,
                                             [=](T old) { return value > old ? value : old; });
}

template <ladder::emulator::AtomicNumber T>
T atomicExch(T* address, std::type_identity_t<T> value) {
  const T old = std::atomic_ref<T>(*address).exchange(value);
  ladder::emulator::step_aside();
  return old;
}

template <class T>
requires ladder::emulator::AtomicInteger<T> || std::same_as<T, unsigned short> T
atomicCAS(T* address, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
  std::atomic_ref<T>(*address).compare_exchange_strong(expected, value);
  ladder::emulator::step_aside();
  return expected;
}

template <ladder::emulator::AtomicInteger T>
T atomicAnd(T* address, std::type_identity_t<T> value) {
  const T old = __atomic_fetch_and(address, value, __ATOMIC_SEQ_CST);
  ladder::emulator::step_aside();
  return old;
}

template <ladder::emulator::AtomicInteger T>
T atomicOr(T* address, std::type_identity_t<T> value) {
  const T old = __atomic_fetch_or(address, value, __ATOMIC_SEQ_CST);
  ladder::emulator::step_aside();
  return old;
}

template <ladder::emulator::AtomicInteger T>
T atomicXor(T* address, std::type_identity_t<T> value) {
  const T old = __atomic_fetch_xor(address, value, __ATOMIC_SEQ_CST);
  ladder::emulator::step_aside();
  return old;
}

/// Counts up from 0 to limit and around: old >= limit ? 0 : old + 1.
inline unsigned atomicInc(unsigned* address, unsigned limit) {
  return ladder::emulator::update_atomically(
      address, [=](unsigned old) { return old >= limit ? 0u : old + 1u; });
}

/// Counts down from limit to 0 and around: old == 0 or old > limit ? limit : old - 1.
inline unsigned atomicDec(unsigned* address, unsigned limit) {
  return ladder::emulator::update_atomically(
      address, [=](unsigned old) { return old == 0 || old > limit ? limit : old - 1u; });
}
