"""The innermost loop of a kernel in machine code, and what it costs: see rank_orders.py."""

import dataclasses
import re

from bench.record.cuda_tools import InputError

BANKS = 2  # of the register file: even and odd numbers
STALL_SHIFT, STALL_MASK = 41, 15  # in the second word of an instruction
MANY_SAME_BANK = 1 / 16  # of the FFMA: from here on such pairs are no accident


@dataclasses.dataclass
class Instruction:
    """A line of machine code."""

    text: str
    stall: int  # cycles until the warp may issue the next one


@dataclasses.dataclass
class Counts:
    """What the innermost loop consists of."""

    instructions: int
    ffma: int
    lds: int
    three_fresh: int  # FFMA that read three registers past the reuse cache
    same_bank: int  # FFMA that read two, both of one bank
    pauses: int  # stall counts beyond one
    spills: int = 0  # bytes, of the whole kernel
    registers: int = 0  # per thread

    @property
    def other(self):
        """Instructions for ring and pointers."""
        return self.instructions - self.ffma - self.lds

    @property
    def cycles(self):
        """Per FFMA, of one scheduler."""
        return (self.instructions + self.three_fresh + self.pauses) / self.ffma

    @property
    def rank(self):
        """Spills and many pairs of one bank come last, else the fewest cycles first."""
        return self.spills > 0, self.same_bank > self.ffma * MANY_SAME_BANK, self.cycles


def parse(disassembly):
    """([Instruction], {label: index}) of what `nvdisasm -hex` prints."""
    instructions, labels = [], {}
    for line in disassembly.splitlines():
        label = re.match(r"(\.L_x_\d+):", line)
        first = re.match(r"\s+/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;\s+/\* 0x[0-9a-f]+ \*/", line)
        second = re.match(r"\s+/\* 0x([0-9a-f]+) \*/", line)
        if label:
            labels[label[1]] = len(instructions)
        elif first:
            instructions.append(Instruction(first[1], 1))
        elif second and instructions:
            instructions[-1].stall = int(second[1], 16) >> STALL_SHIFT & STALL_MASK
    return instructions, labels


def is_ffma(instruction):
    """Whether this is a multiply-add in FP32."""
    return re.match(r"(@\S+ )?FFMA\b", instruction.text) is not None


def innermost_loop(instructions, labels):
    """The shortest loop that has at least a quarter of the kernel's FFMA."""
    enough = sum(map(is_ffma, instructions)) / 4
    loops = []
    for end, instruction in enumerate(instructions):
        branch = re.search(r"\bBRA\b.*?(\.L_x_\d+)", instruction.text)
        begin = labels.get(branch[1], end + 1) if branch else end + 1
        if begin <= end and sum(map(is_ffma, instructions[begin : end + 1])) >= max(enough, 1):
            loops.append(instructions[begin : end + 1])
    if not loops:
        raise InputError("the machine code has no loop with multiply-adds in FP32 (FFMA)")
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


def count(loop):
    """The Counts of a loop."""
    counts = Counts(len(loop), 0, 0, 0, 0, 0)
    cache = {}  # {slot of an operand: register} that the FFMA before left
    for instruction in loop:
        counts.pauses += max(instruction.stall - 1, 0)
        counts.lds += re.match(r"(@\S+ )?LDS\b", instruction.text) is not None
        if is_ffma(instruction):
            counts.ffma += 1
            fresh, cache = fresh_reads(instruction, cache)
            counts.three_fresh += len(fresh) == 3
            counts.same_bank += len(fresh) == 2 and fresh[0] % BANKS == fresh[1] % BANKS
    return counts
