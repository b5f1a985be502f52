"""Mistakes in the rungs on tensor cores: the table that mutants.py makes copies of."""

from tests.ladder.mutants.pipeline_mutants import LAX, SYNC, WAIT, mutants_of

TABLE = "tests/ladder/mutants/tensor_mutants.py"

TENSOR_MUTANTS = (
    # -- mma.sync
    *mutants_of(
        "15_tf32_mma",
        edits={
            "tf32_copy_wait_missing": (f"{WAIT}\n        {SYNC}", SYNC),
            "tf32_copy_wait_too_lax": (f"{WAIT}\n        {SYNC}", f"{LAX}\n        {SYNC}"),
            "tf32_copy_barrier_missing": (f"{WAIT}\n        {SYNC}", WAIT),
            "tf32_copy_into_stage_being_read": (
                "fetch(stage == 0 ? STAGES - 1 : stage - 1, k0",
                "fetch(stage, k0",
            ),
            "tf32_words_of_a_swapped": (
                "lane / 4 + i % 2 * 8][k + lane % 4 + i / 2 * 4]",
                "lane / 4 + i / 2 * 8][k + lane % 4 + i % 2 * 4]",
            ),
            "tf32_sums_of_other_rows": ("m % 2 * 2 + 0]", "(m + 1) % 2 * 2 + 0]"),
            "tf32_cut_off_as_bf16": (
                "ptx::to_tf32(rA[buffer][m][i])",
                "(__float_as_uint(rA[buffer][m][i]) & 0xFFFF0000u)",
            ),
        },
        table=TABLE,
    ),
    *mutants_of(
        "16_bf16_mma",
        edits={
            "bf16_copy_wait_missing": (f"{WAIT}\n        {SYNC}", SYNC),
            "bf16_copy_barrier_missing": (f"{WAIT}\n        {SYNC}", WAIT),
            "bf16_b_not_transposed": ("ptx::ldmatrix<true>", "ptx::ldmatrix<false>"),
            "bf16_copied_without_swizzle": ("[Stage::column_a(a_m + m, a_k)]", "[a_k]"),
            "bf16_swizzled_by_another_row": (
                "Stage::column_b(k, col)",
                "Stage::column_b(k + 1, col)",
            ),
        },
        table=TABLE,
    ),
    # -- wgmma
    *mutants_of(
        "17_wgmma",
        edits={
            "wgmma_full_wait_missing": (
                "    ptx::mbarrier_wait(&shared.full[tile % STAGES], tile / STAGES % 2);\n",
                "",
            ),
            "wgmma_parity_wrong": ("tile / STAGES % 2);", "(tile / STAGES + 1) % 2);"),
            "wgmma_not_awaited": (
                "ptx::wgmma_wait<1>();  // the tile before has been multiplied",
                "// the tile before has been multiplied",
            ),
            "wgmma_barrier_missing": (f"{SYNC}       // by all warpgroups", "// by all warpgroups"),
            "wgmma_refilled_while_read": ("fetch(tile + STAGES - 1);", "fetch(tile + STAGES);"),
            "wgmma_sums_not_awaited": ("  }\n  ptx::wgmma_wait<0>();\n", "  }\n"),
            "wgmma_too_few_bytes": ("(full, sizeof(Stage));", "(full, sizeof stage.B);"),
            "wgmma_box_without_swizzle": (
                "BK, kBoxColumns, ptx::Swizzle::rows_of_128",
                "BK, kBoxColumns, ptx::Swizzle::none",
            ),
            "wgmma_stride_wrong": ("16, 8 * sizeof stage.A[0]", "16, 4 * sizeof stage.A[0]"),
            "wgmma_offset_missing": ("&stage.A[group_row][k]", "&stage.A[group_row][0]"),
            "wgmma_leading_wrong": ("sizeof stage.B[0], 8", "sizeof stage.B[0][0], 8"),
            "wgmma_b_by_columns": ("wgmma<BN, false, true>", "wgmma<BN, false, false>"),
            "wgmma_fence_missing": ("    ptx::wgmma_fence();\n", ""),
        },
        table=TABLE,
    ),
    *mutants_of(
        "18_producer_warpgroup",
        edits={
            "box_empty_wait_missing": (
                "    ptx::mbarrier_wait(&shared.empty[tile % STAGES], (tile / STAGES + 1) % 2);\n",
                "",
            ),
            "box_parity_wrong": ("(tile / STAGES + 1) % 2);", "tile / STAGES % 2);"),
            "released_before_the_wait": (
                "    ptx::wgmma_wait<0>();\n"
                "    if (threadIdx.x % 128 == 0) ptx::mbarrier_arrive(&shared.empty[tile % STAGES]);\n",
                "    if (threadIdx.x % 128 == 0) ptx::mbarrier_arrive(&shared.empty[tile % STAGES]);\n"
                "    ptx::wgmma_wait<0>();\n",
            ),
            "box_empty_arrival_missing": (
                "    if (threadIdx.x % 128 == 0) ptx::mbarrier_arrive(&shared.empty[tile % STAGES]);\n",
                "",
            ),
            "box_empty_count_too_high": (
                "&shared.empty[s], kConsumerGroups)",
                "&shared.empty[s], kConsumerGroups + 1)",
            ),
            "box_too_many_bytes": ("(full, sizeof(Stage));", "(full, 2 * sizeof(Stage));"),
            "box_of_other_rows": (
                "map_a, row0, tile * BK, full",
                "map_a, row0 + 1, tile * BK, full",
            ),
            "warpgroups_at_the_same_rows": ("(warpgroup - 1) * 64;", "(warpgroup - 1) * 0;"),
        },
        table=TABLE,
    ),
)
