// SPDX-License-Identifier: MIT
/// \file  ladder/program/many_gpus/ranks.hpp
/// \brief The processes that share a product, and what they tell each other on the host: MPI.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "ladder/program/many_gpus/watchdog.hpp"

namespace ladder::many_gpus {

/// Thrown on all ranks when something failed on one of them; the message names it.
class RanksError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// \brief All processes that mpirun started, one of which this is. Between constructor and
///        destructor MPI runs. Every function but rank() and its like is called by all ranks, and
///        waits for all.
class Ranks {
 public:
  /// \param patience_s  how long a rank waits for the others before it ends
  Ranks(int& argc, char**& argv, double patience_s);
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }
  int rank_on_host() const { return rank_on_host_; }
  int ranks_on_host() const { return ranks_on_host_; }
  Watchdog& watchdog() const { return watchdog_; }

  void barrier() const;
  double largest(double value) const;
  double sum(double value) const;
  /// All ranks' texts, in their order.
  std::vector<std::string> texts(const std::string& mine) const;
  /// Rank 0's bytes, to all.
  void broadcast(void* bytes, std::size_t count) const;

  /// \brief  Runs work() on each rank.
  /// \throws RanksError  on all ranks, if it threw on one: says on which, and what
  void together(const std::function<void()>& work) const;
  /// \throws RanksError  names the ranks whose `value` of `what` differs from rank 0's
  void require_same(const std::string& what, const std::string& value) const;

  /// Ends all processes at once.
  [[noreturn]] void abort(int code) const;

 private:
  int rank_ = 0;
  int ranks_ = 1;
  int rank_on_host_ = 0;
  int ranks_on_host_ = 1;
  mutable Watchdog watchdog_;
};

}  // namespace ladder::many_gpus
