// SPDX-License-Identifier: MIT
/// \file  emulator/trace/zero_pages.hpp
/// \brief Large arrays of which a run touches a part.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace ladder::emulator {

/// \brief Elements whose bytes are zero. Their pages exist once they are touched, so elements that
///        nobody needs cost neither time nor memory.
template <class T>
class ZeroPages {
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  ZeroPages() = default;
  explicit ZeroPages(std::size_t count) : count_(count) {
    if (count == 0) return;
    void* const memory = mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    elements_ = static_cast<T*>(memory);
  }
  ~ZeroPages() {
    if (elements_ != nullptr) munmap(elements_, count_ * sizeof(T));
  }
  ZeroPages(ZeroPages&& other) noexcept
      : elements_(std::exchange(other.elements_, nullptr)),
        count_(std::exchange(other.count_, 0)) {}
  ZeroPages& operator=(ZeroPages&& other) noexcept {
    std::swap(elements_, other.elements_);
    std::swap(count_, other.count_);
    return *this;
  }

  std::size_t size() const { return count_; }
  T* data() { return elements_; }
  const T* data() const { return elements_; }
  T& operator[](std::size_t i) { return elements_[i]; }
  const T& operator[](std::size_t i) const { return elements_[i]; }

 private:
  T* elements_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace ladder::emulator
