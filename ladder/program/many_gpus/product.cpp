// SPDX-License-Identifier: MIT
#include "ladder/program/many_gpus/product.hpp"

#include <fmt/format.h>

#include <vector>

namespace ladder::many_gpus {
namespace {

std::size_t area(const Shape& shape) {
  return static_cast<std::size_t>(shape.M) * shape.N;
}

Cut cut_of(const Setting& setting, const Problem& problem, Form form) {
  const Cut cut = {.form = form,
                   .whole = problem.shape,
                   .ranks = setting.ranks.ranks(),
                   .rank = setting.ranks.rank(),
                   .multiple = setting.rung.multiple_of};
  require_cut(cut, setting.rung);
  return cut;
}

/// Elements of C that a rank stores, with the rows that the last ranks lack.
std::size_t c_elements(const Cut& cut) {
  if (cut.form == Form::gather) return area(cut.result());
  return static_cast<std::size_t>(cut.rows()) * cut.whole.N;
}

}  // namespace

void require_cut(const Cut& cut, const Rung& rung) {
  require_multiple(label(rung), 'N', cut.whole.N, rung.multiple_of, "its rows of B and C");
  require_multiple(label(rung), 'K', cut.whole.K, rung.multiple_of, "its rows of A");
  if (cut.sliced() / cut.multiple >= cut.ranks) return;
  const char dimension = cut.form == Form::gather ? 'N' : 'K';
  throw ShapeRefused(
      fmt::format("24 many_gpus refuses {0} = {1} on {2} ranks: each needs {3} of {0}, so {4} "
                  "ranks are the most",
                  dimension, cut.sliced(), cut.ranks, cut.multiple, cut.sliced() / cut.multiple));
}

double bytes_needed(const Problem& problem, Format stored, int ranks) {
  const auto [M, N, K] = problem.shape;
  const double element = bytes_of(stored);
  const double whole = element * (1.0 * M * K + 1.0 * K * N + 1.0 * M * N);
  // The larger form: A whole, slices of B and C; or slices of A and B, C's sums, own and others'.
  const double product = whole + 3 * element * M * N;
  const double verification = 8.0 * (1.0 * M * K + 1.0 * K * N) + 16.0 * M * N / ranks;
  return whole + product + verification;
}

template <class T>
Product<T>::Product(Setting& setting, const Problem& problem, Form form)
    : setting_(setting),
      problem_(problem),
      cut_(cut_of(setting, problem, form)),
      b_(setting.machine, form == Form::gather
                              ? static_cast<std::size_t>(cut_.whole.K) * cut_.slice()
                              : static_cast<std::size_t>(cut_.slice()) * cut_.whole.N),
      c_(setting.machine, c_elements(cut_)) {
  Machine& machine = setting.machine;
  why_not_in_kernel_ = setting.links.why_no_open_memory();
  const bool gathers = form == Form::gather;
  const std::size_t a_elements = gathers
                                     ? static_cast<std::size_t>(cut_.padded_rows()) * cut_.whole.K
                                     : static_cast<std::size_t>(cut_.whole.M) * cut_.slice();
  if (why_not_in_kernel_.empty()) {
    const Kernels& kernels = setting.kernels;
    const Room room =
        kFormatOf<T> == Format::fp32 ? kernels.room_fp32(cut_) : kernels.room_bf16(cut_);
    local_.emplace(machine, room.local_bytes);
    const std::vector<unsigned char> zeros(room.local_bytes);
    machine.copy_from_host(local_->data(), zeros.data(), zeros.size());
    open_ = setting.links.open_memory(room.window_bytes);
    open_bytes_ = room.window_bytes;
    data_offset_ = room.data_offset;
    blocks_ = room.blocks;
    if (gathers) a_ = reinterpret_cast<T*>(open_->mine + room.data_offset);
  }
  if (a_ == nullptr) {
    own_a_.emplace(machine, a_elements);
    a_ = own_a_->data();
  }
  if (!gathers) {
    const std::size_t sums = static_cast<std::size_t>(cut_.padded_rows()) * cut_.whole.N;
    partial_.emplace(machine, sums);
    parts_.emplace(machine, sums);
  }
}

template <class T>
Product<T>::~Product() {
  if (open_) setting_.links.close_memory();
}

template <class T>
RandomArray Product<T>::initial_c(Numbers numbers) const {
  return {problem_.seed, 2 + static_cast<std::uint64_t>(cut_.rank), numbers};
}

template <class T>
void Product<T>::set_factors(float alpha, float beta) {
  problem_.alpha = alpha;
  problem_.beta = beta;
}

template <class T>
void Product<T>::fill(const T* whole_a, const T* whole_b, Numbers numbers) {
  Machine& machine = setting_.machine;
  Links& links = setting_.links;
  const auto [M, N, K] = cut_.whole;
  const std::size_t begin = cut_.slice_begin(cut_.rank);
  const std::size_t slice = cut_.slice();
  if (cut_.form == Form::gather) {
    const std::size_t first = static_cast<std::size_t>(cut_.rank) * cut_.rows() * K;
    machine.fill_unwritten(a_, sizeof(T) * cut_.padded_rows() * K);
    links.copy_rows(a_ + first, sizeof(T) * K, whole_a + first, sizeof(T) * K, sizeof(T) * K,
                    cut_.rows_of(cut_.rank));
    links.copy_rows(b(), sizeof(T) * slice, whole_b + begin, sizeof(T) * N, sizeof(T) * slice, K);
  } else {
    links.copy_rows(a_, sizeof(T) * slice, whole_a + begin, sizeof(T) * K, sizeof(T) * slice, M);
    links.copy_rows(b(), sizeof(T) * N, whole_b + begin * N, sizeof(T) * N, sizeof(T) * N, slice);
    machine.fill_unwritten(partial(), partial_->bytes());
    machine.fill_unwritten(parts(), parts_->bytes());
    if (open_) machine.fill_unwritten(open_->mine + data_offset_, open_bytes_ - data_offset_);
  }
  if (problem_.beta == 0.0f) {
    machine.fill_unwritten(c(), c_.bytes());
  } else {
    machine.fill_random(c(), c_.size(), initial_c(numbers));
  }
  machine.synchronize();
  setting_.ranks.barrier();
}

template <class T>
PeerGemm<T> Product<T>::peer_gemm(Track* tracks) const {
  return {.cut = cut_,
          .alpha = problem_.alpha,
          .A = a(),
          .B = b(),
          .beta = problem_.beta,
          .C = c(),
          .windows = open_->windows,
          .local = local_->data(),
          .tracks = tracks};
}

template class Product<float>;
template class Product<bfloat16>;

}  // namespace ladder::many_gpus
