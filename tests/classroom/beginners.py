"""What beginners hand in for rungs 02 and 03, and what `check` has to make of it.

python3 -m tests.classroom.beginners        the screen of each, in a terminal's width
python3 -m tests.classroom.beginners loop   those with this word in their name
"""

import dataclasses
import sys

from tests.classroom.classroom import Classroom

GUARD_02 = "  if (row >= M || col >= N) return;\n"
PLACE_02 = """\
  const int row = blockIdx.y * BM + threadIdx.y;
  const int col = blockIdx.x * BN + threadIdx.x;
"""
SWAPPED = """\
  const int row = blockIdx.y * BM + threadIdx.x;
  const int col = blockIdx.x * BN + threadIdx.y;
"""
LOOP_02 = "  for (int k = 0; k < K; ++k) {\n    acc +="
FILL_A = "row < M && a_k < K ? gA[k] : 0.0f"
FILL_B = "b_k < K && col < N ? gB[static_cast<size_t>(k) * N] : 0.0f"
PRODUCT_03 = "acc += sA[threadIdx.y][k] * sB[k][threadIdx.x];"
END_OF_FILLING = "    gB += static_cast<size_t>(BK) * N;\n    __syncthreads();\n"
END_OF_ROUND = "    }\n    __syncthreads();\n  }\n"
GUARD_03 = "  if (row >= M || col >= N) return;\n  float* gC"
DIRECT = """\
  for (int k = 0; k < K; ++k) {
    if (row < M && col < N) {
      acc += A[static_cast<size_t>(row) * K + k] * B[static_cast<size_t>(k) * N + col];
    }
  }
"""


@dataclasses.dataclass(frozen=True)
class Beginner:
    """A kernel that is not what its rung asks for."""

    name: str
    rung: int
    edits: tuple  # ((text of the finished kernel, what takes its place), ...); None: see whole
    code: str  # one of the findings; "" for a kernel that is right, and without the rung's idea
    line: str  # a part of a line of the kernel that the screen names
    whole: object = None  # of a kernel's text, instead of edits


def without_shared_memory(text):
    """Rung 03 as a loop over global memory: the tiles are declared, and nobody uses them."""
    start = text.index("  for (int k0 = 0; k0 < K; k0 += BK) {")
    end = text.index("  // -- Epilogue")
    return text[:start] + DIRECT + "\n" + text[end:]


BEGINNERS = (
    Beginner("wrong mapping", 2, ((PLACE_02, SWAPPED),), "", ""),
    Beginner("no guard", 2, ((GUARD_02, ""),), "out-of-bounds-matrix", "acc += gA[k]"),
    Beginner(
        "half a loop",
        2,
        ((LOOP_02, LOOP_02.replace("k < K", "k < K / 2")),),
        "every-element-wrong",
        "*gC = beta",
    ),
    Beginner(
        "transposed index of B",
        2,
        (("gB[static_cast<size_t>(k) * N]", "gB[static_cast<size_t>(k) * K]"),),
        "out-of-bounds-matrix",
        "acc += gA[k]",
    ),
    Beginner(
        "C written by column",
        2,
        (("static_cast<size_t>(row) * N + col;", "static_cast<size_t>(col) * M + row;"),),
        "transposed",
        "*gC = beta",
    ),
    Beginner(
        "beta forgotten",
        2,
        (("beta == 0.0f ? alpha * acc : alpha * acc + beta * *gC", "alpha * acc"),),
        "wrong-beta",
        "*gC = alpha",
    ),
    Beginner(
        "C read when beta is 0",
        2,
        (("beta == 0.0f ? alpha * acc : alpha * acc + beta * *gC", "alpha * acc + beta * *gC"),),
        "uninitialised-matrix",
        "*gC = alpha",
    ),
    Beginner("no shared memory", 3, (), "", "", without_shared_memory),
    Beginner(
        "no barrier before the product",
        3,
        ((END_OF_FILLING, END_OF_FILLING.replace("    __syncthreads();\n", "")),),
        "race-in-shared-memory",
        PRODUCT_03,
    ),
    Beginner(
        "no barrier after the product",
        3,
        ((END_OF_ROUND, END_OF_ROUND.replace("    __syncthreads();\n", "")),),
        "race-in-shared-memory",
        PRODUCT_03,
    ),
    Beginner(
        "barrier in a branch",
        3,
        (
            (
                END_OF_FILLING,
                END_OF_FILLING.replace("__syncthreads();", "if (row < M) __syncthreads();"),
            ),
        ),
        "divergent-barrier",
        "__syncthreads();",
    ),
    Beginner(
        "early return",
        3,
        (("  float acc = 0.0f;\n", "  float acc = 0.0f;\n  if (row >= M || col >= N) return;\n"),),
        "missing-barrier",
        "__syncthreads();",
    ),
    Beginner(
        "tiles filled without a guard",
        3,
        ((FILL_A, "gA[k]"), (FILL_B, "gB[static_cast<size_t>(k) * N]")),
        "out-of-bounds-matrix",
        "sB[k + threadIdx.y][threadIdx.x] =",
    ),
    Beginner(
        "sB read by row",
        3,
        ((PRODUCT_03, PRODUCT_03.replace("sB[k][threadIdx.x]", "sB[threadIdx.x][k]")),),
        "index-out-of-bounds",
        "acc += sA[threadIdx.y][k]",
    ),
    Beginner(
        "half of each tile is multiplied",
        3,
        (("k < BK; ++k) {\n      acc", "k < BK / 2; ++k) {\n      acc"),),
        "every-element-wrong",
        "*gC = beta",
    ),
    Beginner(
        "the tile does not move on",
        3,
        (("    gA += BK;\n", ""),),
        "some-elements-wrong",
        "*gC = beta",
    ),
)


def checked(room, beginner):
    """(exit code, screen) of a beginner's kernel."""
    folder = room.write(beginner.rung, *beginner.edits)
    if beginner.whole:
        path = folder / "kernel.cuh"
        path.write_text(beginner.whole(path.read_text()))
    return room.student("check", beginner.rung)


def main():
    """Prints the screens."""
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    for beginner in BEGINNERS:
        if wanted not in beginner.name:
            continue
        with Classroom() as room:
            code, screen = checked(room, beginner)
        print(f"\n{'=' * 8} {beginner.rung:02}, {beginner.name}: exit code {code}\n{screen}")


if __name__ == "__main__":
    main()
