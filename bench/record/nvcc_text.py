"""Reads what nvcc and its tools print: steps of a dry run, images of a fat binary, ptxas's report.

Nothing here starts a program; tests feed it saved text.
"""

import re

# Files that nvcc names after its own process: tmpxft_00001079_00000000-6_scale.ptx
TEMPORARY = re.compile(r"tmpxft_[0-9a-f]+_[0-9a-f]+-\d+_")
TOOLS = ("gcc", "g++", "cudafe++", "cicc", "ptxas", "fatbinary", "nvlink")


def purpose_of(tool, line):
    """What a step of the dry run is for."""
    if tool in ("gcc", "g++"):
        if " -E " in line:
            side = "device" if "-D__CUDA_ARCH__=" in line else "host"
            return f"preprocess for the {side}"
        if "-DFATBINFILE=" in line:
            return "compile the link's own fat binary for the host"
        return "compile the host's C++" if " -c " in line else "link the program"
    return {
        "cudafe++": "split off the device code, turn launches into C++",
        "cicc": "compile the device code to PTX",
        "ptxas": "assemble machine code",
        "fatbinary": "pack the images",
        "nvlink": "link device code across files",
    }[tool]


def files_in(line):
    """File names in a command, without folders, each once."""
    suffixes = "cu|cpp|ii|ptx|cubin|fatbin|c|gpu|o"
    found = re.findall(rf"[\w./+-]*?([\w+-][\w.+-]*\.(?:{suffixes}))\b", line)
    return list(dict.fromkeys(TEMPORARY.sub("", name) for name in found))


def writes_of(tool, line):
    """Names of the files that a step writes."""
    found = re.findall(r'-o "?([^" ]+)"?', line)
    options = "gen_c_file_name|embedded-fatbin|create|module_id_file_name"
    found += re.findall(rf'--(?:{options})[ =]"([^"]+)"', line)
    if tool == "cicc":  # cudafe++ is given the name too, and only includes it
        found += re.findall(r'--stub_file_name "([^"]+)"', line)
    found += re.findall(r'--register-link-binaries="([^"]+)"', line)
    return list(dict.fromkeys(TEMPORARY.sub("", name.split("/")[-1]) for name in found))


def read_steps(text):
    """[{"tool", "for", "arch", "reads", "writes"}] of `nvcc --dryrun`, in order."""
    steps = []
    for line in text.splitlines():
        match = re.match(r'#\$ "?(?:\$CICC_PATH/)?([\w+]+)"? ', line)
        if not match or match[1] not in TOOLS:
            continue
        tool = match[1]
        arch = re.search(r"[ -]arch[ =]((?:sm|compute)_\w+)", line)
        writes = writes_of(tool, line)
        reads = [name for name in files_in(line) if name not in writes]
        if tool in ("cudafe++", "cicc", "ptxas"):
            reads = [
                TEMPORARY.sub("", name.split("/")[-1])
                for name in re.findall(r'"([^"]+\.(?:cpp4|cpp1|ii|ptx))"', line)
            ]
            reads = [name for name in dict.fromkeys(reads) if name not in writes]
        steps.append(
            {
                "tool": tool,
                "for": purpose_of(tool, line),
                "arch": arch[1] if arch else None,
                "reads": reads,
                "writes": writes,
            }
        )
    return steps


def read_images(text):
    """["elf sm_90", "ptx compute_90"] that the first fatbinary of a dry run packs."""
    for line in text.splitlines():
        if line.startswith("#$ fatbinary") and " -link " not in line:
            return [
                f"{'machine code sm' if kind == 'elf' else 'PTX compute'}_{arch}"
                for kind, arch in re.findall(r"kind=(\w+),sm=(\w+),", line)
            ]
    return []


def compiled_for(text):
    """Virtual architectures that the dry run compiles, in order; each reads the source once."""
    return [step["arch"] for step in read_steps(text) if step["tool"] == "cicc"]


def read_ptxas(text):
    """[{"kernel", "arch", "registers", "barriers", "stack", "spill_stores", "spill_loads",
    "shared"}] of `nvcc -Xptxas -v`."""
    found = []
    for line in text.splitlines():
        if match := re.search(r"Compiling entry function '(\w+)' for '(\w+)'", line):
            found.append(
                {
                    "kernel": match[1],
                    "arch": match[2],
                    "registers": None,
                    "barriers": 0,
                    "stack": 0,
                    "spill_stores": 0,
                    "spill_loads": 0,
                    "shared": 0,
                }
            )
        elif not found:
            continue
        elif match := re.search(
            r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line
        ):
            names = ("stack", "spill_stores", "spill_loads")
            found[-1].update(zip(names, map(int, match.groups())))
        elif match := re.search(r"Used (\d+) registers", line):
            found[-1]["registers"] = int(match[1])
            for name in ("barriers", "shared"):
                words = {"barriers": r"used (\d+) barriers", "shared": r"(\d+) bytes smem"}[name]
                if number := re.search(words, line):
                    found[-1][name] = int(number[1])
    return found


def sections_of(text):
    """{name: bytes} of `readelf -SW`."""
    found = re.findall(r"\] (\S+) +(?:\S+) +[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+) ", text)
    return {name: int(size, 16) for name, size in found}


def defined_macros(text):
    """{name: value or None} of the lines `has NAME = value` that are left of the sample."""
    found = re.findall(r'^"(\w+)" = (.*)$', text, re.M)
    return {name: None if value.strip() == name else value.strip() for name, value in found}


def form_of(data):
    """What must not change from run to run: numbers, and what the tools say, are left out."""
    return {
        "steps": [(step["tool"], step["for"], step["arch"]) for step in data["steps"]],
        "phases": [(row["phase"], row["bytes"] is not None) for row in data["phases"]],
        "architectures": [
            (row["options"], row["compiles"], row["images"], bool(row["refused"]))
            for row in data["architectures"]
        ],
        "suffixes": [
            (row["suffix"], row["tools"], bool(row["refused"])) for row in data["suffixes"]
        ],
        "separate": [(row["command"], row["status"] == 0) for row in data["separate"]],
        "features": [(row["options"], row["status"] == 0) for row in data["features"]],
        "calls": [(row["source"], row["status"] == 0) for row in data["calls"]],
        "hosts": [(row["how"], row["compiles"], row["links"]) for row in data["hosts"]],
        "macros": [sorted(n for n, v in row["macros"].items() if v) for row in data["macros"]],
        "kernels": [row["kernel"] for row in data["registers"]["kernels"]],
        "debug": [bool(row["loc_lines"]) for row in data["debug"]],
    }
