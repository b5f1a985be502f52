"""A copy of rung 03 without the barrier behind its loads, which takes the rung's own place."""

from bench.copies import Copy, main

RACY = Copy(
    "shared_tile",
    "03_shared_tile",
    (("* N;\n    __syncthreads();", "* N;\n"),),
    table="tests/ladder/program/racy_rung.py",
)

if __name__ == "__main__":
    main({"racy_rung": [RACY]}, {})
