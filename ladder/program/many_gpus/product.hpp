// SPDX-License-Identifier: MIT
/// \file  ladder/program/many_gpus/product.hpp
/// \brief One rank's matrices of a product that is cut among ranks.
#pragma once

#include <optional>

#include "common/machine.hpp"
#include "ladder/ladder.hpp"
#include "ladder/program/many_gpus/links.hpp"

namespace ladder::many_gpus {

/// What the ranks' steps work with, on one machine.
struct Setting {
  const Ranks& ranks;
  Machine& machine;
  Links& links;
  Rung rung;        ///< multiplies on one rank
  Kernels kernels;  ///< of this machine
};

/// Inputs and factors that all ranks agree on.
struct Problem {
  Shape shape;
  float alpha = 1.0f;
  float beta = 0.0f;
  std::uint64_t seed = 1;
};

/// \brief The matrices of one form. A is in open memory if it is gathered, with this rank's rows in
///        their place, as NCCL's all-gather in place wants them.
/// \tparam T  element type of all
template <class T>
class Product {
 public:
  /// \throws ShapeRefused  names the dimension that has too few multiples for so many ranks
  Product(Setting& setting, const Problem& problem, Form form);
  ~Product();
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;

  /// \brief  Takes this rank's slices from the whole matrices, and leaves NaN in all that is not an
  ///         input: other ranks' rows of A, what is exchanged, and C if beta is 0.
  /// \param  numbers  that C has before the call, if beta is not 0
  void fill(const T* whole_a, const T* whole_b, Numbers numbers = Numbers::normal);

  Setting& setting() const { return setting_; }
  const Problem& problem() const { return problem_; }
  const Cut& cut() const { return cut_; }
  /// Whether the kernel can reach the other ranks' memory; if not, why not.
  const std::string& why_not_in_kernel() const { return why_not_in_kernel_; }

  T* a() const { return a_; }         ///< (padded rows, K), or (M, slice) when C is scattered
  T* b() const { return b_.data(); }  ///< (K, slice), or (slice, N)
  T* c() const { return c_.data(); }  ///< gather: (M, slice); scatter: (rows, N)
  T* partial() const { return partial_->data(); }  ///< scatter: (padded rows, N)  own sums
  T* parts() const { return parts_->data(); }      ///< scatter: (ranks, rows, N)  all ranks' sums
  bool is_c_guarded() const { return c_.guards_intact(); }
  /// C before the call, as fill() left it.
  RandomArray initial_c(Numbers numbers) const;
  void set_factors(float alpha, float beta);

  /// \param tracks  (blocks(), kTracks)  zero; null: nothing is recorded
  PeerGemm<T> peer_gemm(Track* tracks = nullptr) const;
  int blocks() const { return blocks_; }  ///< of a launch of the kernel, at most

 private:
  Setting& setting_;
  Problem problem_;
  Cut cut_;
  std::string why_not_in_kernel_;
  std::optional<OpenMemory> open_;
  std::size_t open_bytes_ = 0;
  std::size_t data_offset_ = 0;
  int blocks_ = 0;
  std::optional<MachineArray<unsigned char>> local_;
  std::optional<MachineArray<T>> own_a_;
  T* a_ = nullptr;
  MachineArray<T> b_, c_;
  std::optional<MachineArray<T>> partial_, parts_;
};

/// \brief  Bytes that one rank needs for a problem, its verification included.
double bytes_needed(const Problem& problem, Format stored, int ranks);

/// \throws ShapeRefused  names rung, dimension and rule
void require_cut(const Cut& cut, const Rung& rung);

}  // namespace ladder::many_gpus
