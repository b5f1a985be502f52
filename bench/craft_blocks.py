"""Blocks of the chapters on the craft: compiling, debugging, profiling, measuring, numbers."""

import claims_blocks
import craft_profile_blocks
import debug_blocks
import measuring_blocks
import numbers_blocks
import nvcc_blocks

BLOCKS = {
    **nvcc_blocks.BLOCKS,
    **measuring_blocks.BLOCKS,
    **craft_profile_blocks.BLOCKS,
    **debug_blocks.BLOCKS,
    **claims_blocks.BLOCKS,
    **numbers_blocks.BLOCKS,
}
