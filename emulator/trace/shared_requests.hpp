// SPDX-License-Identifier: MIT
/// \file  emulator/trace/shared_requests.hpp
/// \brief Requests to shared memory: their words, and who races with whom.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "emulator/trace/event_order.hpp"
#include "emulator/trace/flag_words.hpp"
#include "emulator/trace/hazard_list.hpp"
#include "emulator/trace/request_sites.hpp"
#include "emulator/trace/shared_counts.hpp"
#include "emulator/trace/shared_shadow.hpp"
#include "emulator/trace/tracer_state.hpp"
#include "emulator/trace/warp_logs.hpp"
#include "emulator/trace/wide_loads.hpp"

namespace ladder::emulator {

/// \brief Has requests to shared memory counted, and checks them against the shadow.
class SharedRequests {
 public:
  /// \param clocks  of the shadow
  SharedRequests(const TracerState& state, const WarpClocks& clocks, SharedShadow& shadow,
                 const WarpLogs& logs, SharedCounts& counts, WideLoads& wide_loads,
                 HazardList& hazards, EventOrder& order, const FlagWords& flags)
      : state_(state),
        clocks_(clocks),
        shadow_(shadow),
        logs_(logs),
        counts_(counts),
        wide_loads_(wide_loads),
        hazards_(hazards),
        order_(order),
        flags_(flags) {}

  void start_block() { syncs_.fill(0); }
  /// Its lanes met.
  void meet(unsigned warp) { ++syncs_[warp]; }

  void request(RequestSite& site, const std::uint64_t* address, std::uint32_t lanes);

  // -- While a warp's log is looked at -----------------------------------------------------------
  /// \param orders_lanes  something has put lanes of the warp in order, one by one
  /// \param by_epochs     and they are in several epochs: what they did is checked in the order of
  ///                      these, when all requests are known
  void look_at(bool orders_lanes, bool by_epochs) {
    orders_lanes_ = orders_lanes;
    in_order_of_epochs_ = by_epochs;
  }
  void settle();

  /// \param block  of the access, if it is another one
  [[gnu::cold]] void report_conflict(const WordAccess& access, const Conflict& conflict,
                                     std::optional<std::uint64_t> block = {});

 private:
  void learn(RequestSite& site, const std::uint64_t* address, std::uint64_t first) const;
  void check(RequestSite& site, std::uint64_t first);
  bool is_inside(std::uint64_t begin, std::uint64_t end) const;
  [[gnu::cold]] bool report_outside(const RequestSite& site, std::uint64_t first);
  bool holds(const TouchedWord& touched, std::uint32_t word) const;
  Conflict access(AccessType type, const WordAccess& access);
  template <class Skip, class IsOrdinary>
  void check_words(const RequestSite& site, WordAccess one, Skip skip, IsOrdinary is_ordinary);
  template <class Skip>
  void check_lanes_apart(const RequestSite& site, WordAccess one, std::size_t begin,
                         std::size_t end, Skip skip);
  [[gnu::cold]] void check_guesses(const RequestSite& site, WordAccess one);
  void check_lanes(AccessType type, WordAccess& one);
  void check_word(AccessType type, WordAccess& one);
  [[gnu::cold]] void check_by_epochs(AccessType type, WordAccess& one);
  void add_value(WordAccess& one) const;
  bool is_of_written_object(std::size_t at, AccessCode code) const;
  bool stores_the_same(std::uint32_t lanes) const;
  void see_order(AccessType type, std::uint64_t begin, std::uint64_t end, std::uint64_t first);

  const TracerState& state_;
  const WarpClocks& clocks_;
  SharedShadow& shadow_;
  const WarpLogs& logs_;
  SharedCounts& counts_;
  WideLoads& wide_loads_;
  HazardList& hazards_;
  EventOrder& order_;
  const FlagWords& flags_;
  bool orders_lanes_ = false;
  bool in_order_of_epochs_ = false;
  std::vector<std::pair<AccessType, WordAccess>> to_check_;
  std::array<std::uint32_t, 32> syncs_ = {};  ///< how often each warp has met
};

}  // namespace ladder::emulator
