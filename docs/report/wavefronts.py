"""Wavefronts: how many passes through the 32 banks of L1 and shared memory an access takes.

Words are counted in floats from any line's beginning; word w lies in bank w mod 32.
"""

LANES = 32
BANKS = 32  # a wavefront takes a word of each
LINES_AT_ONCE = 4  # looked up by L1


def most_in_a_bank(words, floats):
    """How many different words the fullest bank holds, of `floats` words from each of `words`."""
    banks = [word % BANKS for word in {start + i for start in words for i in range(floats)}]
    return max(banks.count(bank) for bank in banks)


def wavefronts(words, floats=4):
    """Passes that a warp's access of `floats` words per lane takes, lane l from words[l] on.

    16 bytes are served quarter by quarter of the warp, or half by half where all lanes share their
    address with their neighbour or with the neighbour's neighbour.
    """
    shared = any(
        all(words[lane] == words[lane ^ distance] for lane in range(LANES)) for distance in (1, 2)
    )
    at_once = LANES // floats * (2 if shared and floats > 1 else 1)
    passes = 0
    for first in range(0, LANES, at_once):
        passes += most_in_a_bank(words[first : first + at_once], floats)
    return passes


def copy_wavefronts(sources, targets):
    """Passes of a warp's cp.async of 4 bytes, lane l from word sources[l] to word targets[l].

    A lane is served one pass behind the last lane before it that shares its source bank or its
    target bank, even if both read one word.
    """
    behind = {}  # (side, bank): the pass of the latest lane there
    for source, target in zip(sources, targets):
        banks = ("source", source % BANKS), ("target", target % BANKS)
        at = 1 + max(behind.get(bank, 0) for bank in banks)
        behind |= dict.fromkeys(banks, at)
    return max(behind.values())


def global_wavefronts(words, floats=1):
    """The same for a load from global memory, whose words may lie in many lines.

    L1 looks up four lines at a time at most, and what it finds leaves by the 32 banks. Loads of 4
    bytes agree with the probes at all strides (up to 32 words), loads of 16 bytes at even ones.
    """
    at_once = LANES // floats
    passes = 0
    for first in range(0, LANES, at_once):
        found, lines = [], set()  # of one look-up
        for word in words[first : first + at_once]:
            more = {(word + i) // BANKS for i in range(floats)}
            if len(lines | more) > LINES_AT_ONCE:
                passes += most_in_a_bank(found, floats)
                found, lines = [], set()
            found.append(word)
            lines |= more
        passes += most_in_a_bank(found, floats)
    return passes
