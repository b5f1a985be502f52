"""GEMM Ladder in a notebook: `%load_ext gemm_ladder` brings the cell magic %%glassbox."""


def load_ipython_extension(ipython):
    """What IPython calls for %load_ext."""
    from gemm_ladder.cell_magic import GlassboxMagics

    ipython.register_magics(GlassboxMagics)
