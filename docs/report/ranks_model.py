"""How the time of a product goes on with the number of ranks: a model that is fitted to a few.

A rank multiplies 1/P of the work and receives the rest of a matrix from the others. The model has a
rate of a rank's multiply-adds, the bytes per second that it receives, and a latency for each rank
that it hears from. Each step has two numbers of its own: how many times longer its product takes
than the product alone, because it has fewer SMs or less of each, and how much of the shorter of
product and copies hides under the longer (0: none, 1: all). The model is fitted to measured
products, and says how far it misses these.
"""

import dataclasses
from statistics import median

GRID = 200  # a Way is found to 1/GRID


@dataclasses.dataclass(frozen=True)
class Sample:
    """What was measured of one form of a product on some ranks."""

    ranks: int
    flop: float  # of the whole product
    received_bytes: float  # by each rank
    one_ms: float
    compute_ms: float
    communication_ms: float
    steps_ms: dict  # {step: ms}


@dataclasses.dataclass(frozen=True)
class Way:
    """How product and copies come together in a step."""

    slower: float  # the product, than alone: 1 or more
    overlap: float  # 0 to 1

    def together(self, compute, communication):
        """Milliseconds of both."""
        product = self.slower * compute
        return product + communication - self.overlap * min(product, communication)


@dataclasses.dataclass(frozen=True)
class Model:
    """The numbers of a machine."""

    flop_per_ms: float  # of one rank
    bytes_per_ms: float  # received by a rank
    latency_ms: float  # for each other rank
    ways: dict  # {step: Way}
    error: float  # the largest of the steps' times that were fitted, relative

    def compute_ms(self, flop, ranks):
        """The multiply-adds of one rank."""
        return flop / ranks / self.flop_per_ms

    def communication_ms(self, received_bytes, ranks):
        """What one rank receives."""
        return self.latency_ms * (ranks - 1) + received_bytes / self.bytes_per_ms

    def step_ms(self, step, flop, received_bytes, ranks):
        """One product, in one of the ways."""
        return self.ways[step].together(
            self.compute_ms(flop, ranks), self.communication_ms(received_bytes, ranks)
        )

    def on_network(self, bytes_per_ms, latency_ms):
        """The same ranks on other links."""
        return dataclasses.replace(self, bytes_per_ms=bytes_per_ms, latency_ms=latency_ms)


def way_of(samples, step):
    """The Way whose largest relative error is the smallest."""
    ways = (
        Way(1 + slower / GRID, overlap / GRID)
        for slower in range(GRID + 1)
        for overlap in range(GRID + 1)
    )
    return min(ways, key=lambda way: max(misses(way, sample, step) for sample in samples))


def misses(way, sample, step):
    """By how much, relative to what was measured."""
    found = way.together(sample.compute_ms, sample.communication_ms)
    return abs(found / sample.steps_ms[step] - 1)


def line_through(points):
    """(at 0, per x) by least squares of relative errors; no value at 0 is negative."""
    weights = [1 / y**2 for _, y in points]
    total = sum(weights)
    mean_x = sum(w * x for w, (x, _) in zip(weights, points, strict=True)) / total
    mean_y = sum(w * y for w, (_, y) in zip(weights, points, strict=True)) / total
    spread = sum(w * (x - mean_x) ** 2 for w, (x, _) in zip(weights, points, strict=True))
    joint = sum(w * (x - mean_x) * (y - mean_y) for w, (x, y) in zip(weights, points, strict=True))
    slope = joint / spread if spread > 0 else mean_y / mean_x
    if mean_y - slope * mean_x < 0:
        slope = sum(w * x * y for w, (x, y) in zip(weights, points, strict=True)) / sum(
            w * x * x for w, (x, _) in zip(weights, points, strict=True)
        )
        return 0.0, slope
    return mean_y - slope * mean_x, slope


def fitted(samples):
    """The Model of samples on the same number of ranks, at least 2."""
    ranks = samples[0].ranks
    if ranks < 2 or any(sample.ranks != ranks for sample in samples):
        raise ValueError("a fit takes samples of one number of ranks, and at least of two")
    rate = median(sample.flop / ranks / sample.compute_ms for sample in samples)
    at_0, per_byte = line_through(
        [(sample.received_bytes, sample.communication_ms) for sample in samples]
    )
    ways = {step: way_of(samples, step) for step in samples[0].steps_ms}
    model = Model(rate, 1 / per_byte, at_0 / (ranks - 1), ways, 0.0)
    errors = [
        abs(model.step_ms(step, sample.flop, sample.received_bytes, ranks) / ms - 1)
        for sample in samples
        for step, ms in sample.steps_ms.items()
    ]
    return dataclasses.replace(model, error=max(errors))
