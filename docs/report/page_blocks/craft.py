"""Blocks of the chapters on the craft: compiling, debugging, profiling, measuring, numbers."""

from docs.report.page_blocks import claims, debugging, measuring, numerics, nvcc, profiling

BLOCKS = {
    **nvcc.BLOCKS,
    **measuring.BLOCKS,
    **profiling.BLOCKS,
    **debugging.BLOCKS,
    **claims.BLOCKS,
    **numerics.BLOCKS,
}
