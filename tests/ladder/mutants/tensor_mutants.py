"""Mistakes in the rungs on tensor cores: the table that mutants.py makes copies of."""

import re

from bench.copies import LADDER, Copy
from tests.ladder.mutants.pipeline_mutants import SYNC, mutants_of

TABLE = "tests/ladder/mutants/tensor_mutants.py"

# Of rungs 15 and 16: a part of the newest tile has been started, and its group is not complete.
WAIT = "ptx::cp_async_wait<STAGES - 3>();  // the group of this tile is not complete"
LAX = "ptx::cp_async_wait<STAGES - 2>();"

# Of rung 19.
ARRIVES = (
    "      if (threadIdx.x % 128 < kPair) {\n"
    "        ptx::mbarrier_arrive_in_block(&shared.empty[multiplied % STAGES], threadIdx.x % 128);\n"
    "      }\n"
)
AWAITS = "      ptx::wgmma_wait<0>();\n"

# Of rung 21, for the emulator finds no sides: all SMs are told to be on side 0.
TOLD_SIDES = (
    "  run_with(gemm, found ? &found->bits : nullptr, stream);\n",
    "  const side_aware::SideBits told;\n  run_with(gemm, &told, stream);\n",
)

SUMMIT = "22_hopper_summit"
PICKS = "run_choice(gemm, fastest(shape, multiprocessors()), stream);"


def summit(size, cluster, edits):
    """Copies of rung 22 which always take one size and cluster, so that a mistake shows: as
    mutants_of."""
    text = (LADDER / SUMMIT / "sizes.hpp").read_text()
    size = re.findall(r'Size\{"([^"]+)"', text).index(size)
    cluster = re.findall(r"Cluster\{(\d), (\d)\}", text).index(cluster)
    cut = f"cut_of(kSizes[{size}], kClusters[{cluster}], shape, multiprocessors())"
    takes = (PICKS, f"run_choice(gemm, {{{size}, {cluster}, {cut}}}, stream);")
    return (
        Copy(f"mutant_{name}", SUMMIT, (edit, takes), table=TABLE) for name, edit in edits.items()
    )


TENSOR_MUTANTS = (
    # -- mma.sync
    *mutants_of(
        "15_tf32_mma",
        edits={
            "tf32_copy_wait_missing": (f"{WAIT}\n        {SYNC}", SYNC),
            "tf32_copy_wait_too_lax": (f"{WAIT}\n        {SYNC}", f"{LAX}\n        {SYNC}"),
            "tf32_copy_barrier_missing": (f"{WAIT}\n        {SYNC}", WAIT),
            "tf32_copy_into_stage_being_read": (
                "refilled = stage == 0 ? STAGES - 1 : stage - 1;",
                "refilled = stage;",
            ),
            "tf32_words_of_a_swapped": (
                "lane % 16;  // of A, which this lane names\n"
                "      const int col = Stage::column_a(row, k + lane / 16 * 4);",
                "lane % 8 + lane / 16 * 8;  // of A, which this lane names\n"
                "      const int col = Stage::column_a(row, k + lane / 8 % 2 * 4);",
            ),
            "tf32_copied_without_swizzle": ("[Stage::column_a(a_m, a_k)]", "[a_k]"),
            "tf32_sums_of_other_rows": ("m % 2 * 2 + 0]", "(m + 1) % 2 * 2 + 0]"),
            "tf32_cut_off_as_bf16": (
                "ptx::to_tf32(__uint_as_float(rA[buffer][m][i]))",
                "(rA[buffer][m][i] & 0xFFFF0000u)",
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
            "bf16_copied_without_swizzle": ("[Stage::column_a(a_m, a_k)]", "[a_k]"),
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
                "ptx::wgmma_wait<0>();  // the tile has been multiplied",
                "// the tile has been multiplied",
            ),
            "wgmma_barrier_missing": (f"{SYNC}       // by all warpgroups", "// by all warpgroups"),
            "wgmma_wait_too_lax": ("ptx::wgmma_wait<0>();", "ptx::wgmma_wait<1>();"),
            "wgmma_refilled_while_read": (
                "    ptx::wgmma_wait<0>();  // the tile has been multiplied\n"
                f"    {SYNC}       // by all warpgroups\n"
                "    fetch(tile + STAGES);\n",
                "    fetch(tile + STAGES);\n"
                "    ptx::wgmma_wait<0>();  // the tile has been multiplied\n"
                f"    {SYNC}       // by all warpgroups\n",
            ),
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
    # -- Pairs of blocks, and results as boxes
    Copy(
        "mutant_pair_leaves_early",
        "19_persistent_cluster",
        (
            ("    ptx::cluster_sync();\n    return;\n", "    return;\n"),
            (
                "  ptx::cluster_sync();  // the other block may still send boxes and arrivals here\n",
                "",
            ),
        ),
        table=TABLE,
    ),
    *mutants_of(
        "19_persistent_cluster",
        edits={
            "pair_empty_counts_one_block": (
                "&shared.empty[s], kPair * kConsumerGroups)",
                "&shared.empty[s], kConsumerGroups)",
            ),
            "pair_arrives_at_one_block": ("threadIdx.x % 128 < kPair)", "threadIdx.x % 128 < 1)"),
            "pair_released_before_the_wait": (AWAITS + ARRIVES, ARRIVES + AWAITS),
            "pair_multicast_to_one": ("kBoth = (1u << kPair) - 1;", "kBoth = 1u;"),
            "pair_too_few_bytes": ("(full, sizeof(Stage));", "(full, sizeof stage.A);"),
            "pair_wrong_half_of_b": (
                "col0 + box * kBoxColumns, full,",
                "col0 + (box - rank * kHalf) * kBoxColumns, full,",
            ),
            "pair_at_the_same_rows": ("order.row(tile) + rank * BM;", "order.row(tile);"),
            "results_rewritten_before_read": (
                "      if (threadIdx.x % 128 == 0) ptx::tma_store_wait_read<kResults - 1>();\n",
                "",
            ),
            "results_wait_too_lax": (
                "ptx::tma_store_wait_read<kResults - 1>();",
                "ptx::tma_store_wait_read<kResults>();",
            ),
            "results_fence_missing": ("      ptx::fence_proxy_async();\n", ""),
            "results_barrier_missing": (
                "      ptx::barrier_sync<128>(1 + group);  // all of the box is there\n",
                "",
            ),
            "results_last_not_awaited": (
                "  if (threadIdx.x % 128 == 0) ptx::tma_store_wait_read<0>();\n",
                "",
            ),
            "results_transposed": ("ptx::stmatrix<false>", "ptx::stmatrix<true>"),
            "results_box_without_swizzle": (
                "gemm.N, 64, kBoxColumns, ptx::Swizzle::rows_of_128",
                "gemm.N, 64, kBoxColumns, ptx::Swizzle::none",
            ),
            "results_swizzled_by_another_row": (
                "(n / 8 + lane / 16) ^ row % 8;",
                "(n / 8 + lane / 16) ^ row % 4;",
            ),
            "results_read_c_although_beta_is_0": ("if (beta != 0.0f && row < M", "if (row < M"),
            "results_of_other_columns": (
                "i / 2 * 8 + lane % 4 * 2;\n          const float*",
                "i % 2 * 8 + lane % 4 * 2;\n          const float*",
            ),
            "begins_with_the_sums_before": ("k_tile > 0 || k > 0);", "true);"),
        },
        table=TABLE,
    ),
    # -- Clusters in step
    *mutants_of(
        "20_in_step",
        edits={
            "step_early_end_uncounted": ("    while (epoch_ < epochs)\n      begin_epoch();\n", ""),
            "step_never_counted": ("    atomicAdd(&counters_[epoch_ % 2], 1);\n", ""),
            "step_of_one_more_cluster": ("< clusters_ * (last", "< (clusters_ + 1) * (last"),
            "step_counters_not_reset": (
                "    for (int i = 0; i < kCounters; ++i)\n"
                "      counters_[i] = 0;  // for the next launch\n",
                "",
            ),
            "snake_missing": (
                "    backwards = !backwards;  // what was read last",
                "    // what was",
            ),
            "snake_of_a_alone": ("map_b, k0, col0", "map_b, k_tile * BK, col0"),
            "snake_off_by_one": ("? k_tiles - 1 - k_tile :", "? k_tiles - k_tile :"),
        },
        table=TABLE,
    ),
    # -- Sides of L2
    *(
        Copy(f"mutant_{name}", "21_l2_sides", (TOLD_SIDES, edit), table=TABLE)
        for name, edit in {
            "seats_not_reset": ("i < kCounters; ++i)", "i < kCounters - kSides; ++i)"),
            "seat_without_the_other_ticket": (
                "    side = 1 - side;\n      seat = atomicAdd(&seats[side], 1);\n",
                "    side = 1 - side;\n",
            ),
            "seat_of_a_full_side": ("if (seat >= half)", "if (seat > half)"),
            "seat_of_the_own_block": ("*ptx::in_block(&shared.seat, 0)", "shared.seat"),
            "seat_taken_by_both_blocks": (
                "if (ptx::cluster_rank() == 0) {\n      shared",
                "{ shared",
            ),
            "halves_of_odd_columns": ("ceil_div(gemm.N, BN) % kSides == 0 && ", ""),
            "both_sides_the_same_half": (
                "first_column(seat / (clusters / sides) * columns)",
                "first_column(0)",
            ),
        }.items()
    ),
    Copy(
        "mutant_seat_sent_too_early",
        "21_l2_sides",
        (
            TOLD_SIDES,
            (
                "      shared.seat = sides",
                "      *ptx::in_block(&shared.seat, 1) = shared.seat = sides",
            ),
            ("*ptx::in_block(&shared.seat, 0)", "shared.seat"),
        ),
        table=TABLE,
    ),
    # -- Results under the next tile, and shared tiles
    *summit(
        "64 x 64",
        ("1", "1"),
        {
            "summit_reads_before_it_waits": ("  ptx::wait_for_previous_kernel();\n", ""),
            "summit_one_buffer_for_all_boxes": (
                "shared.results[group][stored++ % kResults], box,",
                "shared.results[group][box % kResults], box,",
            ),
            "summit_results_rewritten_before_read": (
                "  if (threadIdx.x % 128 == 0) ptx::tma_store_wait_read<kResults - 1>();\n",
                "",
            ),
            "summit_results_fence_missing": ("  ptx::fence_proxy_async();\n", ""),
            "summit_results_at_the_next_tile": (
                "seat.column) * BN + group * 64;\n",
                "seat.column) * BN + group * 64;\n    if (packed_col >= 0) packed_col = col0;\n",
            ),
            "summit_last_results_stay": (
                "#pragma unroll\n  for (int box = 0; box < kBoxes; ++box)\n    store(box);\n",
                "",
            ),
            "summit_part_added_twice": (
                "sum = -0.0f;  // which changes nothing that is added",
                "sum += -0.0f;",
            ),
            "summit_part_counted_twice": ("acc[4 * i] += four.x;", "acc[4 * i] += 2 * four.x;"),
            "summit_first_to_come_adds": ("== pieces.count - 1u;", "== 0u;"),
            "summit_last_is_not_awaited": (
                "  ptx::barrier_sync<128>(barrier);\n  return *is_last != 0;",
                "  return *is_last != 0;",
            ),
            "summit_counter_not_reset": (
                "    if (*is_last != 0) *counter = 0;  // for the next launch\n",
                "",
            ),
            "summit_stage_released_too_early": ("kAhead == 0 || !first", "true"),
        },
    ),
    *summit(
        "128 x 128",
        ("2", "1"),
        {
            "summit_share_rounded_down": (
                "share = ceil_div(even, boxes) * boxes;",
                "share = even / boxes * boxes;",
            )
        },
    ),
    *summit(
        "256 x 128",
        ("1", "1"),
        {
            "summit_fewer_k_tiles_than_boxes": (
                "std::max(boxes, ceil_div(shape.K, kDepth))",
                "ceil_div(shape.K, kDepth)",
            ),
            "summit_results_of_one_warpgroup": (
                "shared.results[group][stored++ % kResults], box,",
                "shared.results[0][stored++ % kResults], box,",
            ),
        },
    ),
    *summit(
        "128 x 128",
        ("2", "2"),
        {
            "summit_tells_itself": (
                "((other + (other >= column ? 1 : 0)) << log_rows_) + row",
                "(other << log_rows_) + row",
            ),
            "summit_a_for_another_row": ("((c << log_rows_) + row)", "(row * columns_ + c)"),
            "summit_b_at_the_same_k": ("map_b, k0 + seat.row * depth_of_b, col", "map_b, k0, col"),
        },
    ),
)
