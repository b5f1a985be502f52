"""Mistakes that a square problem with alpha = 1 and beta = 0 may not show, or only at a large size.

Who verifies a rung has to call each of them wrong: see subtle_mutants_test.cpp, and for who does,
subtle_mutants.csv.
"""

from bench.copies import Copy

TABLE = "tests/ladder/mutants/subtle_mutants.py"


def mutants_of(rung, configuration="", edits=()):
    """Copies of a rung: {name: (text, replacement)}. configuration: where the rung chooses."""
    return (
        Copy(f"mutant_{name}", rung, (edit,), configuration, table=TABLE)
        for name, edit in edits.items()
    )


SUBTLE_MUTANTS = (
    *mutants_of(
        "01_naive",
        edits={
            "row_guard_lets_one_more": (
                "if (row >= M || col >= N) return;",
                "if (row > M || col >= N) return;",
            ),
            "column_guard_asks_for_m": (
                "if (row >= M || col >= N) return;",
                "if (row >= M || col >= M) return;",
            ),
            "tail_of_unrolled_k_dropped": ("k < K; ++k", "k < K / 8 * 8; ++k"),
            "c_read_when_beta_is_0": (
                "*gC = beta == 0.0f ? alpha * acc : alpha * acc + beta * *gC;",
                "*gC = alpha * acc + beta * *gC;",
            ),
            "stride_of_b_is_k": (
                "gB[static_cast<size_t>(k) * N]",
                "gB[static_cast<size_t>(k) * K]",
            ),
        },
    ),
    *mutants_of(
        "02_coalesced",
        edits={
            "alpha_on_c_too": (
                "*gC = beta == 0.0f ? alpha * acc : alpha * acc + beta * *gC;",
                "*gC = beta == 0.0f ? alpha * acc : alpha * (acc + beta * *gC);",
            ),
            "alpha_forgotten_beside_beta": (
                "*gC = beta == 0.0f ? alpha * acc : alpha * acc + beta * *gC;",
                "*gC = beta == 0.0f ? alpha * acc : acc + beta * *gC;",
            ),
            "beta_taken_for_1": (
                "*gC = beta == 0.0f ? alpha * acc : alpha * acc + beta * *gC;",
                "*gC = beta == 0.0f ? alpha * acc : alpha * acc + *gC;",
            ),
            "inputs_rounded_to_tf32": (
                "acc += gA[k] *",
                "const volatile float t = 8193.0f * gA[k];\n    acc += (t - (t - gA[k])) *",
            ),
            "edge_tiles_not_launched": (
                "const dim3 grid(ceil_div(part.N, BN), ceil_div(part.M, BM));",
                "const dim3 grid(ceil_div(part.N, BN), part.M < BM ? 1 : part.M / BM);",
            ),
            "row_of_c_has_k": (
                "C + static_cast<size_t>(row) * N + col",
                "C + static_cast<size_t>(row) * K + col",
            ),
        },
    ),
    *mutants_of(
        "03_shared_tile",
        edits={
            "barrier_missing_when_k_is_ragged": (
                "    __syncthreads();\n\n    for",
                "    if (K % BK == 0) __syncthreads();\n\n    for",
            ),
            "barrier_missing_in_long_sums": (
                "    }\n    __syncthreads();\n",
                "    }\n    if (k0 < 4 * BK) __syncthreads();\n",
            ),
            "barrier_missing_behind_the_first_tile": (
                "    }\n    __syncthreads();\n",
                "    }\n    if (k0 > 0) __syncthreads();\n",
            ),
            "k_guard_lets_one_more": ("row < M && a_k < K", "row < M && a_k <= K"),
            "last_k_tile_only_if_whole": ("k0 < K; k0 += BK", "k0 + BK <= K; k0 += BK"),
            "column_of_b_guarded_by_m": ("b_k < K && col < N", "b_k < K && col < M"),
        },
    ),
    *mutants_of(
        "04_register_tile",
        edits={
            "narrow_edge_tiles_not_launched": (
                "const dim3 grid(ceil_div(part.N, BN), ceil_div(part.M, BM));",
                "const dim3 grid(part.N < BN ? 1 : (part.N + BN / 2) / BN, ceil_div(part.M, BM));",
            ),
            "k_guard_asks_for_n": ("row0 + m < M && k0 + k < K", "row0 + m < M && k0 + k < N"),
            "k_tile_doubled_at_the_edge": (
                "k0 < K; k0 += BK",
                "k0 < K; k0 += k0 + BK < K && k0 + 2 * BK > K ? K - BK - k0 : BK",
            ),
            "barrier_missing_in_the_last_iteration_but_one": (
                "    }\n    __syncthreads();\n  }\n\n  // -- Epilogue",
                "    }\n    if (k0 + 2 * BK != K) __syncthreads();\n  }\n\n  // -- Epilogue",
            ),
        },
    ),
    *mutants_of(
        "05_vector_access",
        edits={
            "store_not_guarded_in_n": (
                "if (row >= M || col >= N) continue;",
                "if (row >= M) continue;",
            ),
            "w_takes_z_of_c": ("beta * c.w;", "beta * c.z;"),
            "a_guarded_in_k_only": ("row0 + a_m < M && k0 + a_k < K", "k0 + a_k < K"),
            "alpha_missing_in_z": ("c.z = alpha * acc", "c.z = acc"),
        },
    ),
    *mutants_of(
        "06_double_buffer",
        edits={
            "every_fourth_barrier_missing": (
                "    __syncthreads();\n    buffer ^= 1;",
                "    if (k0 / BK % 4 != 3) __syncthreads();\n    buffer ^= 1;",
            ),
            "buffer_parity_late": ("    buffer ^= 1;", "    buffer = k0 / BK % 2;"),
            "last_k_tile_stays_when_ragged": (
                "fetch(k0 + BK);",
                "if (k0 + 2 * BK <= K) fetch(k0 + BK);",
            ),
            "c_read_when_beta_is_0_in_quads": (
                "float4 c = beta == 0.0f ? float4{} : *gC;",
                "float4 c = *gC;",
            ),
        },
    ),
    *mutants_of(
        "07_wave_swizzle",
        edits={
            "last_band_not_launched": (
                "const dim3 grid(ceil_div(part.N, BN) * BAND, ceil_div(part.M, BM * BAND));",
                "const dim3 grid(ceil_div(part.N, BN) * BAND, part.M < BM * BAND ? 1 : part.M / (BM "
                "* BAND));",
            ),
            "second_band_overlaps_the_first": (
                "blockIdx.y * BAND + blockIdx.x % BAND",
                "blockIdx.y * (BAND - 1) + blockIdx.x % BAND",
            ),
            "columns_wrap_beyond_2048": ("blockIdx.x / BAND * BN;", "blockIdx.x / BAND % 16 * BN;"),
        },
    ),
    *mutants_of(
        "08_warp_tile",
        edits={
            "beta_twice_in_y": ("+ beta * c.y;", "+ beta * beta * c.y;"),
            "last_four_columns_dropped_when_ragged": (
                "if (row >= M || col >= N) continue;",
                "if (row >= M || (N % BN != 0 && col + 4 >= N)) continue;",
            ),
            "stale_tile_at_the_edge_of_m": (
                "row0 + a_m < M && k0 + a_k < K",
                "row0 + a_m < M / 4 * 4 && k0 + a_k < K",
            ),
        },
    ),
    *mutants_of(
        "09_async_copy",
        edits={
            "first_wait_off_by_one": (
                "  ptx::cp_async_wait<STAGES - 2>();  // this thread's part",
                "  ptx::cp_async_wait<STAGES - 1>();  // this thread's part",
            ),
            "row_behind_b_copied": ("k0 + b_k + k < K && col0", "k0 + b_k + k <= K && col0"),
            "ring_is_one_stage_longer": (
                "stage = stage == STAGES - 1 ? 0 : stage + 1;",
                "stage = stage == STAGES ? 0 : stage + 1;",
            ),
            "last_k_tile_filled_with_zeros": ("k0 + (STAGES - 1) * BK);", "k0 + STAGES * BK);"),
        },
    ),
    *mutants_of(
        "10_wide_tile",
        edits={
            "pointer_not_wrapped": ("        row_b = &sB[stage][0][thread_col];\n", ""),
            "bands_of_half_the_grid": (
                "const dim3 grid(ceil_div(part.N, BN) * BAND, ceil_div(part.M, BM * BAND));",
                "const dim3 grid(ceil_div(part.N, BN) * BAND, ceil_div(part.M, 2 * BM * BAND));",
            ),
            "rows_guarded_as_multiples_of_4": (
                "if (row >= M || col >= N) continue;",
                "if (row >= (M + 3) / 4 * 4 || col >= N) continue;",
            ),
        },
    ),
    *mutants_of(
        "11_producer_warps",
        edits={
            "last_row_read_twice": ("M - 1)) * K", "(M > 1 ? M - 2 : 0))) * K"),
            "k_behind_the_end_of_a": ("a[k / 4][m] = k0 + k < K ?", "a[k / 4][m] = k0 + k <= K ?"),
            "phase_of_the_second_round": (
                "  int phase = 0;\n  ptx::mbarrier_wait",
                "  int phase = 0;\n  if (K > 100) phase = 1;\n  ptx::mbarrier_wait",
            ),
        },
    ),
    *mutants_of(
        "12_stream_k",
        edits={
            "alpha_twice_in_split_tiles": (
                "fixup<kConsumers>(c, last - schedule.rank, consumer, partials, flags);",
                "fixup<kConsumers>(c, last - schedule.rank, consumer, partials, flags);\n"
                "      for (auto& row : c) {\n"
                "        for (float& x : row) x *= alpha;\n"
                "      }",
            ),
            "alpha_twice_in_parts": (
                "c[m][n] = one * acc[m][n];",
                "c[m][n] = (part.begin > 0 ? alpha : one) * acc[m][n];",
            ),
            "last_peer_not_added": (
                "(c, last - schedule.rank, consumer",
                "(c, last - schedule.rank - 1, consumer",
            ),
            "sums_of_the_tile_before": (
                "  while (part.tile >= 0) {\n    float acc[TM][TN] = {};  // (TM, TN)\n",
                "  float acc[TM][TN] = {};  // (TM, TN)\n  while (part.tile >= 0) {\n",
            ),
            "nearest_peer_again_and_again": (
                "const size_t block = blockIdx.x - peer;",
                "const size_t block = blockIdx.x - 1;",
            ),
            "last_group_of_tiles_like_the_others": ("% height) * BM;", "% BAND) * BM;"),
            "longer_shares_miscounted": (
                "k_tile - longer * (share + 1);",
                "k_tile - longer * share;",
            ),
            "flag_before_the_others_have_stored": (
                "  ptx::barrier_sync<1, kConsumers>();\n  if (consumer == 0)",
                "  if (consumer == 0)",
            ),
        },
    ),
    *mutants_of(
        "14_every_shape",
        "64 x 64",
        edits={
            "last_warp_of_k_not_added": ("k < WARPS_K; ++k", "k < WARPS_K - 1; ++k"),
            "alpha_missing_in_w": ("alpha * c[m][n + 3] +", "c[m][n + 3] +"),
            "tile_stored_beyond_n": (
                "if (row < M && col < N) {\n"
                "        float4* gC = reinterpret_cast<float4*>(C + static_cast<size_t>(row) * N + "
                "col);\n"
                "        const",
                "if (row < M) {\n"
                "        float4* gC = reinterpret_cast<float4*>(C + static_cast<size_t>(row) * N + "
                "col);\n"
                "        const",
            ),
            "tree_ends_at_its_first_step": (
                "rank + step <= last; step *= kFanIn",
                "rank + step <= last && step < 2; step *= kFanIn",
            ),
        },
    ),
    *mutants_of(
        "14_every_shape",
        "32 x 64",
        edits={
            "beta_twice_in_shares": (
                "*gC = make_float4(alpha * c.x + beta * old.x,",
                "*gC = make_float4(alpha * c.x + beta * beta * old.x,",
            ),
            "small_k_guard_lets_one_more": ("copy_k + a_k < K);", "copy_k + a_k <= K);"),
            "small_ring_is_one_stage_longer": (
                "    }\n"
                "    stage = stage == STAGES - 1 ? 0 : stage + 1;\n"
                "  }\n"
                "\n"
                "  // -- Epilogue: C = alpha*acc + beta*C "
                "------------------------------------------------------\n"
                "  __syncwarp();",
                "    }\n"
                "    stage = stage == STAGES ? 0 : stage + 1;\n"
                "  }\n"
                "\n"
                "  // -- Epilogue: C = alpha*acc + beta*C "
                "------------------------------------------------------\n"
                "  __syncwarp();",
            ),
        },
    ),
    *mutants_of(
        "14_every_shape",
        "64 x 64, thin, 16 of K",
        edits={
            "thin_tail_four_short": (
                "for (int k = k0; k < K; k += 4) {",
                "for (int k = k0; k + 4 < K; k += 4) {",
            ),
            "thin_alpha_on_c_too": (
                "c.x = alpha * acc[m][n + 0] + beta * c.x;",
                "c.x = alpha * (acc[m][n + 0] + beta * c.x);",
            ),
        },
    ),
)
