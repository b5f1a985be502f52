"""Mistakes in rung 23: the table that mutants.py makes copies of."""

from bench.copies import Copy
from tests.ladder.mutants.pipeline_mutants import mutants_of

RUNG = "23_split_precision"
TABLE = "tests/ladder/mutants/split_mutants.py"

# The padding holds what an earlier run has left there.
PADDING = (
    ("for (int k = threadIdx.x; k < padded_k; k += kThreads) {", "k < padded_k", "k < K"),
    ("for (int k = warp; k < padded_k; k += kWarps) {", "k < padded_k", "k < K"),
)

SPLIT_MUTANTS = (
    *mutants_of(
        RUNG,
        edits={
            "split_scale_too_large": ("(125 - std::bit_width", "(325 - std::bit_width"),
            "split_half_scale_too_large": ("kHalfTarget = 14;", "kHalfTarget = 16;"),
            "split_scale_in_one_factor": (
                "x * power_of_two(within - 2 * third) * power_of_two(third) * power_of_two(third);",
                "x * power_of_two(within);",
            ),
            "split_scale_cut_too_early": ("max(-376, ", "max(-252, "),
            "split_lo_not_scaled_back": ("kLowFactor = 0x1p-11f;", "kLowFactor = 1.0f;"),
            "split_parts_in_other_order": ("(sum - part) * b.rows", "part * b.rows"),
            "split_chunk_off_by_one": (
                "pass == 0 ? (kProducts<Parts> - 1) * tiles : tiles;",
                "pass == 0 ? (kProducts<Parts> - 1) * tiles - 1 : tiles + 1;",
            ),
            "split_chunk_of_sums_lost": (
                "sums[i] += acc[i] * factor;",
                "sums[i] = acc[i] * factor;",
            ),
            "split_outcome_not_reset": (
                "  launch(start_outcome, {.grid = dim3(1), .block = dim3(1), .stream = stream}, "
                "memory.outcome);\n",
                "",
            ),
            "split_loses_silently": (
                "kept = Parts::split(scaled, parts) && (scaled != 0.0f || x == 0.0f);",
                "kept = Parts::split(scaled, parts) || true;",
            ),
            "split_infinity_in_first_part": (
                "parts[2] = __float2bfloat16_rn(x);",
                "parts[0] = __float2bfloat16_rn(x);",
            ),
        },
        table=TABLE,
    ),
    Copy(
        "mutant_split_padding_not_zeroed",
        RUNG,
        tuple((line, line.replace(old, new)) for line, old, new in PADDING),
        table=TABLE,
    ),
)
