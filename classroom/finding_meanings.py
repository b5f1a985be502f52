"""What each code of a finding means, and where to read more."""

LESSON = "LESSON"  # stands for the lesson of the rung that is checked
DEBUGGING = "docs/chapters/debugging.md"
GALLERY = "docs/chapters/gallery.md"
ON_A_GPU = "docs/chapters/kernel_on_a_gpu.md"
GRID = (ON_A_GPU, "Grid, blocks, threads")
LAUNCH = (ON_A_GPU, "Two machines in one program")
FITS = (ON_A_GPU, "Occupancy in brief")
EDGES = (LESSON, "Edge cases")
COPIES = ("ladder/09_async_copy/README.md", "The idea")
PRODUCERS = ("ladder/11_producer_warps/README.md", "The idea")
WGMMA = ("ladder/17_wgmma/README.md", "The idea")
RACE = (DEBUGGING, "A race")
INDEX = (GALLERY, "An index that stays inside")
ALIGNED = (GALLERY, "A misaligned vector")
NOBODY_WROTE = (GALLERY, "Shared memory that nobody wrote")
OVERLAP = ("ladder/22_hopper_summit/README.md", "The idea")
BARRIERS = (GALLERY, "Two barriers that are one")
HANG = (GALLERY, "A hang")
CLUSTERS = ("ladder/13_shared_k/README.md", "The idea")
TROUBLESHOOTING = "docs/chapters/troubleshooting.md"
REPORTS = (TROUBLESHOOTING, "Reports of the emulator")
RESULTS = (TROUBLESHOOTING, "When a result is wrong")

# (codes, what each of them means, where to read more: a section that speaks of it, or None)
_ROWS = (
    # -- What a kernel did
    (
        ("race-between-blocks",),
        "Two blocks use the same element, at least one of them stores it, and blocks run in any "
        "order. Do two blocks work on the same tile? Look at how row and column come from "
        "blockIdx.",
        GRID,
    ),
    (
        ("race-in-global-memory",),
        "Two threads of a block use the same element of C, and at least one stores it. Each "
        "element belongs to one thread: look at how its row and column come from threadIdx.",
        GRID,
    ),
    (
        ("race-in-shared-memory",),
        "One thread stores a word of shared memory that another uses, and nothing makes either "
        "wait. All threads must pass a barrier between the two lines. In a loop, think of the next "
        "round too: it must not overwrite what slower threads still read.",
        RACE,
    ),
    (
        ("before-previous-kernel",),
        "launch.cu lets the kernel start while the one before it in the stream may still run, and "
        "that one may store A or B, or use C. Whoever uses them must first have passed "
        "ptx::wait_for_previous_kernel(), or a barrier after it.",
        OVERLAP,
    ),
    (
        ("uninitialised-local",),
        "A result comes from a variable that never got a value. Give your sums a first value: 0.",
        REPORTS,
    ),
    (
        ("uninitialised-matrix", "uninitialised-global"),
        "C is read, and nobody has written it: when beta is 0, C may hold anything and must not be "
        "read.",
        EDGES,
    ),
    (
        ("uninitialised-shared",),
        "A thread reads a word of shared memory that no thread has stored. Do the loops that fill "
        "the tiles reach every word? Beyond the edge of A or B, store 0. Is there a barrier "
        "between filling and reading?",
        NOBODY_WROTE,
    ),
    (
        ("out-of-bounds-shared", "index-out-of-bounds"),
        "An index leaves the shared array that it belongs to. Compare the order and the extents of "
        "the indices with the declaration of the array.",
        INDEX,
    ),
    (
        ("out-of-bounds-dynamic-shared",),
        "The kernel uses more dynamic shared memory than the launch asks for. Compare the indices "
        "with the size in launch.cu.",
        INDEX,
    ),
    (
        ("out-of-bounds-local", "out-of-bounds-before-locals", "out-of-bounds-behind-locals"),
        "A loop stores more into an array of the thread's own than it has room for. Compare its "
        "bounds with the declaration of the array.",
        INDEX,
    ),
    (
        ("out-of-bounds-matrix", "out-of-bounds-global", "address-in-no-array", "invalid-address"),
        "The access lies outside of the matrix: at an edge, a tile reaches beyond it. Test row, "
        "column and k of each word before you load or store it. Threads that have nothing to load "
        "store 0. If whole rows lie outside, look at the stride: a row of A has K elements, one of "
        "B or C has N.",
        EDGES,
    ),
    (
        ("null-pointer",),
        "The kernel follows a pointer that points nowhere. Does launch.cu hand over A, B and C, in "
        "the order in which the kernel takes them?",
        LAUNCH,
    ),
    (
        ("not-in-shared-memory",),
        "A copy or a barrier is given an address that is not in the block's shared memory. Hand "
        "over the address of a __shared__ array.",
        COPIES,
    ),
    (
        ("misaligned-access", "misaligned-vector", "misaligned-address"),
        "A float4 must begin at an address that is a multiple of 16: four floats side by side, the "
        "first one at a multiple of 4.",
        ALIGNED,
    ),
    (
        ("misaligned-argument", "misaligned-leading-dimension", "misaligned-matrix"),
        "What is handed over must begin at a multiple of the size that the call asks for. Look at "
        "the alignment of the array and at the offset into it.",
        ALIGNED,
    ),
    (
        ("missing-barrier",),
        "Some threads have left the kernel, or the loop, while others wait for them. No thread may "
        "return before the last barrier: let it go on, and skip only its store.",
        BARRIERS,
    ),
    (
        ("divergent-barrier",),
        "Threads of one block wait at different barriers. A barrier must not be in a branch that "
        "only some of the threads take.",
        BARRIERS,
    ),
    (
        ("named-barrier-count",),
        "Threads that meet at one barrier count differently how many they are. All of them must "
        "ask for the same number.",
        BARRIERS,
    ),
    (
        ("named-barrier-not-there",),
        "A block has 16 named barriers, 0 to 15, and each is for whole warps: the number of "
        "threads is a multiple of 32.",
        BARRIERS,
    ),
    (
        ("named-barrier-shared",),
        "Two groups of warps use the same number of a named barrier. The hardware counts whoever "
        "comes first, so the wrong warps may meet there. Give each group a number of its own.",
        BARRIERS,
    ),
    (
        (
            "missing-cluster-barrier",
            "cluster-arrived-twice",
            "cluster-not-arrived",
            "grid-sync-not-cooperative",
        ),
        "Blocks wait for each other, and not all of them come. All threads of a cluster must reach "
        "cluster_sync(), and a grid that waits for itself needs a cooperative launch.",
        CLUSTERS,
    ),
    (
        ("deadlock", "warp-deadlock"),
        "Every thread waits for another one. Who should arrive at this barrier, how often, and in "
        "which round?",
        HANG,
    ),
    (
        ("endless-loop",),
        "A loop does not end, or takes very long. Does its variable move towards its end in every "
        "round?",
        HANG,
    ),
    (
        ("copy-in-flight", "copy-unfinished"),
        "An asynchronous copy may still be on its way when its words are used. Wait for its group "
        "first; then pass a barrier, because other threads have waited for their own copies only.",
        COPIES,
    ),
    (
        ("copy-still-reads", "store-unfinished"),
        "The copy engine may still be reading shared memory when it is written again, or when the "
        "block ends. The thread that started the copy waits until it has been read; a barrier "
        "tells the others.",
        REPORTS,
    ),
    (
        ("copy-unfenced",),
        "Ordinary stores and the copy engine do not see each other in order. A fence belongs "
        "between them.",
        REPORTS,
    ),
    (
        (
            "undefined-shuffle",
            "stray-shuffle",
            "warp-width",
            "warp-lane-not-in-mask",
            "warp-different-calls",
            "warp-lane-at-barrier",
            "warp-incomplete",
            "warp-different-matrices",
        ),
        "A call for the whole warp names lanes in its mask that do not take part in it. All lanes "
        "of the mask must make the same call, at the same line.",
        REPORTS,
    ),
    (
        (
            "mbarrier-invalid",
            "mbarrier-count",
            "mbarrier-initialised-twice",
            "mbarrier-too-many-arrivals",
            "mbarrier-phase-not-waited-for",
            "mbarrier-bytes",
            "mbarrier-parity",
            "mbarrier-phase-missed",
            "mbarrier-overwritten",
        ),
        "An mbarrier counts the arrivals of one phase after the other. Initialise it once, with as "
        "many arrivals as come in a phase, and wait for each phase, with the parity that "
        "alternates.",
        PRODUCERS,
    ),
    (
        ("mbarrier-used-too-early",),
        "One thread initialises an mbarrier, and another warp may use it before that. A barrier of "
        "the block, such as __syncthreads(), comes between the two.",
        PRODUCERS,
    ),
    (
        ("mbarrier-unfenced",),
        "Copies do not see what a thread stores until a fence shows it to them. The thread that "
        "initialises mbarriers calls fence_mbarrier_init() before the barrier that lets others use "
        "them.",
        REPORTS,
    ),
    (
        ("registers-no-warpgroup", "registers-differ", "registers-partial", "registers-beyond-sm"),
        "setmaxnreg moves registers from one warpgroup to another: all four warps of a warpgroup "
        "ask for the same number, and all of them together for no more than the block has.",
        PRODUCERS,
    ),
    (
        ("wgmma-no-warpgroup", "wgmma-unfenced", "wgmma-partial", "wgmma-unfinished"),
        "wgmma multiplies for a warpgroup: all four of its warps start the same products, after "
        "wgmma_fence() has handed over the sums, commit them, and wait before they use the sums.",
        WGMMA,
    ),
    (
        (
            "cluster-no-such-block",
            "cluster-block-left",
            "cluster-left-early",
            "cluster-mbarrier-unknown",
            "multicast-blocks",
        ),
        "A block uses the shared memory of another one that is not in its cluster, or has already "
        "left. Blocks of a cluster count from 0, and wait for each other before they end.",
        CLUSTERS,
    ),
    (
        ("stack-overflow",),
        "A thread needs more memory for its own variables than it has. Is a local array too large, "
        "or does a function call itself?",
        REPORTS,
    ),
    (
        ("division-by-zero", "illegal-instruction", "assertion-failed", "exception"),
        "The thread cannot go on at this line, and the launch fails. Which value does it meet "
        "there?",
        None,
    ),
    (
        (
            "launch-extent-zero",
            "launch-extent-too-large",
            "launch-too-many-threads",
            "launch-dynamic-shared-too-large",
            "launch-static-shared-too-large",
            "launch-cluster-size",
            "launch-cluster-grid",
            "launch-cooperative-too-large",
            "launch-in-kernel",
            "block-does-not-fit",
        ),
        "CUDA does not start such a launch. Look at the tile sizes in launch.cu, and at the block "
        "and the arrays that follow from them.",
        FITS,
    ),
    (("no-kernel-launched",), "run() must launch a kernel: nothing else may compute C.", LAUNCH),
    # -- What is wrong with its result
    (
        ("never-written",),
        "These elements hold what was in C before the call. Does every element of C have one "
        "thread, and does that thread reach its store? Or, with beta = 1: is the sum that it adds "
        "0?",
        GRID,
    ),
    (
        ("outside-written",),
        "Something was stored beyond the end of a matrix. Test row and column before you store.",
        EDGES,
    ),
    (("input-changed",), "A and B belong to the caller: a kernel only reads them.", RESULTS),
    (
        ("last-tile-row", "last-tile-column", "last-tiles"),
        "Only the last tile is wrong, the one that reaches beyond the matrix. Load 0 for what is "
        "outside, and store only what is inside.",
        EDGES,
    ),
    (("wrong-beta",), "C = alpha*A*B + beta*C: look at how beta and the old C come in.", RESULTS),
    (
        ("wrong-factor",),
        "Everything is too large or too small by the same factor: is alpha applied once, and is "
        "each k added once?",
        RESULTS,
    ),
    (
        ("nan", "infinite"),
        "Such values come from words that are read before anybody has set them: in shared memory, "
        "beyond A or B, or in C although beta is 0.",
        RESULTS,
    ),
    (
        ("all-zero",),
        "All results are 0: the products are never added up, or the sums never reach C.",
        RESULTS,
    ),
    (
        ("transposed", "shifted-columns", "shifted-rows"),
        "The values are right, and lie in the wrong place: look at row, column and stride of the "
        "store, and at where this thread works.",
        RESULTS,
    ),
    (("low-precision",), "Some values were rounded on the way: keep the sums in float.", RESULTS),
    (
        ("every-element-wrong",),
        "No element is right, or hardly any, so it is not an edge: check which words of A and B "
        "are multiplied, and that every k is added once.",
        RESULTS,
    ),
    (
        ("some-elements-wrong",),
        "Some elements are right. What do the wrong ones have in common: a row, a column, a "
        "thread, the end of K?",
        RESULTS,
    ),
    # -- Why it was not run
    (
        ("unknown-rung", "rung-without-kernel"),
        "launch.cu no longer defines run() in the namespace of its rung, through which the ladder "
        "calls the kernel.",
        None,
    ),
    (
        ("shape-refused",),
        "run() refuses a shape that it should take. Look at the conditions at its beginning.",
        EDGES,
    ),
    (
        ("factor-not-finite", "factor-too-large"),
        "With such factors nothing can be judged: choose others.",
        ("docs/chapters/numerics.md", "How the ladder judges a result"),
    ),
    (
        (
            "cpu-unsupported",
            "out-of-memory",
            "compute-capability",
            "not-compiled",
            "gpu-lost",
            "gpu-error",
            "machine-missing",
        ),
        "This machine cannot run it; that says nothing about your kernel.",
        (TROUBLESHOOTING, "From the ladder"),
    ),
)

# {code: (what it means, where to read more)}
MEANINGS = {code: (meaning, where) for codes, meaning, where in _ROWS for code in codes}
# A code that a newer program has.
UNKNOWN = ("The program's own sentence, above, says what is wrong.", None)
# Of a problem that `ladder check` adds by itself, by how copies arrive in it; None: any way.
CASES = {
    "late": (
        "It is right when copies arrive at once, and wrong when they arrive late: a thread "
        "reads a stage without having waited for it.",
        COPIES,
    ),
    "at-once": (
        "It is wrong when copies arrive at once: a stage is filled again while another "
        "thread still reads it.",
        COPIES,
    ),
    None: (
        "The kernel is right where tiles fit the matrix exactly, alpha is 1 and beta is 0. In "
        "the problem above tiles do not fit, and alpha and beta have other values. Look at the "
        "last rows, the last columns and the end of K.",
        EDGES,
    ),
}
