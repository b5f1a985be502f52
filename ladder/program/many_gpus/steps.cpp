// SPDX-License-Identifier: MIT
#include "ladder/program/many_gpus/steps.hpp"

#include "common/spared_multiprocessors.hpp"

namespace ladder::many_gpus {
namespace {

/// Elements of `rows` rows.
std::size_t elements(int rows, int columns) {
  return static_cast<std::size_t>(rows) * columns;
}

/// \brief The rung on the rows of A that rank q has, or whose C it has.
template <class T>
void multiply_rows(const Product<T>& product, int q, float alpha, float beta, T* C, Stream stream) {
  const Cut& cut = product.cut();
  const Shape local = cut.local();
  const int rows = cut.rows_of(q);
  if (rows == 0) return;
  const SparedMultiprocessors spared(product.setting().links.blocks_of_exchange());
  product.setting().rung.run(Gemm<T>{.M = rows,
                                     .N = local.N,
                                     .K = local.K,
                                     .alpha = alpha,
                                     .A = product.a() + elements(q * cut.rows(), local.K),
                                     .B = product.b(),
                                     .beta = beta,
                                     .C = C},
                             stream);
}

template <class T>
void sum(const Product<T>& product, const T* parts, int ranks, int own, Stream stream) {
  const Problem& problem = product.problem();
  const Kernels& kernels = product.setting().kernels;
  const std::size_t count = elements(product.cut().rows(), product.cut().whole.N);
  if constexpr (kFormatOf<T> == Format::fp32) {
    kernels.sum_fp32(parts, ranks, own, count, problem.alpha, problem.beta, product.c(), stream);
  } else {
    kernels.sum_bf16(parts, ranks, own, count, problem.alpha, problem.beta, product.c(), stream);
  }
}

/// Whether C = alpha*sum + beta*C is the sum itself.
bool is_plain(const Problem& problem) {
  return problem.alpha == 1.0f && problem.beta == 0.0f;
}

// -- In turn -------------------------------------------------------------------------------------

template <class T>
void scatter_sums(const Product<T>& product, T* to, Stream stream) {
  const Cut& cut = product.cut();
  product.setting().links.reduce_scatter(static_cast<const T*>(product.partial()), to,
                                         elements(cut.rows(), cut.whole.N), stream);
}

template <class T>
void in_turn(Product<T>& product, Stream stream) {
  const Problem& problem = product.problem();
  if (product.cut().form == Form::gather) {
    start_communication(product, stream);
    start_compute(product, stream);
  } else {
    start_compute(product, stream);
    const bool plain = is_plain(problem);
    scatter_sums(product, plain ? product.c() : product.parts(), stream);
    if (!plain) sum(product, product.parts(), 1, 0, stream);
  }
}

// -- In pieces -----------------------------------------------------------------------------------

/// Rank `rank + step`, around the circle of ranks.
int neighbour(const Cut& cut, int step) {
  return (cut.rank + step + cut.ranks) % cut.ranks;
}

/// \brief Multiplies the rows of one rank after the other, its own first: while one rank's are
///        multiplied, the next one's travel.
template <class T>
void gather_in_pieces(Product<T>& product, Stream stream) {
  const Cut& cut = product.cut();
  Links& links = product.setting().links;
  const Stream travel = links.second_stream();
  const int K = cut.whole.K;
  const auto rows_of_c = [&](int q) { return product.c() + elements(q * cut.rows(), cut.slice()); };
  const auto fetch = [&](int step) {
    const int from = neighbour(cut, step);
    const int to = neighbour(cut, -step);
    links.exchange(static_cast<const T*>(product.a() + elements(cut.rank * cut.rows(), K)),
                   elements(cut.rows_of(cut.rank), K), to,
                   product.a() + elements(from * cut.rows(), K), elements(cut.rows_of(from), K),
                   from, travel);
  };
  links.order(stream, travel);
  for (int step = 0; step < cut.ranks; ++step) {
    if (step > 0) links.order(travel, stream);
    if (step + 1 < cut.ranks) fetch(step + 1);
    const int q = neighbour(cut, step);
    multiply_rows(product, q, product.problem().alpha, product.problem().beta, rows_of_c(q),
                  stream);
  }
}

/// \brief Multiplies the rows of one rank after the other, its own last: while one rank's are
///        multiplied, the sums for the one before travel. Then it adds what has come.
template <class T>
void scatter_in_pieces(Product<T>& product, Stream stream) {
  const Cut& cut = product.cut();
  Links& links = product.setting().links;
  const Stream travel = links.second_stream();
  const int N = cut.whole.N;
  for (int step = 1; step < cut.ranks; ++step) {
    const int to = neighbour(cut, step);
    const int from = neighbour(cut, -step);
    T* const sums = product.partial() + elements(to * cut.rows(), N);
    multiply_rows(product, to, 1.0f, 0.0f, sums, stream);
    links.order(stream, travel);
    links.exchange(static_cast<const T*>(sums), elements(cut.rows_of(to), N), to,
                   product.parts() + elements(from * cut.rows(), N),
                   elements(cut.rows_of(cut.rank), N), from, travel);
  }
  multiply_rows(product, cut.rank, 1.0f, 0.0f, product.parts() + elements(cut.rank * cut.rows(), N),
                stream);
  links.order(travel, stream);
  sum(product, product.parts(), cut.ranks, cut.rank, stream);
}

// -- In the kernel -------------------------------------------------------------------------------

template <class T>
void in_kernel(const PeerGemm<T>& gemm, const Kernels& kernels, Stream stream) {
  if constexpr (kFormatOf<T> == Format::fp32) {
    kernels.in_kernel_fp32(gemm, stream);
  } else {
    kernels.in_kernel_bf16(gemm, stream);
  }
}

}  // namespace

std::string_view name_of(Form form) {
  return form == Form::gather ? "gather" : "scatter";
}

std::string_view name_of(Step step) {
  switch (step) {
    case Step::in_turn:
      return "in turn";
    case Step::in_pieces:
      return "in pieces";
    case Step::in_kernel:
      return "in the kernel";
  }
  return "";
}

template <class T>
void start(Step step, Product<T>& product, Stream stream) {
  if (step == Step::in_turn) return in_turn(product, stream);
  if (step == Step::in_kernel) return start_recorded(product, nullptr, stream);
  if (product.cut().form == Form::gather) return gather_in_pieces(product, stream);
  return scatter_in_pieces(product, stream);
}

template <class T>
void start_recorded(Product<T>& product, Track* tracks, Stream stream) {
  in_kernel(product.peer_gemm(tracks), product.setting().kernels, stream);
}

template <class T>
void start_compute(Product<T>& product, Stream stream) {
  const Cut& cut = product.cut();
  const Problem& problem = product.problem();
  const Shape local = cut.local();
  const bool gathers = cut.form == Form::gather;
  product.setting().rung.run(Gemm<T>{.M = local.M,
                                     .N = local.N,
                                     .K = local.K,
                                     .alpha = gathers ? problem.alpha : 1.0f,
                                     .A = product.a(),
                                     .B = product.b(),
                                     .beta = gathers ? problem.beta : 0.0f,
                                     .C = gathers ? product.c() : product.partial()},
                             stream);
}

template <class T>
void start_communication(Product<T>& product, Stream stream) {
  const Cut& cut = product.cut();
  if (cut.form == Form::gather) {
    product.setting().links.all_gather(product.a(), elements(cut.rows(), cut.whole.K), stream);
  } else {
    scatter_sums(product, product.c(), stream);
  }
}

template void start(Step, Product<float>&, Stream);
template void start(Step, Product<bfloat16>&, Stream);
template void start_recorded(Product<float>&, Track*, Stream);
template void start_recorded(Product<bfloat16>&, Track*, Stream);
template void start_compute(Product<float>&, Stream);
template void start_compute(Product<bfloat16>&, Stream);
template void start_communication(Product<float>&, Stream);
template void start_communication(Product<bfloat16>&, Stream);

}  // namespace ladder::many_gpus
