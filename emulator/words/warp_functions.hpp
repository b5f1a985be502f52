// SPDX-License-Identifier: MIT
/// \file  emulator/words/warp_functions.hpp
/// \brief Functions in which the lanes of a warp take part together: shuffles, votes, matches,
///        reductions, __syncwarp.
///
/// Each lane hands in a request and waits; the last lane of the mask answers all requests. If the
/// block's size is not a multiple of 32, lanes of the mask that do not exist are not waited for. A
/// shuffle from a lane that is not in the mask is undefined in CUDA and yields a NaN; see
/// give_undefined().
///
/// Only __syncwarp orders the lanes' accesses to memory: shuffles, votes, matches and reductions
/// exchange registers.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <source_location>
#include <type_traits>

namespace ladder::emulator {

inline constexpr unsigned kWholeWarp = 0xFFFFFFFF;

/// The requests of all lanes that take part in one call.
struct WarpRequests {
  unsigned mask;                  ///< lanes that take part
  std::array<void*, 32> request;  ///< by lane; valid for the lanes of the mask
};

/// One lane's call of a warp function.
struct WarpCall {
  const char* function;  ///< as the programmer wrote it, for messages
  unsigned mask;         ///< lanes that must take part, the caller among them
  void* request;         ///< what this lane asks, and where its answer goes
  void (*answer)(const WarpRequests& requests);
  std::source_location where;
};

/// \brief Waits until all lanes of call.mask are in the same call; one of them then answers for
///        all. A lane that can no longer come ends the grid with KernelError.
void meet_in_warp(const WarpCall& call);

/// Ends the grid: `width` is not 1, 2, 4, 8, 16 or 32.
[[noreturn]] void refuse_width(const char* function, int width, std::source_location where);

/// Lanes of the warp that are at this line when no lane of the warp can go on.
unsigned lanes_at_this_line(std::source_location where);

/// \brief Fills the result of a lane that shuffled from one that takes no part. As long as nobody
///        uses it, that is no fault: the upper lanes of a reduction throw away what they get. So a
///        trace looks for these bytes in what the kernel has written.
void give_undefined(void* result, std::size_t bytes, unsigned lane, unsigned source) noexcept;

/// Lane of the running thread, 0-31.
[[gnu::const]] unsigned lane_index() noexcept;

template <class Function>
void for_each_lane(unsigned mask, Function function) {
  for (; mask != 0; mask &= mask - 1)
    function(static_cast<unsigned>(__builtin_ctz(mask)));
}

/// A value for the others, and the lane whose value this lane wants.
template <class T>
struct ShuffleRequest {
  T value;
  unsigned source;
  T result;

  static void answer(const WarpRequests& requests) {
    for_each_lane(requests.mask, [&](unsigned lane) {
      auto& own = *static_cast<ShuffleRequest*>(requests.request[lane]);
      if (requests.mask >> own.source & 1u) {
        own.result = static_cast<const ShuffleRequest*>(requests.request[own.source])->value;
      } else {
        give_undefined(&own.result, sizeof own.result, lane, own.source);
      }
    });
  }
};

/// A value of each lane, and one answer that is the same for all, made by Combine::combine.
template <class T, class Result, class Combine>
struct CombineRequest {
  T value;
  Result result;

  static void answer(const WarpRequests& requests) {
    std::array<T, 32> values = {};
    for_each_lane(requests.mask, [&](unsigned lane) {
      values[lane] = static_cast<const CombineRequest*>(requests.request[lane])->value;
    });
    const Result result = Combine::combine(requests.mask, values);
    for_each_lane(requests.mask, [&](unsigned lane) {
      static_cast<CombineRequest*>(requests.request[lane])->result = result;
    });
  }
};

/// The lanes whose value has the same bytes as the caller's.
template <class T>
struct MatchRequest {
  T value;
  unsigned result;

  static void answer(const WarpRequests& requests) {
    for_each_lane(requests.mask, [&](unsigned lane) {
      auto& own = *static_cast<MatchRequest*>(requests.request[lane]);
      own.result = 0;
      for_each_lane(requests.mask, [&](unsigned other) {
        const auto& value = static_cast<const MatchRequest*>(requests.request[other])->value;
        if (std::memcmp(&value, &own.value, sizeof(T)) == 0) own.result |= 1u << other;
      });
    });
  }
};

struct BallotVotes {
  static unsigned combine(unsigned mask, const std::array<unsigned, 32>& votes) {
    unsigned ballot = 0;
    for_each_lane(mask, [&](unsigned lane) { ballot |= (votes[lane] != 0 ? 1u : 0u) << lane; });
    return ballot;
  }
};

/// Folds the values of all lanes with Operation, in the order of the lanes.
template <class T, class Operation>
struct FoldValues {
  static T combine(unsigned mask, const std::array<T, 32>& values) {
    T result = values[static_cast<unsigned>(__builtin_ctz(mask))];
    for_each_lane(mask & (mask - 1),
                  [&](unsigned lane) { result = Operation::apply(result, values[lane]); });
    return result;
  }
};

template <class Request>
auto ask_warp(const char* function, unsigned mask, Request request, std::source_location where) {
  meet_in_warp({function, mask, &request, &Request::answer, where});
  return request.result;
}

template <class T>
T shuffle(const char* function, unsigned mask, T value, unsigned source,
          std::source_location where) {
  static_assert(std::is_trivially_destructible_v<T>, "shuffles move plain values");
  return ask_warp(function, mask, ShuffleRequest<T>{value, source, value}, where);
}

/// First and last lane of the segment of `width` lanes that the caller is in.
struct Segment {
  unsigned first;
  unsigned last;
};

inline Segment segment_of(const char* function, int width, std::source_location where) {
  if (width < 1 || width > 32 || (width & (width - 1)) != 0) refuse_width(function, width, where);
  const unsigned first = lane_index() & ~static_cast<unsigned>(width - 1);
  return {first, first + static_cast<unsigned>(width) - 1};
}

template <class T, class Operation>
T reduce(const char* function, unsigned mask, T value, std::source_location where) {
  using Request = CombineRequest<T, T, FoldValues<T, Operation>>;
  return ask_warp(function, mask, Request{value, T()}, where);
}

inline unsigned ballot(const char* function, unsigned mask, int predicate,
                       std::source_location where) {
  using Request = CombineRequest<unsigned, unsigned, BallotVotes>;
  return ask_warp(function, mask, Request{predicate != 0, 0}, where);
}

}  // namespace ladder::emulator

inline void __syncwarp(unsigned mask = 0xFFFFFFFFu,
                       std::source_location where = std::source_location::current()) {
  ladder::emulator::meet_in_warp(
      {"__syncwarp", mask, nullptr, [](const ladder::emulator::WarpRequests&) {}, where});
}

inline unsigned __activemask(std::source_location where = std::source_location::current()) {
  return ladder::emulator::lanes_at_this_line(where);
}

template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32,
              std::source_location where = std::source_location::current()) {
  const auto segment = ladder::emulator::segment_of("__shfl_sync", width, where);
  const unsigned lane = segment.first + (static_cast<unsigned>(source) & (width - 1u));
  return ladder::emulator::shuffle("__shfl_sync", mask, value, lane, where);
}

template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32,
                 std::source_location where = std::source_location::current()) {
  const auto segment = ladder::emulator::segment_of("__shfl_up_sync", width, where);
  const unsigned self = ladder::emulator::lane_index();
  const unsigned lane = delta <= self - segment.first ? self - delta : self;
  return ladder::emulator::shuffle("__shfl_up_sync", mask, value, lane, where);
}

template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32,
                   std::source_location where = std::source_location::current()) {
  const auto segment = ladder::emulator::segment_of("__shfl_down_sync", width, where);
  const unsigned self = ladder::emulator::lane_index();
  const unsigned lane = delta <= segment.last - self ? self + delta : self;
  return ladder::emulator::shuffle("__shfl_down_sync", mask, value, lane, where);
}

template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32,
                  std::source_location where = std::source_location::current()) {
  const auto segment = ladder::emulator::segment_of("__shfl_xor_sync", width, where);
  const unsigned self = ladder::emulator::lane_index();
  const unsigned lane = self ^ static_cast<unsigned>(lane_mask);
  return ladder::emulator::shuffle("__shfl_xor_sync", mask, value,
                                   lane <= segment.last ? lane : self, where);
}

inline unsigned __ballot_sync(unsigned mask, int predicate,
                              std::source_location where = std::source_location::current()) {
  return ladder::emulator::ballot("__ballot_sync", mask, predicate, where);
}

inline int __any_sync(unsigned mask, int predicate,
                      std::source_location where = std::source_location::current()) {
  return ladder::emulator::ballot("__any_sync", mask, predicate, where) != 0;
}

inline int __all_sync(unsigned mask, int predicate,
                      std::source_location where = std::source_location::current()) {
  return ladder::emulator::ballot("__all_sync", mask, predicate == 0, where) == 0;
}

template <class T>
unsigned __match_any_sync(unsigned mask, T value,
                          std::source_location where = std::source_location::current()) {
  using Request = ladder::emulator::MatchRequest<T>;
  return ladder::emulator::ask_warp("__match_any_sync", mask, Request{value, 0}, where);
}
