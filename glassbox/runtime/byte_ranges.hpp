// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/byte_ranges.hpp
/// \brief A set of bytes, by their addresses: what a kernel or a copy has read or written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ladder::glassbox {

/// From `begin` to before `end`.
struct Bytes {
  std::uintptr_t begin = 0, end = 0;

  bool is_empty() const { return begin >= end; }
  bool operator==(const Bytes&) const = default;
};

inline Bytes bytes_at(const void* address, std::size_t count) {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  return {begin, begin + count};
}

/// What both have.
Bytes common(const Bytes& a, const Bytes& b);

/// Exact to the byte: two streams may well work on every other element of one array.
class ByteRanges {
 public:
  ByteRanges() = default;
  explicit ByteRanges(const Bytes& one) { append(one); }

  /// Adds bytes that begin behind the start of all others.
  void append(const Bytes& more);
  /// Adds any bytes.
  void add(const Bytes& more);

  bool is_empty() const { return all_.empty(); }
  /// Ascending, none next to another.
  const std::vector<Bytes>& all() const { return all_; }

  /// \brief  Calls with each piece that both have, ascending, until it returns true.
  /// \return whether it did
  template <class Call>
  bool any_common(const ByteRanges& other, const Call& call) const {
    if (all_.empty() || other.all_.empty()) return false;
    auto own = first_behind(other.all_.front().begin);
    auto its = other.first_behind(all_.front().begin);
    while (own != all_.end() && its != other.all_.end()) {
      const Bytes both = common(*own, *its);
      if (!both.is_empty() && call(both)) return true;
      if (own->end < its->end) {
        ++own;
      } else {
        ++its;
      }
    }
    return false;
  }
  bool meets(const ByteRanges& other) const {
    return any_common(other, [](const Bytes&) { return true; });
  }

  bool meets(const Bytes& one) const {
    const auto at = first_behind(one.begin);
    return at != all_.end() && at->begin < one.end;
  }

  bool operator==(const ByteRanges&) const = default;

 private:
  /// The first piece that ends behind this address.
  std::vector<Bytes>::const_iterator first_behind(std::uintptr_t address) const;

  std::vector<Bytes> all_;
};

}  // namespace ladder::glassbox
