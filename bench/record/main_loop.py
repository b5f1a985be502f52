"""The innermost loop of a kernel in machine code, and the cycles that a scheduler needs for it.

A scheduler issues one instruction a cycle. The register file has two banks, of even and of odd
numbers, and each serves one read a cycle; what an FFMA leaves in the reuse cache (`.reuse`) is not
read again. An FFMA with three fresh reads asks one bank at least twice. That bank is then a read
behind, which delays nobody; the next instruction waits only if it would be two behind. Instructions
that are no FFMA let both banks catch up. Pauses that the compiler asks of a warp are left out,
since another warp of the scheduler fills them.
"""

import dataclasses
import re

from bench.record.cuda_tools import InputError

BANKS = 2  # of the register file: even and odd numbers
MOST_BEHIND = 1  # reads that a bank may have left to do when the next instruction is issued


@dataclasses.dataclass
class Instruction:
    """A line of machine code."""

    text: str


@dataclasses.dataclass
class Counts:
    """What the innermost loop consists of."""

    instructions: int
    ffma: int
    lds: int
    three_fresh: int  # FFMA that read three registers past the reuse cache
    same_bank: int  # FFMA that read two, both of one bank
    issue_cycles: int  # in which a scheduler issues the loop, waiting for register banks
    spills: int = 0  # bytes, of the whole kernel
    registers: int = 0  # per thread

    @property
    def other(self):
        """Instructions for ring and pointers."""
        return self.instructions - self.ffma - self.lds

    @property
    def cycles(self):
        """Per FFMA, of one scheduler."""
        return self.issue_cycles / self.ffma

    @property
    def rank(self):
        """Spills come last, else the fewest cycles first."""
        return self.spills > 0, self.cycles


def parse(disassembly):
    """([Instruction], {label: index}) of what `nvdisasm` prints."""
    instructions, labels = [], {}
    for line in disassembly.splitlines():
        label = re.match(r"(\.L_x_\d+):", line)
        instruction = re.match(r"\s+/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;", line)
        if label:
            labels[label[1]] = len(instructions)
        elif instruction:
            instructions.append(Instruction(instruction[1]))
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
    """([registers that an FFMA reads past the reuse cache], {slot: register} that it leaves)."""
    fresh, kept = [], {}
    for slot, operand in enumerate(ffma.text.split(",")[1:]):
        register = re.match(r" *[-|]*R(\d+)\|?(\.reuse)?", operand)
        if not register:
            continue
        number = int(register[1])
        if cache.get(slot) != number:
            fresh.append(number)
        if register[2]:
            kept[slot] = number
    return fresh, kept


def issue_cycles(loop):
    """Cycles from one trip through a loop to the next, once the first trips are done."""
    cycle, idle_from, cache = 0, [0] * BANKS, {}
    for _ in range(3):
        begin = cycle
        for instruction in loop:
            cycle += 1
            if is_ffma(instruction):
                fresh, cache = fresh_reads(instruction, cache)
                for register in fresh:
                    bank = register % BANKS
                    idle_from[bank] = max(idle_from[bank], cycle) + 1
                cycle = max(cycle, max(idle_from) - 1 - MOST_BEHIND)
    return cycle - begin


def count(loop):
    """The Counts of a loop."""
    counts = Counts(len(loop), 0, 0, 0, 0, issue_cycles(loop))
    cache = {}  # {slot of an operand: register} that the FFMA before left
    for instruction in loop:
        counts.lds += re.match(r"(@\S+ )?LDS\b", instruction.text) is not None
        if is_ffma(instruction):
            counts.ffma += 1
            fresh, cache = fresh_reads(instruction, cache)
            counts.three_fresh += len(fresh) == 3
            counts.same_bank += len(fresh) == 2 and fresh[0] % BANKS == fresh[1] % BANKS
    return counts
