"""Copies of rungs from which something was taken away, and the edits that make them.

The time that a kernel loses without a part is what that part costs. Most of the copies compute
nonsense: nobody loads what they multiply. What they must do is end, and keep in machine code what
was not taken away; bench/benchmark/ablate.py checks both. That consumers of rung 14 wait for full
stages cannot be taken away alone: a block could end while a box is on its way to it, which CUDA
answers with an unspecified launch failure.
"""

import dataclasses

from bench.copies import Copy, main, rung_name, table_of
from bench.record.cuda_tools import InputError
from bench.record.machine_code import arch_of

TABLE = "bench/benchmark/ablations.py"
# The program asks CUDA what the kernel takes of an SM.
NOTED = ("launch(kernel<", "bench::launch_and_note(resources, kernel<")

# -- Rung 14: producers --------------------------------------------------------------------------
# What nobody loads is filled once, with numbers of every mantissa: a multiplier that meets zeros
# or NaN draws less power.
FILLED = (
    """\
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) {
""",
    """\
  constexpr int kFloats = STAGES * sizeof(Stage) / sizeof(float);
  for (int i = threadIdx.x; i < kFloats; i += blockDim.x) {
    reinterpret_cast<float*>(shared)[i] = static_cast<int>(i * 2654435761u) * 0x1p-31f;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) {
""",
)
NO_LOADS = (
    ("  start();\n  if (part.tile >= 0) fetch();\n", "  start();\n"),
    ("    if (part.tile >= 0) fetch();\n", ""),
)
STORES = """\
    for (int k = 0; k < BK; k += kStepK) {
      float* const sA = &stage->A[a_k + k][a_m];
      const float4* r = a[k / kStepK];
      *reinterpret_cast<float4*>(sA + 0 * BM) = make_float4(r[0].x, r[1].x, r[2].x, r[3].x);
      *reinterpret_cast<float4*>(sA + 1 * BM) = make_float4(r[0].y, r[1].y, r[2].y, r[3].y);
      *reinterpret_cast<float4*>(sA + 2 * BM) = make_float4(r[0].z, r[1].z, r[2].z, r[3].z);
      *reinterpret_cast<float4*>(sA + 3 * BM) = make_float4(r[0].w, r[1].w, r[2].w, r[3].w);
    }
"""
NO_STORES = (STORES, "")
# Loads whose result nobody uses are removed: fold all bits into one word, and use that.
FOLDED = (
    ("  float4 a[2][4];", "  unsigned folded = 0;\n  float4 a[2][4];"),
    (
        STORES,
        """\
    for (int i = 0; i < 8; ++i) {
      const float4 r = a[i / 4][i % 4];
      folded ^= __float_as_uint(r.x) ^ __float_as_uint(r.y) ^ __float_as_uint(r.z) ^
                __float_as_uint(r.w);
    }
""",
    ),
    (
        "  // Consumers read one row ahead",
        "  if (folded == 1) stages->A[0][0] = 0.0f;\n  // Consumers read one row ahead",
    ),
)
NO_BOXES = (
    """\
      ptx::mbarrier_arrive_expect(&stage->full, sizeof stage->B);
      ptx::tma_load(stage->B, map_b, k0, col0, &stage->full);
""",
    "      ptx::mbarrier_arrive(&stage->full);\n",
)
ONE_LANE_WAITS = (
    """\
    ptx::mbarrier_wait(&stage->empty, phase);
    if (filler == 0) {
      ptx::mbarrier_arrive_expect(&stage->full, sizeof stage->B);
      ptx::tma_load(stage->B, map_b, k0, col0, &stage->full);
    }
""",
    """\
    if (filler == 0) {
      ptx::mbarrier_wait(&stage->empty, phase);
      ptx::mbarrier_arrive_expect(&stage->full, sizeof stage->B);
      ptx::tma_load(stage->B, map_b, k0, col0, &stage->full);
    }
    __syncwarp();
""",
)
IDLE = (FILLED, *NO_LOADS, NO_STORES, NO_BOXES)

# -- Rung 14: consumers --------------------------------------------------------------------------
# Never true, which the compiler does not know: the sums stay needed. What stands there decides how
# ptxas lays out the loop above; these two change it least, or spill nothing.
STORED = "      } else {\n        store<"
NOT_STORED = (STORED, STORED.replace("else", "else if (K == 0)"))
NOT_STORED_EITHER = (STORED, STORED.replace("else", "else if (split.k_tiles == 0)"))
# __fmaf_rn: of a product whose factors never change the compiler would make a constant.
STAYING = (
    ("    read(0, 0);\n", "    read(0, 0);\n    read(1, 1);\n"),
    ("          read((k + 1) % 2, (k + 1) % kDepth);\n", ""),
    (
        "acc[m][n] += rA[k % 2][m] * rB[k % 2][n];",
        "acc[m][n] = __fmaf_rn(rA[k % 2][m], rB[k % 2][n], acc[m][n]);",
    ),
)
WHOLE = (
    """\
  plan.split = decompose(plan.tiles, plan.k_tiles, sms, cost_us);
  const int left = static_cast<int>(plan.tiles % sms);
""",
    """\
  plan.split = {plan.k_tiles, static_cast<int>(plan.tiles), 0, 0, 0};
  const int left = 0;
""",
)

# -- Rung 10 -------------------------------------------------------------------------------------
NO_COPIES = (
    (
        "    fetch(stage == 0 ? STAGES - 1 : stage - 1, k0 + (STAGES - 1) * BK);\n",
        "    ptx::cp_async_commit();\n",
    ),
    ("stage < STAGES - 1; ++stage) {", "stage < STAGES; ++stage) {"),
)
NO_BARRIER = ("        __syncthreads();\n        row_a =", "        row_a =")


@dataclasses.dataclass(frozen=True)
class Ablation:
    """A copy of a rung without something."""

    rung: int
    name: str
    taken_away: str
    edits: tuple
    configuration: str = ""  # of a rung that chooses, the only one that is left
    right: bool = False  # its results are still right, and are verified
    loads: bool = True  # its main loop still reads shared memory

    @property
    def id(self):
        """'14_idle_producers'"""
        return f"{self.rung:02}_{self.name}"

    @property
    def copy(self):
        """Its source."""
        name = f"ablation_{self.id}"
        return Copy(
            name,
            rung_name(self.rung),
            (NOTED, *self.edits),
            self.configuration,
            TABLE,
            f"// {rung_name(self.rung)} without {self.taken_away}.\n"
            '#include "bench/benchmark/ablation_launch.cuh"\n'
            f"namespace ladder::{name} {{\nbench::KernelResources resources;\n}}\n",
        )


def rung_14(name, taken_away, *edits, **more):
    """A copy of rung 14 that always takes its largest tile."""
    return Ablation(14, name, taken_away, edits, configuration="128 x 256", **more)


ABLATIONS = (
    Ablation(10, "no_copies", "cp.async in the main loop", NO_COPIES),
    Ablation(10, "no_barrier", "the barrier in the main loop", (NO_BARRIER,)),
    Ablation(
        10,
        "no_copies_no_barrier",
        "cp.async and the barrier in the main loop",
        (*NO_COPIES, NO_BARRIER),
    ),
    Ablation(
        11,
        "no_setmaxnreg",
        "setmaxnreg: all threads keep 168 registers",
        (("  ptx::setmaxnreg_dec<88>();\n", ""), ("  ptx::setmaxnreg_inc<208>();\n", "")),
        right=True,
    ),
    Ablation(
        11,
        "registers_56_224",
        "32 registers of each producer, for 16 more per consumer",
        (
            ("ptx::setmaxnreg_dec<88>", "ptx::setmaxnreg_dec<56>"),
            ("ptx::setmaxnreg_inc<208>", "ptx::setmaxnreg_inc<224>"),
        ),
        right=True,
    ),
    rung_14("copy", "nothing: it only has no other tiles to choose from", right=True),
    rung_14("whole_tiles", "splitting along K: the last wave is not full", WHOLE, right=True),
    rung_14(
        "registers_56_224",
        "32 registers of each producer, for 16 more per consumer",
        ("ptx::setmaxnreg_dec<88>", "ptx::setmaxnreg_dec<56>"),
        ("ptx::setmaxnreg_inc<208>", "ptx::setmaxnreg_inc<224>"),
        right=True,
    ),
    rung_14(
        "one_lane_waits",
        "31 of 32 lanes' looks at empty: one looks, a __syncwarp() follows",
        ONE_LANE_WAITS,
        right=True,
    ),
    rung_14("c_not_stored", "storing C", NOT_STORED),
    rung_14("a_not_stored", "producers' stores of A to shared memory", *FOLDED, FILLED),
    rung_14("boxes_only", "loading and storing A", FILLED, *NO_LOADS, NO_STORES),
    rung_14("a_only", "boxes of B", FILLED, NO_BOXES),
    rung_14("idle_producers", "loading and storing A, and boxes of B", *IDLE),
    rung_14("operands_stay", "reading operands from shared memory", *STAYING, loads=False),
    rung_14("idle_c_not_stored", "all that producers do, and storing C", *IDLE, NOT_STORED),
    rung_14(
        "idle_operands_stay",
        "all that producers do, and reading operands",
        *IDLE,
        *STAYING,
        loads=False,
    ),
    rung_14(
        "arithmetic_only",
        "all that producers do, reading operands, and storing C",
        *IDLE,
        *STAYING,
        NOT_STORED_EITHER,
        loads=False,
    ),
)


def ablation(wanted):
    """The Ablation of an id such as '14_copy'."""
    for entry in ABLATIONS:
        if entry.id == wanted:
            return entry
    known = ", ".join(entry.id for entry in ABLATIONS)
    raise InputError(f"there is no copy '{wanted}'; there are {known}")


def table():
    """The source that lists all copies, for ablation.hpp."""
    rows = [
        (
            entry.copy,
            f'"{entry.copy.rung}", "{entry.id}", "{entry.taken_away}", '
            f"{str(entry.right).lower()}, {entry.copy.name}::run, "
            f"&{entry.copy.name}::resources",
        )
        for entry in ABLATIONS
    ]
    return table_of(
        "ladder::bench::ablations",
        "bench/benchmark/ablation.hpp",
        "Ablation",
        rows,
        "extern bench::KernelResources resources;\n",
    )


if __name__ == "__main__":
    LISTS = {
        f"ablations_{arch}": [entry.copy for entry in ABLATIONS if arch_of(entry.rung) == arch]
        for arch in ("90", "90a")
    }
    main(LISTS, {"ablations_table.cpp": table()})
