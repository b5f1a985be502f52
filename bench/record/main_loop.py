"""The innermost loop of a kernel in machine code, and the cycles that a scheduler needs for it.

The rules are those that fit FFMAs with chosen registers, timed on an H100; the lab register_ports
(docs/labs/register_ports.md) asks a GPU for all but the last part of the fourth:

- A scheduler issues one instruction a cycle.
- The register file has two banks, of even and of odd numbers, and each serves one read a cycle. A
  register that an FFMA reads twice is one read. RZ is none.
- An operand marked `.reuse` is kept, for each of the three operands and each bank, until an FFMA
  reads another register of that bank there. Pauses and instructions that are no FFMA outlive it by
  one cycle.
- An FFMA is issued when its banks have served what was asked before. If it reads only one register
  of a bank, that read may be up to two cycles late.
- After each instruction a warp pauses for as many cycles as the compiler wrote into it. Another
  warp of the scheduler can have them.

So a trip through the loop takes what the instructions and banks need, or what one warp alone needs
with its pauses, shared by the warps of the scheduler: whichever is more. Waiting for memory, for
barriers and for what other units deliver is left out: no launch can be faster.
"""

import dataclasses
import re

from bench.record.cuda_tools import InputError

BANKS = 2  # of the register file: even and odd numbers
MOST_LATE = (0, 2, 0, 0)  # cycles that 0, 1, 2 or 3 reads of a bank may begin after the FFMA
KEPT_FOR = 1  # cycles in which a warp issues no FFMA, and the reuse cache keeps what it has
FEWEST_WARPS = 2  # that multiply on one scheduler, in any rung with several results per thread
LAPS = 3  # through a loop before it repeats itself


@dataclasses.dataclass
class Instruction:
    """A line of machine code."""

    text: str
    pause: int = 1  # cycles to the next instruction of the warp


@dataclasses.dataclass
class Counts:
    """What the innermost loop consists of."""

    instructions: int
    ffma: int
    lds: int
    three_fresh: int  # FFMA that read three registers past the reuse cache
    same_bank: int  # FFMA that read two, both of one bank
    issue_cycles: int  # in which a scheduler issues the loop, waiting for register banks
    alone_cycles: int  # in which one warp alone does, with its pauses
    spills: int = 0  # bytes, of the whole kernel
    registers: int = 0  # per thread

    @property
    def other(self):
        """Instructions for ring and pointers."""
        return self.instructions - self.ffma - self.lds

    @property
    def cycles(self):
        """Per FFMA, of one scheduler."""
        return max(self.issue_cycles, self.alone_cycles / FEWEST_WARPS) / self.ffma

    @property
    def rank(self):
        """Spills come last, else the fewest cycles first."""
        return self.spills > 0, self.cycles


def pause_of(word):
    """Cycles that the upper half of an instruction asks for."""
    pause, stays = word >> 41 & 15, word >> 45 & 1
    if stays:
        return (1, 1, 2, 2)[pause - 12] if pause > 11 else max(pause, 1)
    return max(pause, 2)


def parse(disassembly):
    """([Instruction], {label: index}) of what `nvdisasm -hex` prints; without it, no pauses."""
    instructions, labels = [], {}
    for line in disassembly.splitlines():
        label = re.match(r"(\.L_x_\d+):", line)
        instruction = re.match(r"\s+/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;", line)
        upper = re.match(r"\s+/\* (0x[0-9a-f]{16}) \*/$", line)
        if label:
            labels[label[1]] = len(instructions)
        elif instruction:
            instructions.append(Instruction(instruction[1]))
        elif upper and instructions:
            instructions[-1].pause = pause_of(int(upper[1], 16))
    return instructions, labels


def is_ffma(instruction):
    """Whether this is a multiply-add in FP32."""
    return re.match(r"(@\S+ )?FFMA\b", instruction.text) is not None


def is_hmma(instruction):
    """Whether this is a multiply-add of a warp on the tensor cores."""
    return re.match(r"(@\S+ )?HG?MMA\b", instruction.text) is not None


def innermost_loop(instructions, labels):
    """The shortest loop with at least a quarter of the HMMA and HGMMA, or, without any, of FFMA."""
    multiplies = is_hmma if any(map(is_hmma, instructions)) else is_ffma
    enough = sum(map(multiplies, instructions)) / 4
    loops = []
    for end, instruction in enumerate(instructions):
        branch = re.search(r"\bBRA\b.*?(\.L_x_\d+)", instruction.text)
        begin = labels.get(branch[1], end + 1) if branch else end + 1
        if begin <= end and sum(map(multiplies, instructions[begin : end + 1])) >= max(enough, 1):
            loops.append(instructions[begin : end + 1])
    if not loops:
        raise InputError("the machine code has no loop with multiply-adds (FFMA, HMMA or HGMMA)")
    return min(loops, key=len)


def fresh_reads(ffma, cache):
    """({registers that an FFMA reads past the reuse cache}, the cache after it).

    The cache is {(slot of an operand, bank): register}.
    """
    fresh, after = set(), dict(cache)
    for slot, operand in enumerate(ffma.text.split(",")[1:]):
        register = re.match(r" *[-|]*R(\d+)\|?(\.reuse)?", operand)
        if not register:
            continue
        number = int(register[1])
        place = slot, number % BANKS
        if cache.get(place) != number:
            fresh.add(number)
        after.pop(place, None)
        if register[2]:
            after[place] = number
    written = re.search(r"FFMA\S* R(\d+)", ffma.text)
    return fresh, {
        place: number for place, number in after.items() if not written or number != int(written[1])
    }


def cycles_of(loop, pauses):
    """Cycles from one trip through a loop to the next, for one warp with or without its pauses."""
    cycle, served, cache, idle, begin = 0, [0] * BANKS, {}, 0, 0
    for _ in range(LAPS):
        begin = cycle
        for instruction in loop:
            pause = instruction.pause if pauses else 1
            if is_ffma(instruction):
                fresh, cache = fresh_reads(instruction, cache if idle <= KEPT_FOR else {})
                reads = [sum(number % BANKS == bank for number in fresh) for bank in range(BANKS)]
                for bank, count_ in enumerate(reads):
                    if count_:
                        cycle = max(cycle, served[bank] - MOST_LATE[count_])
                for bank, count_ in enumerate(reads):
                    if count_:
                        served[bank] = max(served[bank], cycle) + count_
                idle = pause - 1
            else:
                idle += pause
            cycle += pause
    return cycle - begin


def count(loop):
    """The Counts of a loop."""
    counts = Counts(len(loop), 0, 0, 0, 0, cycles_of(loop, False), cycles_of(loop, True))
    cache = {}
    for instruction in loop:
        counts.lds += re.match(r"(@\S+ )?LDS\b", instruction.text) is not None
        if is_ffma(instruction):
            counts.ffma += 1
            fresh, cache = fresh_reads(instruction, cache)
            counts.three_fresh += len(fresh) == 3
            counts.same_bank += len(fresh) == 2 and len({n % BANKS for n in fresh}) == 1
    return counts
