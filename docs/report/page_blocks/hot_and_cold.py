"""Hit rates of data that is not read evenly: Che's approximation beside caches that are counted."""

import collections
import math
import random

from docs.report.page_blocks.markdown import table

HOT, COLD = 20, 180  # MiB
HOT_READS = 0.9  # share of the reads
LINES_OF_A_MIB = 10  # fewer than a real MiB has: the hit rate depends on shares alone
READS = 200_000  # half of them before the count begins
CAPACITIES = (10, 20, 40, 60, 100)  # MiB


def che(capacity):
    """The hit rate by Che's approximation."""
    rates = {HOT_READS / HOT: HOT, (1 - HOT_READS) / COLD: COLD}  # of a MiB: how many have it

    def filled(time):
        return sum(count * -math.expm1(-rate * time) for rate, count in rates.items())

    low, high = 0.0, 1e6
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if filled(middle) < capacity else (low, middle)
    return sum(count * rate * -math.expm1(-rate * low) for rate, count in rates.items())


def counted(capacity, lru, seed=1):
    """The share of reads that hit in a cache that drops the oldest line, or a random one."""
    draw = random.Random(seed)
    hot, cold, room = (mib * LINES_OF_A_MIB for mib in (HOT, COLD, capacity))
    cache = collections.OrderedDict()  # the oldest line first
    kept = []  # the same lines, for a random choice
    hits = 0
    for read in range(READS):
        line = draw.randrange(hot) if draw.random() < HOT_READS else hot + draw.randrange(cold)
        if line in cache:
            hits += read >= READS // 2
            if lru:
                cache.move_to_end(line)
            continue
        if len(cache) < room:
            kept.append(line)
        elif lru:
            cache.popitem(last=False)
        else:
            victim = draw.randrange(room)
            del cache[kept[victim]]
            kept[victim] = line
        cache[line] = True
    return hits / (READS - READS // 2)


def hot_and_cold_block(*_):
    """Each capacity: the formula, and what two replacements do with the same kind of reads."""
    rows = []
    for capacity in CAPACITIES:
        even = capacity / (HOT + COLD)
        rates = (even, che(capacity), *(counted(capacity, lru) for lru in (True, False)))
        rows.append((f"{capacity} MiB", *(f"{100 * rate:.0f} %" for rate in rates)))
    heads = ("cache", "if read evenly", "Che", "counted: LRU", "counted: random victims")
    return table(heads, rows)


BLOCKS = {"hot_and_cold": hot_and_cold_block}
