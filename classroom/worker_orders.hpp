// SPDX-License-Identifier: MIT
/// \file  classroom/worker_orders.hpp
/// \brief What both workers do: load a rung, map the matrices of an order, wait for the word to
///        run.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "classroom/graded_run.hpp"
#include "common/gemm.hpp"
#include "common/machine.hpp"
#include "ladder/ladder.hpp"

namespace ladder::grader {

/// The addresses of a matrix and its guard bands, between pages that nobody may touch. Until map(),
/// they lead nowhere.
class MatrixPlace {
 public:
  /// \param  place  of the order: {offset, bytes, pages}; `pages` are left out before it, so that
  ///                no two calls see the same address
  explicit MatrixPlace(const nlohmann::json& place);
  ~MatrixPlace();
  MatrixPlace(const MatrixPlace&) = delete;
  MatrixPlace& operator=(const MatrixPlace&) = delete;

  void map();    ///< the memory shared with the judge is there from now on
  void unmap();  ///< nothing is there any more

  std::size_t bytes() const { return bytes_; }  ///< with both guard bands
  char* guarded() const { return matrix_; }     ///< where the first guard band begins
  std::span<const char> region() const { return {region_, region_bytes_}; }

 private:
  std::size_t region_bytes_;
  std::size_t bytes_;
  off_t offset_;
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

/// \brief  Loads a library; what it needs has to be there.
/// \return what dlsym() takes
/// \throws std::runtime_error
void* loaded(const char* library);

/// \brief  The table that a library's function without parameters returns.
/// \param  function  its mangled name
/// \throws std::runtime_error
std::span<const Rung> table_of(void* library, const char* function);

/// \throws std::runtime_error  the table does not hold it
const Rung& rung_of(std::span<const Rung> rungs, int number);

/// \brief Tells the judge that the matrices are in place, runs when the judge says so, and tells it
///        at once that the run is over: the time between is what the judge measures.
RunReport run_when_told(const std::function<RunReport()>& run);

/// The words behind a worker's name.
struct WorkerWords {
  int number;       ///< of the rung
  bool other_user;  ///< become `nobody`
  const char* library;
  std::vector<std::string> folders;  ///< that may be read
};

/// \brief  Runs a worker until the judge closes the socket.
/// \param  work  takes no more rights than it needs, loads, and answers orders
/// \return its exit status
int worker_main(int argc, char** argv, const std::function<void(const WorkerWords&)>& work);

}  // namespace ladder::grader
