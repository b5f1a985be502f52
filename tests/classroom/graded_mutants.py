"""Mistakes that a grade has to see: some that one call of check lets pass, and kernels that are
right but ask more of memory than their rung. tests/ladder/mutants/mutants.py makes copies."""

from bench.copies import Copy

TABLE = "tests/classroom/graded_mutants.py"
STORE = "*gC = beta == 0.0f ? alpha * acc : alpha * acc + beta * *gC;"
FETCH, STAGE = "    fetch(k0 + BK);\n\n#pragma", "    stage(buffer ^ 1);  // no thread"


def mutants_of(rung, edits):
    """Copies of a rung: {name: ((text, replacement), ...)}."""
    return (Copy(f"mutant_{name}", rung, edit, table=TABLE) for name, edit in edits.items())


GRADED_MUTANTS = (
    # -- Wrong for some factors, shapes or calls only
    *mutants_of(
        "02_coalesced",
        {
            "alpha_zero_leaves_c": (
                (
                    "  for (const Gemm<float>& part",
                    "  if (gemm.alpha == 0.0f) return;\n  for (const Gemm<float>& part",
                ),
            ),
            "negative_zero_reads_c": (
                (STORE, STORE.replace("beta == 0.0f ?", "__float_as_uint(beta) == 0u ?")),
            ),
            "negative_zero_reads_c_when_alpha_is_0": (
                (
                    STORE,
                    STORE.replace(
                        "beta == 0.0f ?",
                        "beta == 0.0f && (alpha != 0.0f || __float_as_uint(beta) == 0u) ?",
                    ),
                ),
            ),
            "inputs_cut_to_18_bits": (
                (
                    "acc += gA[k] *",
                    "acc += __uint_as_float(__float_as_uint(gA[k]) & 0xffffffc0u) *",
                ),
            ),
        },
    ),
    *mutants_of(
        "03_shared_tile",
        {
            "barrier_missing_for_odd_tiles": (
                (
                    "    }\n    __syncthreads();\n",
                    "    }\n    if (K % 128 != 64) __syncthreads();\n",
                ),
            )
        },
    ),
    *mutants_of(
        "04_register_tile",
        {
            "columns_beyond_1280_unwritten": (
                (
                    "if (row >= M || col >= N) continue;",
                    "if (row >= M || col >= N || col >= 1280) continue;",
                ),
            ),
            "columns_beyond_3072_unwritten": (
                (
                    "if (row >= M || col >= N) continue;",
                    "if (row >= M || col >= N || col >= 3072) continue;",
                ),
            ),
        },
    ),
    *mutants_of(
        "09_async_copy",
        {
            "row_behind_b_copied_at_whole_sizes": (
                (
                    "k0 + b_k + k < K && col0",
                    "(k0 + b_k + k < K || (K % 128 == 0 && N % BN == 0 && k0 + b_k + k == K)) && col0",
                ),
            )
        },
    ),
    *mutants_of(
        "11_producer_warps",
        {
            "copies_unfinished_at_the_end": (
                (
                    "  while (k0 < K) {\n    Stage* const stage",
                    "  while (k0 < K + kProducerWarps * BK) {\n    Stage* const stage",
                ),
            ),
            "stage_released_before_all_lanes_have_read": (
                ("        __syncwarp();  // all lanes have read this stage\n", ""),
            ),
            "barriers_without_fence": (("    ptx::fence_mbarrier_init();\n", ""),),
        },
    ),
    *mutants_of(
        "12_stream_k",
        {
            "flag_without_release": (
                ("ptx::store_release(&flags[blockIdx.x], 1);", "flags[blockIdx.x] = 1;"),
            ),
            "seven_peers_waited_for": (
                (
                    "(c, last - schedule.rank, consumer",
                    "(c, last - schedule.rank < 7 ? last - schedule.rank : 7, consumer",
                ),
            ),
        },
    ),
    # -- Right, and wasteful
    *mutants_of(
        "02_coalesced",
        {
            "warps_along_columns": (
                (
                    "const int row = blockIdx.y * BM + threadIdx.y;\n"
                    "  const int col = blockIdx.x * BN + threadIdx.x;",
                    "const int row = blockIdx.y * BM + threadIdx.x;\n"
                    "  const int col = blockIdx.x * BN + threadIdx.y;",
                ),
            )
        },
    ),
    *mutants_of(
        "03_shared_tile",
        {
            "operand_from_global_memory": (
                (
                    "acc += sA[threadIdx.y][k] *",
                    "acc += (row < M && k0 + k < K ? A[static_cast<size_t>(row) * K + k0 + k] : 0.0f) *",
                ),
            )
        },
    ),
    *mutants_of(
        "06_double_buffer",
        {"fetched_when_needed": ((FETCH, "#pragma"), (STAGE, "    fetch(k0 + BK);\n" + STAGE))},
    ),
    *mutants_of(
        "07_wave_swizzle",
        {
            "blocks_along_rows": (
                (
                    "(blockIdx.y * BAND + blockIdx.x % BAND) * BM;",
                    "(blockIdx.y * BAND + blockIdx.x / (gridDim.x / BAND)) * BM;",
                ),
                ("blockIdx.x / BAND * BN;", "blockIdx.x % (gridDim.x / BAND) * BN;"),
            )
        },
    ),
)
