"""The problems that a submission is tested with: those that everybody may know, and those that only
the secret decides.

Each test is a list of runs; it is passed when all of them are right. All results are exact: inputs
are integers of few bits, so that one product too few or too many shows.
"""

import dataclasses
import hashlib
import hmac
import random

VISIBLE_POINTS = 5
HIDDEN_POINTS = 2.5
FACTORS = (0.5, -0.5, 1.0, 2.0, -2.0, 4.0)
FEW_SMS = 4  # some blocks have several tiles, others share one
MANY_SMS = 20  # all of them share one tile, where a rung divides K
LARGE = 310, 430  # in all directions
LONGEST = 3100, 4200  # K
FEW_BITS = 20, 40  # a factor is two to the power of so much, or of minus so much
WIDE = 4100, 4400  # columns: more than 4096
PERIOD = 8  # of what a kernel may do at every so many k tiles, where it has fewer stages


@dataclasses.dataclass(frozen=True)
class Test:
    """Some runs that have to be right for the points."""

    id: str
    name: str  # of a hidden test, without shapes and factors
    points: float
    runs: tuple
    visible: bool


class Secret:
    """Random numbers that only the secret tells, the same ones for each submission of a class."""

    def __init__(self, secret, rung):
        """secret: bytes; b'' has the hidden tests of everybody who has none."""
        self._key = hmac.new(secret, f"gemm-ladder/{rung.folder}".encode(), hashlib.sha256)

    def stream(self, name):
        """random.Random for one purpose; its numbers depend on nothing else."""
        key = self._key.copy()
        key.update(name.encode())
        return random.Random(key.digest())


def run(shape, alpha, beta, seed, **order):
    """One run, as grader_judge reads it; see graded_run.hpp."""
    return {
        "shape": list(shape),
        "alpha": alpha,
        "beta": beta,
        "seed": seed,
        "sms": FEW_SMS,
        **order,
    }


def name_of(each):
    """'M, N, K = 77 x 45 x 131, alpha = -2, beta = 0.5'"""
    shape = " x ".join(map(str, each["shape"]))
    return f"M, N, K = {shape}, alpha = {each['alpha']:g}, beta = {each['beta']:g}"


def visible_shapes(rung):
    """Shapes and factors that everybody may know, after the rung's tile."""
    (rows, columns), q = rung.tile, rung.multiple_of
    return (
        ((rows, columns, 64), 1.0, 0.0),
        ((2 * rows + 5, columns + q, 80 + q), -2.0, 0.5),
        ((rows - 3, columns - q, 208 + q), -2.0, 0.5),
        ((rows - 1, q, q), -2.0, 0.0),
        ((rows + 1, columns, 40), 4.0, -2.0),
    )


def in_both_ways(rung, each):
    """Copies that nobody waits for arrive late, and early: a kernel that waits is right in both."""
    return (each, {**each, "early": True}) if rung.compute_capability >= 80 else (each,)


def plain_too(runs):
    """The runs, and each of them untraced: a kernel computes the same in both."""
    return (*runs, *({**each, "traced": False} for each in runs))


def with_configurations(rung, name, runs):
    """The runs of a test; of a rung that chooses, the first of them in each configuration too."""
    if not rung.configurations or any("configurations" in each for each in runs):
        return tuple(runs)
    return (*runs, {**runs[0], "configurations": "here", "traced": False})


def visible_tests(rung):
    """Five tests that check runs too."""
    return [
        Test(
            f"visible-{number}",
            name_of(run(*problem, 0)),
            VISIBLE_POINTS,
            with_configurations(
                rung, f"visible-{number}", plain_too(in_both_ways(rung, run(*problem, seed=number)))
            ),
            True,
        )
        for number, problem in enumerate(visible_shapes(rung), 1)
    ]


class Draw:
    """Draws the hidden problems of a rung."""

    def __init__(self, rung, secret):
        """secret: Secret"""
        self.rung, self.secret = rung, secret
        (self.rows, self.columns), self.q = rung.tile, rung.multiple_of
        self.k_tile = rung.constants.get("BK", 8)
        self.stages = max(PERIOD, rung.constants.get("STAGES", 1))

    def up_to_q(self, extent):
        """The next extent that the rung takes for N and K."""
        return -(-extent // self.q) * self.q

    def some(self, stream, low, high):
        """An extent for N or K."""
        return self.up_to_q(stream.randint(low, max(low, high)))

    def seed(self, stream):
        """Of the inputs."""
        return stream.getrandbits(48)

    def factors(self, stream):
        """alpha and beta, neither of them 0."""
        return stream.choice(FACTORS), stream.choice(FACTORS)

    def near_visible(self, stream):
        """Neighbours of the visible shapes: as far beyond a tile's edge, but not the same. And no
        edge at all, where a guard is easily taken for superfluous."""
        runs = []
        for (m, n, k), _, beta in visible_shapes(self.rung)[:3]:
            alpha, other = self.factors(stream)
            m += stream.choice((1, 2) if m != self.rows else (-self.rows // 2, self.rows // 2))
            k += 4 * self.q * stream.randint(1, 3)
            runs.append(run((m, n, k), alpha, other if beta else 0.0, self.seed(stream)))
        whole = (2 * self.rows, self.columns, 128)
        runs.append(run(whole, *self.factors(stream), self.seed(stream)))
        return runs

    def ragged(self, stream):
        """Edges in all directions, far from any power of two."""
        shape = (
            self.rows + 2 * stream.randint(1, self.rows // 2) - 1,
            self.some(stream, self.columns // 2, self.columns - self.q - 1) + self.columns,
            self.some(stream, 17, 130),
        )
        factors = (self.factors(stream), (1.0, 1.0), (-1.0, 1.0))  # C += A*B, and C -= A*B
        runs = [run(shape, *pair, self.seed(stream)) for pair in factors]
        large = (stream.randint(*LARGE), self.some(stream, *LARGE), self.some(stream, *LARGE))
        runs.append(run(large, *self.factors(stream), self.seed(stream), traced=False))
        return runs

    def below_one_tile(self, stream):
        """Less than a tile each way."""
        shape = (
            stream.randint(2, self.rows - 2),
            self.some(stream, 1, self.columns - 2 * self.q),
            self.some(stream, 1, 40),
        )
        return [
            run(shape, *self.factors(stream), self.seed(stream)),
            run((1, self.q, self.q), *self.factors(stream), self.seed(stream)),
        ]

    def long_sums(self, stream):
        """K for which a pipeline goes round many times, and that many blocks share."""
        shape = (stream.randint(3, 12), self.some(stream, 2, 14), self.some(stream, 900, 1300))
        runs = [run(shape, *self.factors(stream), self.seed(stream))]
        if self.rung.plans:
            runs.append({**runs[0], "seed": self.seed(stream), "sms": MANY_SMS})
        longest = (*shape[:2], self.some(stream, *LONGEST))
        runs.append(run(longest, *self.factors(stream), self.seed(stream), traced=False))
        return runs

    def every_k(self, stream):
        """Many K, one after the other: a barrier or a wait may be missing for some only. Whatever
        happens at every so many k tiles or rounds of a ring, a K ends there and another beside."""
        step = max(self.q, 4)
        whole = [self.k_tile * tiles for tiles in range(2, 2 * self.stages + 2)]
        ragged = [k for k in range(step, 132, step) if k % self.k_tile != 0]
        kept = sorted({*whole, *stream.sample(ragged, min(8, len(ragged))), 200, 264, 520})
        runs = [run((9, self.up_to_q(12), k), -0.5, 2.0, self.seed(stream)) for k in kept]
        if self.rung.compute_capability < 80:
            return runs
        late = stream.getrandbits(1)
        return [{**one, "early": i % 2 == late} for i, one in enumerate(runs)]

    def wide(self, stream):
        """More columns than the visible tests have."""
        shape = (stream.randint(3, 9), self.some(stream, *WIDE), self.some(stream, 5, 20))
        return [run(shape, *self.factors(stream), self.seed(stream))]

    def tall(self, stream):
        """More rows than the visible tests have: more than 16 tiles."""
        tall = max(16 * self.rows, 2048) + stream.randint(3, 60)
        shape = (tall, self.some(stream, 3, 8), self.some(stream, 5, 12))
        return [run(shape, *self.factors(stream), self.seed(stream))]

    def alpha_zero(self, stream):
        """alpha = 2 and then 0: C = beta * C, and no shortcut may leave C as it is."""
        shape = (self.rows + stream.randint(1, 9), self.columns + self.q, self.some(stream, 20, 40))
        return [
            run(shape, alpha, beta, self.seed(stream))
            for alpha, beta in ((2.0, 0.0), (0.0, stream.choice(FACTORS)), (0.0, 0.0), (0.0, -0.0))
        ]

    def beta_zero(self, stream):
        """beta = 0 and -0: C holds NaN, and nobody may read it."""
        shape = (self.rows + stream.randint(1, 9), self.columns + self.q, self.some(stream, 20, 40))
        return [run(shape, stream.choice(FACTORS), beta, self.seed(stream)) for beta in (-0.0, 0.0)]

    def again(self, stream):
        """The same call several times, and numbers that are no integers: of few products, whose
        sum is nearly exact, and of many."""
        wide = self.some(stream, self.columns, self.columns + 9)
        shape = (self.rows + stream.randint(2, 9), wide, self.some(stream, 140, 200))
        alpha, beta = stream.uniform(0.3, 3), stream.uniform(-3, -0.3)
        plain = self.rung.compute_capability < 80  # the others have their copies late and early
        runs = [run(shape, alpha, beta, self.seed(stream), integers=False, times=2, traced=False)]
        if not plain:
            runs += [{**runs[0], "early": True}]
        few = (shape[0], wide, self.q)
        runs.append(run(few, 1.0, 0.0, self.seed(stream), integers=False, traced=False))
        if self.rung.configurations:
            runs.append(run(shape, -2.0, 0.5, self.seed(stream), configurations="around"))
        for sign in (-1, 1):  # of an exponent
            alpha = 2.0 ** (sign * stream.randint(*FEW_BITS))
            runs.append(run(few, alpha, 0.0, self.seed(stream), traced=False))
        if self.rung.precision == "FP32":
            shape = (self.rows + 3, self.columns + self.q, self.some(stream, 17, 40))
            for beta in (0.0, stream.choice(FACTORS)):
                order = {"traced": False, "unusual": True}
                runs.append(run(shape, stream.choice(FACTORS), beta, self.seed(stream), **order))
        return runs


HIDDEN = (
    ("near_visible", "Neighbours of the visible shapes"),
    ("ragged", "Edges in all directions"),
    ("below_one_tile", "Smaller than one tile"),
    ("long_sums", "Long sums"),
    ("every_k", "Many K, one after the other"),
    ("wide", "More than 4096 columns"),
    ("tall", "More than 2048 rows"),
    ("alpha_zero", "alpha = 2, then alpha = 0"),
    ("beta_zero", "beta = 0 and -0, with NaN in C"),
    ("again", "Any factors and numbers, and the same call again"),
)


def hidden_tests(rung, secret):
    """Ten tests whose shapes, factors and inputs the secret decides."""
    draw = Draw(rung, secret)
    return [
        Test(
            f"hidden-{name}",
            title,
            HIDDEN_POINTS,
            with_configurations(rung, name, getattr(draw, name)(secret.stream(name))),
            False,
        )
        for name, title in HIDDEN
    ]


def memory_runs(rung, secret):
    """What the memory part counts: some tiles each way with an edge and a K of many k tiles; more
    tiles than run at once, whose order decides what L2 has to hold; of a rung that chooses, what it
    does for few results as well."""
    (rows, columns), q = rung.tile, rung.multiple_of
    stream = secret.stream("memory")
    tiles = 8 if rows * columns <= 64 * 64 else 4 if columns < 256 else 2

    def extents(down, across, k):
        """An edge each way, from a tenth of a tile to nine tenths; K up to a quarter away."""
        m = down * rows + stream.randint(rows // 10 + 1, rows - rows // 10 - 1)
        n = across * columns + q * stream.randint(1, max(1, columns // q - 1))
        return m, n, q * stream.randint(3 * k // 4 // q, 5 * k // 4 // q)

    counts = run(extents(tiles, tiles, 96), 2.0, 0.5, stream.getrandbits(48))
    wide = 16 if columns >= 256 else 32
    down, across = stream.randint(14, 18), wide + stream.randint(-2, 2)
    waves = run((down * rows, across * columns, 8), 2.0, 0.0, stream.getrandbits(48))
    runs = [{**counts, "id": "counts", "sms": 8}]
    if rung.configurations:  # what it chooses for few results
        few = run((rows // 2, columns // 4, 512), 2.0, 0.5, stream.getrandbits(48))
        runs.append({**few, "id": "few", "sms": 8})
    # Blocks that wait for each other, as those of a cluster do, cannot be sampled.
    if not rung.plans and all(launch["cluster"] == 1 for launch in rung.launches):
        runs.append({**waves, "id": "waves", "sms": 32, "sample": True})
    return runs
