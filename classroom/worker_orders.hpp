// SPDX-License-Identifier: MIT
/// \file  classroom/worker_orders.hpp
/// \brief What both workers do: load a rung, map the matrices of an order, wait for the word to
///        run.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "classroom/graded_run.hpp"
#include "common/gemm.hpp"
#include "common/machine.hpp"
#include "ladder/ladder.hpp"

namespace ladder::grader {

/// A matrix and its guard bands, in the memory shared with the judge, mapped between pages that
/// nobody may touch.
class MappedMatrix {
 public:
  /// \param  place  of the order: {offset, bytes, pages}; `pages` are left out before it, so that
  ///                no two calls see the same address
  explicit MappedMatrix(const nlohmann::json& place);
  ~MappedMatrix();
  MappedMatrix(const MappedMatrix&) = delete;
  MappedMatrix& operator=(const MappedMatrix&) = delete;

  std::size_t bytes() const { return bytes_; }  ///< with both guard bands
  char* guarded() const { return matrix_; }     ///< where the first guard band begins

 private:
  std::size_t region_bytes_;
  std::size_t bytes_;
  char* region_;
  char* matrix_;
};

/// \param  matrices  A, B and C, each where its first guard band begins
template <class T>
Gemm<T> gemm_of(const nlohmann::json& order, const std::array<char*, 3>& matrices) {
  const auto& shape = order.at("shape");
  const auto at = [&](std::size_t i) {
    return reinterpret_cast<T*>(matrices.at(i) + MachineArray<T>::kGuardBytes);
  };
  return {shape.at(0),
          shape.at(1),
          shape.at(2),
          order.at("alpha").get<float>(),
          at(0),
          at(1),
          order.at("beta").get<float>(),
          at(2)};
}

/// \brief  Loads a library and finds a rung in the table that its function returns.
/// \throws std::runtime_error
const Rung& rung_of_library(const char* library, const char* function, int number);

/// \brief Tells the judge that the matrices are in place, runs when the judge says so, and tells it
///        at once that the run is over: the time between is what the judge measures.
RunReport run_when_told(const std::function<RunReport()>& run);

/// The words behind a worker's name.
struct WorkerWords {
  int number;       ///< of the rung
  bool other_user;  ///< become `nobody`
  std::vector<const char*> libraries;
  std::vector<std::string> folders;  ///< that may be read
};

/// \brief  Runs a worker until the judge closes the socket.
/// \param  libraries  how many it loads
/// \param  work       takes no more rights than it needs, loads, and answers orders
/// \return its exit status
int worker_main(int argc, char** argv, int libraries,
                const std::function<void(const WorkerWords&)>& work);

}  // namespace ladder::grader
