// SPDX-License-Identifier: MIT
/// \file  ladder/23_split_precision/kernel.cuh
/// \brief FP32 from tensor cores: products of 16-bit parts, small ones first, whose sums leave the
///        tensor cores every CHUNK of K.
///
/// In rung 19, tensor cores multiply 16-bit numbers, and they do not round their sums but cut them
/// off. Here each FP32 number is the sum of two FP16 parts, hi + lo: a product is lo*hi + hi*lo +
/// hi*hi, and what is left out is below 2^-22 of it. The K of each chunk is walked through once
/// for each product of parts. Sums do not stay in the tensor cores for longer than a chunk: FP32
/// instructions round them into totals. Where two FP16 parts do not hold the numbers, three BF16
/// parts and six products do.
///
/// Traffic  L2  3*2*M*N*K*(1/(2*BM) + 1/BN) bytes, of which B's part is read once for two blocks.
#pragma once

#include "common/device.cuh"
#include "common/ptx/cluster.cuh"
#include "common/ptx/fence.cuh"
#include "common/ptx/mbarrier.cuh"
#include "common/ptx/registers.cuh"
#include "common/ptx/tma.cuh"
#include "common/ptx/wgmma.cuh"
#include "ladder/23_split_precision/pace.cuh"
#include "ladder/23_split_precision/split.cuh"

namespace ladder::split_precision {

constexpr int kBoxColumns = 64;  // elements in a row of 128 bytes, as the swizzle wants them
constexpr int kPair = 2;         // blocks in a cluster
constexpr int kEpoch = 8;        // k tiles; clusters are less than two epochs apart

/// A tile of a part of A and one of a part of B, as boxes of rows of 128 bytes.
template <class Element, int BM, int BN, int BK>
struct Stage {
  Element A[BM][BK];                             // (BM, BK)
  Element B[BN / kBoxColumns][BK][kBoxColumns];  // (BN/64, BK, 64)
};

/// What a block has in shared memory.
template <class Element, int BM, int BN, int BK, int STAGES>
struct Shared {
  Stage<Element, BM, BN, BK> stages[STAGES];  // (STAGES)
  ptx::Mbarrier full[STAGES];                 // (STAGES)  the stage has been filled
  ptx::Mbarrier empty[STAGES];                // (STAGES)  both blocks have multiplied it
};

/// Where the tiles of C are, in the order in which clusters take them: down a column of BAND tiles
/// of two blocks each, then the next column.
template <int BM, int BN, int BAND>
struct Order {
  int rows;  // of pairs
  int columns;

  __device__ Order(int M, int N)
      : rows((M + kPair * BM - 1) / (kPair * BM)), columns((N + BN - 1) / BN) {}
  __device__ int tiles() const { return rows * columns; }
  __device__ int row(int tile) const {  // of the pair, in elements
    const int band = tile / (BAND * columns) * BAND;
    return (band + tile % (BAND * columns) % min(BAND, rows - band)) * kPair * BM;
  }
  __device__ int column(int tile) const {
    const int band = tile / (BAND * columns) * BAND;
    return tile % (BAND * columns) / min(BAND, rows - band) * BN;
  }
};

/// How many products of parts count: those of part i of A and part j of B with i + j < kParts. What
/// is left out is smaller than what the parts themselves leave out, or nearly so.
template <class Parts>
inline constexpr int kProducts = Parts::kParts*(Parts::kParts + 1) / 2;

/// Parts of a matrix in global memory, one below the other.
struct PartsOf {
  const ptx::TensorMap& map;
  int rows;  ///< of one part
};

/// \brief  The producer, a single thread: fills a stage for each tile of A and B as soon as both
///         blocks have emptied it, tile of C after tile of C.
template <class Parts, int BM, int BN, int BK, int STAGES, int BAND, int CHUNK>
__device__ __forceinline__ void produce(Shared<typename Parts::Element, BM, BN, BK, STAGES>& shared,
                                        const PartsOf& a, const PartsOf& b,
                                        const Order<BM, BN, BAND>& order, int k_tiles,
                                        unsigned* counters) {
  using Stage = split_precision::Stage<typename Parts::Element, BM, BN, BK>;
  constexpr int kHalf = BK / kPair;  // rows of each box of B that this block asks for
  constexpr unsigned kBoth = (1u << kPair) - 1;
  const int rank = ptx::cluster_rank();

  // -- Producer ------------------------------------------------------------------------------
  const int clusters = gridDim.x / kPair;
  Pace pace(rank == 0 ? counters : nullptr, clusters);
  int filled = 0;
  for (int tile = blockIdx.x / kPair; tile < order.tiles(); tile += gridDim.x / kPair) {
    const int row0 = order.row(tile) + rank * BM;
    const int col0 = order.column(tile);
    for (int chunk = 0; chunk < k_tiles; chunk += CHUNK / BK) {
      const int end = min(chunk + CHUNK / BK, k_tiles);
      for (int sum = Parts::kParts - 1; sum >= 0; --sum) {  // small products first
        for (int part = 0; part <= sum; ++part) {
          const int row_of_a = part * a.rows + row0;
          const int row_of_b = (sum - part) * b.rows + rank * kHalf;
          for (int k_tile = chunk; k_tile < end; ++k_tile, ++filled) {
            Stage& stage = shared.stages[filled % STAGES];
            ptx::Mbarrier* const full = &shared.full[filled % STAGES];
            ptx::mbarrier_wait(&shared.empty[filled % STAGES], (filled / STAGES + 1) % 2);
            if (filled % kEpoch == 0) pace.begin_epoch();  // as in rung 20
            ptx::mbarrier_arrive_expect(full, sizeof(Stage));
            ptx::tma_load(stage.A, a.map, row_of_a, k_tile * BK, full);
            for (int box = 0; box < BN / kBoxColumns; ++box) {
              ptx::tma_load_multicast(stage.B[box][rank * kHalf], b.map, row_of_b + k_tile * BK,
                                      col0 + box * kBoxColumns, full, kBoth);
            }
          }
        }
      }
    }
  }
  const int most = (order.tiles() + clusters - 1) / clusters * kProducts<Parts> * k_tiles;
  pace.end((most + kEpoch - 1) / kEpoch);
}

/// \brief   C = alpha*A*B + beta*C; clusters take tiles of 2*BM x BN in turn, a block BM x BN.
/// \tparam  Parts     HalfParts or Bfloat16Parts; leaves if it is not their turn
/// \tparam  BM,BN,BK  block tile in elements; BM is a multiple of 64, BN of 64 up to 192, BK is 64
///                    and one warpgroup per 64 rows after the producer's
/// \tparam  STAGES    stages in the ring, in dynamic shared memory
/// \tparam  BAND      pairs of block rows that consecutive tiles walk through
/// \tparam  CHUNK     of K, a multiple of BK, whose sums stay in the tensor cores
/// \param   map_a     parts of A, (kParts * M, padded K), with boxes of BM x BK
/// \param   map_b     parts of B, (kParts * padded K, padded N), with boxes of BK/2 x 64
/// \param   M,N       extents in elements, any values >= 1
/// \param   padded_k  a multiple of BK
/// \param   alpha     alpha / 2^alpha_exponent, below 1 in magnitude
/// \param   row_exponents     (M)  the rows of A have been scaled by these powers of two
/// \param   column_exponents  (N)  and the columns of B
/// \param   C         (M, N) row-major, 8-byte aligned; not read when beta == 0
/// \param   outcome   tells whose turn it is
/// \param   counters  (kCounters)  see Pace; null: clusters do not wait for each other
template <class Parts, int BM, int BN, int BK, int STAGES, int BAND, int CHUNK>
__global__ void __launch_bounds__(128 + BM / 64 * 128, 1)
    kernel(const __grid_constant__ ptx::TensorMap map_a,
           const __grid_constant__ ptx::TensorMap map_b, int M, int N, int padded_k, float alpha,
           int alpha_exponent, const int* row_exponents, const int* column_exponents, float beta,
           float* C, const Outcome* outcome, unsigned* counters) {
  constexpr int kConsumerGroups = BM / 64;
  static_assert(BK == kBoxColumns, "rows of A, too, are 128 bytes");
  using Element = typename Parts::Element;
  using Stage = split_precision::Stage<Element, BM, BN, BK>;
  if (!is_wanted<Parts>(*outcome)) return;

  // -- Where this thread works ---------------------------------------------------------------
  const Order<BM, BN, BAND> order(M, N);
  const int k_tiles = padded_k / BK;
  const int warpgroup = threadIdx.x / 128;

  // -- Shared tiles and registers ------------------------------------------------------------
  extern __shared__ __align__(1024) unsigned char dynamic_shared[];
  auto& shared = *reinterpret_cast<Shared<Element, BM, BN, BK, STAGES>*>(dynamic_shared);
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) {
      ptx::mbarrier_init(&shared.full[s], 1);
      ptx::mbarrier_init(&shared.empty[s], kPair * kConsumerGroups);
    }
    ptx::fence_mbarrier_init();
  }
  ptx::cluster_sync();

  // The compiler gives all threads 168 registers, 65,536 / 384 rounded down to a multiple of 8.
  // Sums and totals alone are 192: the producer's warpgroup hands over 112, of which each consumer
  // gets 56. 128 * 56 + 256 * 224 = 384 * 168.
  if (warpgroup == 0) {
    ptx::setmaxnreg_dec<56>();
    if (threadIdx.x == 0) {
      produce<Parts, BM, BN, BK, STAGES, BAND, CHUNK>(shared, {map_a, M}, {map_b, padded_k}, order,
                                                      k_tiles, counters);
    }
    ptx::cluster_sync();
    return;
  }

  // -- Consumer ------------------------------------------------------------------------------
  ptx::setmaxnreg_inc<224>();
  const int group = warpgroup - 1;
  const int group_row = group * 64;  // of the block tile's rows, this warpgroup's first
  const int warp = threadIdx.x / 32 % 4;
  const int lane = threadIdx.x % 32;
  float acc[BN / 2];   // (BN/2)  of 64 x BN per warpgroup, in the tensor cores
  float sums[BN / 2];  // (BN/2)  of the chunks before

  int multiplied = 0;
  for (int tile = blockIdx.x / kPair; tile < order.tiles(); tile += gridDim.x / kPair) {
    const int row0 = order.row(tile) + ptx::cluster_rank() * BM;
    const int col0 = order.column(tile);
    for (int i = 0; i < BN / 2; ++i) {
      sums[i] = 0.0f;
    }

    // -- Main loop over K --------------------------------------------------------------------
#pragma unroll 1
    for (int chunk = 0; chunk < k_tiles; chunk += CHUNK / BK) {
      const int tiles = min(CHUNK / BK, k_tiles - chunk);
#pragma unroll 1
      for (int pass = 0; pass < 2; ++pass) {  // the small products, then that of both first parts
        const int steps = pass == 0 ? (kProducts<Parts> - 1) * tiles : tiles;
#pragma unroll 1
        for (int step = 0; step < steps; ++step, ++multiplied) {
          Stage& stage = shared.stages[multiplied % STAGES];
          ptx::mbarrier_wait(&shared.full[multiplied % STAGES], multiplied / STAGES % 2);
          ptx::wgmma_fence();
          for (int k = 0; k < BK; k += 16) {
            ptx::wgmma<BN, false, true, Element>(
                acc,
                ptx::matrix_descriptor(&stage.A[group_row][k], 16, 8 * sizeof stage.A[0],
                                       ptx::Swizzle::rows_of_128),
                ptx::matrix_descriptor(&stage.B[0][k][0], sizeof stage.B[0],
                                       8 * sizeof stage.B[0][0], ptx::Swizzle::rows_of_128),
                step > 0 || k > 0);
          }
          ptx::wgmma_commit();
          ptx::wgmma_wait<0>();
          if (threadIdx.x % 128 < kPair) {
            ptx::mbarrier_arrive_in_block(&shared.empty[multiplied % STAGES], threadIdx.x % 128);
          }
        }
        const float factor = pass == 0 ? Parts::kLowFactor : 1.0f;
#pragma unroll
        for (int i = 0; i < BN / 2; ++i)
          sums[i] += acc[i] * factor;
      }
    }

    // -- Epilogue: C = alpha*sums*2^-exponents + beta*C --------------------------------------
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int row = row0 + group_row + warp * 16 + i * 8 + lane / 4;
      if (row >= M) continue;
      const int exponent = alpha_exponent - row_exponents[row];
      float* const gC = C + static_cast<size_t>(row) * N;
#pragma unroll
      for (int n = 0; n < BN; n += 8) {
        const int col = col0 + n + lane % 4 * 2;
        float c[2] = {};  // neighbours
#pragma unroll
        for (int j = 0; j < 2; ++j) {
          if (col + j >= N) continue;
          c[j] = times_power_of_two(alpha * sums[n / 2 + i * 2 + j],
                                    exponent - column_exponents[col + j]);
          if (beta != 0.0f) c[j] += beta * gC[col + j];
        }
        if (col + 1 < N && N % 2 == 0) {
          *reinterpret_cast<float2*>(gC + col) = make_float2(c[0], c[1]);
        } else {
          if (col < N) gC[col] = c[0];
          if (col + 1 < N) gC[col + 1] = c[1];
        }
      }
    }
  }
  ptx::cluster_sync();  // the other block may still send boxes and arrivals here
}

}  // namespace ladder::split_precision
