"""Rungs with one mistake each. The tests must call every one of them wrong, for the right reason.

Each is a copy of a rung (bench/copies.py) with one edit: what the rung's files hold, and what takes
its place. Run as a program this writes the copies, the tables behind mutants.hpp, and copies of
rung 14 without a mistake, each with one of its configurations.
"""

import re

from bench.copies import Copy, configurations, main, rung_name, table_of
from tests.classroom.graded_mutants import GRADED_MUTANTS
from tests.ladder.mutants.pipeline_mutants import PIPELINE_MUTANTS
from tests.ladder.mutants.split_mutants import SPLIT_MUTANTS
from tests.ladder.mutants.subtle_mutants import SUBTLE_MUTANTS
from tests.ladder.mutants.tensor_mutants import TENSOR_MUTANTS

TABLE = "tests/ladder/mutants/mutants.py"


def mutant(name, rung, text, replacement):
    """A copy of a rung with one mistake."""
    return Copy(f"mutant_{name}", rung, ((text, replacement),), table=TABLE)


MUTANTS = (
    # -- Guards
    mutant(
        "guard_missing_m",
        "02_coalesced",
        "if (row >= M || col >= N) return;",
        "if (col >= N) return;",
    ),
    mutant(
        "guard_missing_n",
        "02_coalesced",
        "if (row >= M || col >= N) return;",
        "if (row >= M) return;",
    ),
    mutant("guard_missing_k_of_a", "03_shared_tile", "row < M && a_k < K", "row < M"),
    mutant("guard_missing_k_of_b", "03_shared_tile", "b_k < K && col < N", "col < N"),
    mutant(
        "guard_missing_m_float4",
        "05_vector_access",
        "if (row >= M || col >= N) continue;",
        "if (col >= N) continue;",
    ),
    mutant(
        "last_column_unwritten",
        "04_register_tile",
        "if (row >= M || col >= N) continue;",
        "if (row >= M || col >= N - 1) continue;",
    ),
    # -- Indices
    mutant(
        "shared_index_transposed",
        "03_shared_tile",
        "sA[threadIdx.y][k + threadIdx.x] =",
        "sA[threadIdx.x][k + threadIdx.y] =",
    ),
    mutant(
        "result_transposed",
        "02_coalesced",
        "C + static_cast<size_t>(row) * N + col",
        "C + static_cast<size_t>(col) * M + row",
    ),
    mutant(
        "stride_wrong",
        "02_coalesced",
        "A + static_cast<size_t>(row) * K",
        "A + static_cast<size_t>(row) * N",
    ),
    mutant(
        "tiles_swapped",
        "04_register_tile",
        "const int row0 = blockIdx.y * BM;\n  const int col0 = blockIdx.x * BN;",
        "const int row0 = blockIdx.x * BM;\n  const int col0 = blockIdx.y * BN;",
    ),
    mutant(
        "tile_shifted",
        "04_register_tile",
        "? B[static_cast<size_t>(k0 + k) * N + col0 + n]",
        "? B[static_cast<size_t>(k0 + k) * N + (col0 + n + BN) % N]",
    ),
    mutant(
        "band_edge_skipped",
        "07_wave_swizzle",
        "if (row0 >= M) return;",
        "if (row0 + BM > M) return;",
    ),
    mutant(
        "vector_misaligned",
        "05_vector_access",
        "const float* gB = B +",
        "const float* gB = B + 1 +",
    ),
    # -- Barriers
    mutant(
        "barrier_missing_after_load", "03_shared_tile", "    __syncthreads();\n\n    for", "    for"
    ),
    mutant(
        "barrier_missing_after_compute",
        "03_shared_tile",
        "    }\n    __syncthreads();\n",
        "    }\n",
    ),
    mutant(
        "barrier_missing_double_buffer",
        "06_double_buffer",
        "    __syncthreads();\n    buffer ^= 1;",
        "    buffer ^= 1;",
    ),
    mutant(
        "barrier_divergent",
        "03_shared_tile",
        "    __syncthreads();\n\n    for",
        "    if (threadIdx.y < 16) {\n"
        "      __syncthreads();\n"
        "    } else {\n"
        "      __syncthreads();\n"
        "    }\n"
        "    for",
    ),
    mutant(
        "return_before_barrier",
        "03_shared_tile",
        "  // -- Main loop over K ---",
        "  if (row >= M || col >= N) return;\n  // -- Main loop over K ---",
    ),
    mutant(
        "endless_wait",
        "03_shared_tile",
        "  float acc = 0.0f;\n",
        "  float acc = 0.0f;\n"
        "  volatile float* flag = &sA[0][0];\n"
        "  *flag = 0.0f;\n"
        "  while (*flag == 0.0f) {\n"
        "  }\n",
    ),
    # -- Pipeline and arithmetic
    mutant("wrong_buffer_staged", "06_double_buffer", "stage(buffer ^ 1);", "stage(buffer);"),
    mutant(
        "last_tile_of_k_skipped", "04_register_tile", "k0 < K; k0 += BK", "k0 + BK < K; k0 += BK"
    ),
    mutant(
        "c_read_although_beta_is_0",
        "05_vector_access",
        "float4 c = beta == 0.0f ? float4{} : *gC;",
        "float4 c = *gC;",
    ),
    mutant(
        "alpha_forgotten",
        "02_coalesced",
        "*gC = beta == 0.0f ? alpha * acc : alpha * acc + beta * *gC;",
        "*gC = beta == 0.0f ? acc : acc + beta * *gC;",
    ),
    mutant("beta_forgotten", "02_coalesced", "alpha * acc + beta * *gC;", "alpha * acc;"),
)


def alone(rung):
    """Copies without a mistake, of each configuration of a rung that chooses."""
    return [
        Copy(f"mutant_alone__{re.sub('[^a-zA-Z0-9]', '_', name)}", rung, configuration=name)
        for name in configurations(rung)
    ]


def table(function, copies):
    """The source that lists copies, for mutants.hpp."""
    rows = [
        (
            copy,
            f'"{copy.name.removeprefix("mutant_")}", "{copy.rung}", "{copy.configuration}", '
            f"{copy.name}::run" + (f", {copy.name}::plans" if copy.rung in PLANNING else ""),
        )
        for copy in copies
    ]
    return table_of(
        f"ladder::{function}",
        "tests/ladder/mutants/mutants.hpp",
        "Mutant",
        rows,
        "std::vector<WorkPlan> plans(const Shape&);\n",
    )


CHOOSING = rung_name(14)
PLANNING = (rung_name(12), CHOOSING)
LISTS = {
    "mutants": [*MUTANTS, *PIPELINE_MUTANTS],
    "traced_mutants": PIPELINE_MUTANTS,
    "subtle_mutants": SUBTLE_MUTANTS,
    "tensor_mutants": TENSOR_MUTANTS,
    "split_mutants": SPLIT_MUTANTS,
    "graded_mutants": GRADED_MUTANTS,
    "configurations_alone": alone(CHOOSING),
}

if __name__ == "__main__":
    TABLES = {f"{name}_table.cpp": table(name, copies) for name, copies in LISTS.items()}
    main(LISTS, TABLES, listed_by=[CHOOSING])
