"""Block `counted`: what hardware counted of one warp's access, from the recorded probes."""

import pathlib
import re

from bench import probes_file
from docs.report.page_blocks.markdown import table
from docs.report.recorded import FigureError

PROBES = pathlib.Path("tests/fidelity/probes_h200.csv")  # below the root of the sources

LOADS = {
    "requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "lines": "l1tex__t_set_accesses_pipe_lsu_mem_global_op_ld.sum",
    "tag look-ups": "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum",
    "wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_lgds.sum",
}
WAVEFRONTS = "memory_l1_wavefronts_shared"
IDEAL = "memory_l1_wavefronts_shared_ideal"
SHARED = {"wavefronts": WAVEFRONTS, "ideal": IDEAL}
# {argument of `counted`: (columns, [(probe, what a reader calls it)])}
COUNTED = {
    "strides": (
        LOADS,
        [
            (f"global_load_4B_stride_{stride}", f"stride {stride}: {4 * stride} bytes apart")
            for stride in (1, 2, 4, 8, 16, 31, 32)
        ],
    ),
    "starts": (
        LOADS,
        [
            ("global_load_4B_stride_1", "32 floats from the start of a line"),
            ("global_load_4B_start_plus_4B", "from 4 bytes into a line"),
            ("global_load_4B_start_plus_32B", "from 32 bytes into a line"),
            ("global_load_4B_reversed", "in falling order"),
            ("global_load_4B_permuted", "in random order"),
            ("global_load_4B_one_address", "all lanes at one float"),
            ("global_load_4B_random_distinct_of_1024", "32 different floats of 1024, at random"),
        ],
    ),
    "vectors": (
        LOADS,
        [
            ("global_load_4B_stride_1", "32 neighbouring `float`, 128 bytes"),
            ("global_load_8B_stride_1", "32 neighbouring `float2`, 256 bytes"),
            ("global_load_16B_stride_1", "32 neighbouring `float4`, 512 bytes"),
        ],
    ),
    "structures": (
        LOADS,
        [
            ("global_load_struct_20B", "20 bytes: five loads of 4"),
            ("global_load_struct_32B", "32 bytes: two loads of 16"),
        ],
    ),
    "shared_sharing": (
        SHARED,
        [
            ("shared_load_4B_one_address", "4 bytes, all lanes at one word"),
            ("shared_load_16B_one_address", "16 bytes, all lanes at one float4"),
            ("shared_load_16B_stride_1", "16 bytes, 32 different neighbours"),
            ("shared_load_16B_pair_xor1_packed", "16 bytes, lanes T and T^1 share: 16 neighbours"),
            ("shared_load_16B_pair_xor2_packed", "16 bytes, lanes T and T^2 share: 16 neighbours"),
            ("shared_load_16B_pair_xor4_packed", "16 bytes, lanes T and T^4 share: 16 neighbours"),
            ("shared_load_16B_pair_xor16_packed", "16 bytes, T and T^16 share: 16 neighbours"),
            ("shared_load_16B_runs_of_4", "16 bytes, each float4 for 4 neighbouring lanes"),
            ("shared_load_16B_repeats_4", "16 bytes, 4 float4 in turn over the lanes"),
            ("shared_load_16B_warp_tile_4x8", "16 bytes, 8 float4 at steps of 32 bytes, in turn"),
        ],
    ),
    "shared_columns": (
        SHARED,
        [
            ("shared_load_4B_column_of_32x32_pad_0", "column of `float [32][32]`"),
            ("shared_load_4B_column_of_32x32_pad_1", "column of `float [32][33]`"),
            ("shared_load_4B_column_of_32x32_pad_4", "column of `float [32][36]`"),
            ("shared_load_4B_column_swizzled", "column of `float [32][32]`, XOR-swizzled"),
            ("shared_load_16B_column_of_32x32_pad_0", "column of float4 in `float [32][32]`"),
            ("shared_load_16B_column_of_32x32_pad_4", "column of float4 in `float [32][36]`"),
            ("shared_load_16B_column_of_32x32_pad_8", "column of float4 in `float [32][40]`"),
            ("shared_load_16B_column_swizzled", "column of `float4 [32][8]`, XOR-swizzled"),
        ],
    ),
    "shared_merging": (
        {"instructions": "smsp__inst_executed_op_shared_ld.sum", **SHARED},
        [
            ("shared_load_4x4B_aligned", "four `float` at a multiple of 16 bytes"),
            ("shared_load_4x4B_unaligned", "four `float`, 4 bytes past a multiple of 16"),
        ],
    ),
}


def probes():
    """({probe: its counters}, on what they were counted)"""
    counted, notes = probes_file.read(PROBES)
    made = notes[2:5]
    made[1] = re.sub(r": Version ([\d.]+).*", r" \1", made[1])
    return counted, f"Counted on {', '.join(made)}."


def shared_strides(counted):
    """Wavefronts of shared loads, by stride and width."""
    widths = (4, 8, 16)
    rows = [
        [
            f"{stride}",
            *(counted[f"shared_load_{width}B_stride_{stride}"][WAVEFRONTS] for width in widths),
        ]
        for stride in (1, 2, 3, 4, 5, 8, 16, 32)
    ]
    ideal = [counted[f"shared_load_{width}B_stride_1"][IDEAL] for width in widths]
    return table(
        ["stride, in elements", *(f"{width} bytes per lane" for width in widths)],
        [*rows, ["ideal", *ideal]],
    )


def counted_block(_place, arguments):
    """What hardware counted for some of the probes."""
    counted, made = probes()
    if arguments == "shared_strides":
        return f"{shared_strides(counted)}\n\n{made}"
    if arguments not in COUNTED:
        raise FigureError(f"counted: name one of shared_strides, {', '.join(COUNTED)}")
    columns, wanted = COUNTED[arguments]
    rows = [[title, *(counted[name][key] for key in columns.values())] for name, title in wanted]
    return f"{table(['one warp reads', *columns], rows)}\n\n{made}"


BLOCKS = {"counted": counted_block}
