// SPDX-License-Identifier: MIT
#include "ladder/program/many_gpus/ranks.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <exception>

namespace ladder::many_gpus {

Ranks::Ranks(int& argc, char**& argv, double patience_s) : watchdog_(patience_s) {
  {
    const Watchdog::Wait wait(watchdog_, "all ranks to start");
    MPI_Init(&argc, &argv);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  watchdog_.set_name(fmt::format("rank {}", rank_));
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &host);
  MPI_Comm_rank(host, &rank_on_host_);
  MPI_Comm_size(host, &ranks_on_host_);
  MPI_Comm_free(&host);
}

Ranks::~Ranks() {
  const Watchdog::Wait wait(watchdog_, "all ranks to end");
  MPI_Finalize();
}

void Ranks::barrier() const {
  const Watchdog::Wait wait(watchdog_, "a barrier");
  MPI_Barrier(MPI_COMM_WORLD);
}

double Ranks::largest(double value) const {
  const Watchdog::Wait wait(watchdog_, "a number from all ranks");
  double result = value;
  MPI_Allreduce(&value, &result, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return result;
}

double Ranks::sum(double value) const {
  const Watchdog::Wait wait(watchdog_, "a number from all ranks");
  double result = value;
  MPI_Allreduce(&value, &result, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return result;
}

std::vector<std::string> Ranks::texts(const std::string& mine) const {
  const Watchdog::Wait wait(watchdog_, "what all ranks have to say");
  const int length = static_cast<int>(mine.size());
  std::vector<int> lengths(ranks_);
  MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, MPI_COMM_WORLD);
  std::vector<int> starts(ranks_);
  int all = 0;
  for (int q = 0; q < ranks_; ++q) {
    starts[q] = all;
    all += lengths[q];
  }
  std::string joined(all, ' ');
  MPI_Allgatherv(mine.data(), length, MPI_CHAR, joined.data(), lengths.data(), starts.data(),
                 MPI_CHAR, MPI_COMM_WORLD);
  std::vector<std::string> parts(ranks_);
  for (int q = 0; q < ranks_; ++q)
    parts[q] = joined.substr(starts[q], lengths[q]);
  return parts;
}

void Ranks::broadcast(void* bytes, std::size_t count) const {
  const Watchdog::Wait wait(watchdog_, "rank 0");
  MPI_Bcast(bytes, static_cast<int>(count), MPI_BYTE, 0, MPI_COMM_WORLD);
}

void Ranks::together(const std::function<void()>& work) const {
  std::string failure;
  try {
    work();
  } catch (const std::exception& error) {
    failure = error.what();
  }
  const std::vector<std::string> failures = texts(failure);
  std::string all;
  for (int q = 0; q < ranks_; ++q) {
    if (failures[q].empty()) continue;
    if (q > 0 && failures[q] == failures[q - 1]) continue;  // the same, on many
    all += fmt::format("{}rank {}: {}", all.empty() ? "" : "\n", q, failures[q]);
  }
  if (!all.empty()) throw RanksError(all);
}

void Ranks::require_same(const std::string& what, const std::string& value) const {
  const std::vector<std::string> values = texts(value);
  for (int q = 1; q < ranks_; ++q) {
    if (values[q] == values[0]) continue;
    throw RanksError(fmt::format("all ranks need the same {}: rank 0 has {}, and rank {} has {}",
                                 what, values[0], q, values[q]));
  }
}

void Ranks::abort(int code) const {
  MPI_Abort(MPI_COMM_WORLD, code);
  std::abort();
}

}  // namespace ladder::many_gpus
