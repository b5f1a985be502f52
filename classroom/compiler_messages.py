"""What g++ says about a student's kernel: shortened to the student's lines, with what CUDA expects.

explained(output, folder) is for a kernel that does not compile, remarks(output, folder) for one
that does.
"""

import dataclasses
import pathlib
import re
import textwrap

from bench import SOURCES
from bench.sections import TITLE

PLACE = re.compile(
    r"^(?P<file>[^:\s][^:]*):(?P<line>\d+):(?:(?P<column>\d+):)? "
    r"(?P<kind>fatal error|error|note|warning): (?P<text>.*)$"
)
CALLER = re.compile(r"^(?P<file>[^:\s][^:]*):(?P<line>\d+):\d+:   required from")
INLINED = re.compile(r"^    inlined from '.*' at (?P<file>[^:\s/][^:]*):(?P<line>\d+):\d+[:,]$")
NO_SEMICOLON = r"expected '[,;' or]*;' before"
# Signs of other keyboards and of word processors: their twins in C++.
LOOK_ALIKE = {chr(0xFEE0 + ord(sign)): sign for sign in "!\"#%&'()*+,-./:;<=>?[\\]^{|}~"} | {
    "\u201c": '"',
    "\u201d": '"',
    "\u201e": '"',
    "\u2018": "'",
    "\u2019": "'",
    "\u2013": "-",
    "\u2212": "-",
    "\u00d7": "*",
    "\u037e": ";",
    "\u3000": " ",
    "\u00a0": " ",
}
MISSING, TOO_MANY = "A `}` is missing", "There is one `}` too many"
MOST = 3  # errors that are shown: later ones often follow from the first
COLUMNS = 80
WORDS = (
    "threadIdx",
    "blockIdx",
    "blockDim",
    "gridDim",
    "warpSize",
    "__syncthreads",
    "__syncwarp",
    "__shared__",
    "__restrict__",
    "__shfl_down_sync",
    "__all_sync",
    "float4",
    "make_float4",
    "reinterpret_cast",
    "static_cast",
    "constexpr",
    "unsigned",
)
# Warnings that tell a mistake; that a variable of a starter is not used yet is none.
TELLING = re.compile(
    r"\[-W(unused-value|address|parentheses|uninitialized|maybe-uninitialized|"
    r"empty-body|misleading-indentation|div-by-zero|shift-\S+|array-bounds|"
    r"stringop-over\w+|sequence-point|"
    r"aggressive-loop-optimizations)=?\d?\]$"
)


@dataclasses.dataclass
class Error:
    """One message of the compiler, at a line of the student's if there is one."""

    file: str
    line: int
    column: int
    text: str
    notes: list


def errors_of(output, kind="error"):
    """The errors, or the warnings, in their order."""
    found, caller = [], None
    for line in output.splitlines():
        place = PLACE.match(line)
        if line.startswith("In "):  # the place of what follows
            caller = None
        if CALLER.match(line):
            caller = CALLER.match(line)
        elif caller is None:
            caller = INLINED.match(line)
        if not place:
            continue
        if kind in place["kind"]:
            here = place
            if place["file"].startswith("/") and caller:  # in a header of ours: who asked for it
                here = caller
            found.append(
                Error(here["file"], int(here["line"]), int(place["column"] or 0), place["text"], [])
            )
        elif place["kind"] == "note" and found:
            found[-1].notes.append(place["text"])
    return found


def lines_of(path):
    """The lines of a source as the compiler counts them."""
    if not path.is_file():
        return []
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    return lines[1:] if lines and lines[0].startswith("#line 1 ") else lines


def code_lines(path):
    """The lines of a source without their comments."""
    return [re.sub(r"//.*", "", line).rstrip() for line in lines_of(path)]


class Student:
    """The files that the errors are in."""

    def __init__(self, folder):
        """The folder's name is that of the rung."""
        self.folder = pathlib.Path(folder)
        self.lines = {
            path.name: code_lines(path) for path in sorted(self.folder.iterdir()) if path.is_file()
        }

    def line(self, file, number):
        """The code of a line; empty where there is none."""
        lines = self.lines.get(pathlib.Path(file).name, [])
        return lines[number - 1] if 0 < number <= len(lines) else ""

    def above(self, file, number):
        """Number of the last line with code above a line."""
        number -= 1
        while number > 1 and not self.line(file, number).strip():
            number -= 1
        return number

    def section(self, file, number):
        """The title of the section that a line is in, or None."""
        path = self.folder / pathlib.Path(file).name
        title = None
        for text in lines_of(path)[:number]:
            title = TITLE.match(text)["title"] if TITLE.match(text) else title
        return title

    def braces(self):
        """(file, line, sentence) of the first brace that is missing or too many, or None.

        A title of a section stands one step deeper than the braces around it but the namespace's.
        """
        for file, lines in self.lines.items():
            depth, at = 0, 1
            last = "the beginning of the file"
            texts = lines_of(self.folder / file)
            for number, (text, code) in enumerate(zip(texts, lines), 1):
                title = TITLE.match(text)
                if title:
                    expected = 1 + len(title["indent"]) // 2
                    if depth != expected:
                        what = MISSING if depth > expected else TOO_MANY
                        return file, at, f"{what} between {last} and line {number}."
                    at = number
                    last = f"line {number}, '{title['title'].split(':')[0]}',"
                depth += code.count("{") - code.count("}")
            if depth != 0:
                what = MISSING if depth > 0 else TOO_MANY
                return file, at, f"{what} after {last.rstrip(',')}."
        return None

    def declares(self, name):
        """[(file, number)] of lines that look as if they declared the name."""
        types = r"(?:int|float4?|unsigned|bool|size_t|auto|const|[A-Z]\w*)"
        pattern = re.compile(rf"\b{types}[*& ]+{re.escape(name)}(?:\[[^=;]*)? *[=;,({{]")
        keyword = re.compile(r"^\s*(return|case|goto)\b")
        return [
            (file, number)
            for file, lines in self.lines.items()
            for number, line in enumerate(lines, 1)
            if pattern.search(line)
            and not keyword.match(line)
            and not re.search(rf"[-+*/%<>=&|,(?:] *{re.escape(name)}\b", line)
        ]


def bare(name):
    """What is left where somebody forgets underscores, capitals or a plural."""
    return name.strip("_").lower().rstrip("s")


def undeclared(error, student):
    """A name that the compiler does not know."""
    found = re.match(
        r"'(?P<name>[\w:]+)' (?:was not|has not been|does not name a type)[^;]*"
        r"(?:; did you mean '(?P<near>[\w:]+)')?",
        error.text,
    )
    found = found or re.match(r"there are no arguments to '(?P<name>\w+)'(?P<near>)?", error.text)
    name, near = found["name"], found["near"] or ""
    for word in WORDS:
        if name != word and bare(name) == bare(word):
            return f"CUDA spells it `{word}`."
    if re.match(r"cuda[A-Z]|cublas|std|malloc|free$", name):
        return (
            f"`{name}` is a function of the host. A kernel cannot call it: it works with the "
            "arguments that the launch passes."
        )
    if near.endswith(f"::{name}"):
        return f"`{name}` is in a namespace: write `{near.removeprefix('ladder::')}`."
    places = student.declares(name)
    if places:
        file, number = places[0]
        if number > error.line and file == pathlib.Path(error.file).name:
            return (
                f"`{name}` is declared only below, in line {number}. Declare it before you use "
                f"it."
            )
        return (
            f"`{name}` is declared in line {number}, but it lives only inside the braces "
            f"there. "
            "Declare it further out, or use it inside."
        )
    words = set(re.findall(r"\w+", "\n".join(sum(student.lines.values(), []))))
    if near in words:
        return f"`{name}` is not declared. Did you mean `{near}`?"
    home = section_of_reference(student.folder.name, name)
    if home:
        return (
            f"`{name}` is not declared. In this rung it belongs to the section '{home}': "
            "declare it there, with its type."
        )
    return f"`{name}` is not declared. Declare it, with its type, before you use it."


def section_of_reference(rung, name):
    """The title of the section in which the rung of the ladder declares a name, or None."""
    reference = Student(SOURCES / "ladder" / rung) if (SOURCES / "ladder" / rung).is_dir() else None
    for file, number in reference.declares(name) if reference else ():
        title = reference.section(file, number)
        if title:
            return title.split(":")[0]
    return None


def semicolon(error, student):
    """What g++ says of many mistakes; of a missing semicolon it says it in the line below."""
    line = student.line(error.file, error.line)
    before, rest = line[: max(0, error.column - 1)], line[max(0, error.column - 1) :]
    found = re.search(r"before '([^']+)'", error.text)
    sign = found[1] if found else ""
    if sign == "==":
        return "`==` compares two values. A variable gets its first one with `=`."
    if re.fullmatch(r"[-+*/%&|^]=", sign):
        return (
            f"`{sign}` changes a variable that has a value. Where it is declared, it gets its "
            "first one with `=`; if it is declared above, leave out the type here."
        )
    if re.match(r"\s*for\s*\(", line) and before.count("(") > before.count(")"):
        return (
            "Between the brackets of a `for` stand three parts, with a `;` after the first and "
            "after the second: `for (int k = 0; k < K; ++k)`."
        )
    if not before.strip():
        error.line = student.above(error.file, error.line)
    elif rest.strip():
        return f"A `;` is missing in this line, or something else before `{rest.split()[0]}`."
    if student.line(error.file, error.line).rstrip().endswith((";", "{", "}")):
        return "What comes after this line cannot be read: look for a word or sign too many."
    return "A `;` is missing at the end of this line."


def value(error, student):
    """A value is missing, or a variable of the host has the name of a word of kernels."""
    if re.search(r"\bdim3\s+(block|grid)Dim\b", student.line(error.file, error.line)):
        return (
            "`blockDim` and `gridDim` are words of kernels: call the variable of the host "
            "`block` or `grid`."
        )
    return "A value is missing here: something between two operators, brackets or commas."


def bracket(error, _student):
    """A bracket that is not closed."""
    sign = re.search(r"expected '([)\]>])'", error.text)[1]
    return f"A `{sign}` is missing in this line, or one that opens is too many."


def braces(error, student):
    """A brace that is missing, or too many."""
    known = student.braces()
    if known:
        file, error.line, sentence = known
        error.file = str(pathlib.Path(error.file).parent / file)
        return f"{sentence} Every `{{` needs a `}}`."
    return "The braces do not match: every `{` needs a `}`."


def operands(error, _student):
    """Something that is no number in a sum or product."""
    whole = re.search(r"'(?:const )?(\w+) \[", error.text)
    if whole:
        return (
            f"One of the two is a whole row of an array, not one {whole[1]}: a subscript "
            f"`[...]` "
            "is missing."
        )
    if "*'" in error.text:
        return (
            "One of the two is a pointer, an address: read the word that you mean with a "
            "subscript, as in `gA[k]`."
        )
    return "These two cannot be combined: look at their types."


def conversion(error, _student):
    """A value of one type where another is needed."""
    text = error.text
    if re.search(r"'const float ?\*' to 'float ?\*'", text):
        return (
            "A and B are only read, so pointers to them are `const float*`: write `const` in "
            "front."
        )
    if re.search(r"(?:float4|Vector4<float>).* to '(?:const )?float'", text):
        return "A `float4` holds four floats: say which one, with `.x`, `.y`, `.z` or `.w`."
    if re.search(r"'(?:const )?float ?\*' to '(?:const )?(?:float|int)'", text):
        return (
            "There is a pointer, an address, where a number is needed: read the word with a "
            "subscript, as in `gA[k]`."
        )
    if re.search(r"'float' to '(?:const )?float ?\*'", text):
        return "There is a number where a pointer is needed: give the address, as in `&gA[k]`."
    return "The types do not fit: what is on the right is not what the left can hold."


def call(error, _student):
    """A function that is called with other arguments than it takes."""
    name = re.search(r"'(?:[\w:]+ )*?(?:[\w:]*::)?(\w+)(?:<[^']*>)?\(", error.text)
    notes = " ".join(error.notes)
    counts = re.search(r"candidate expects (?:at \w+ )?(\d+) arguments?, (\d+) provided", notes)
    shown = f"`{name[1]}`" if name and "lambda" not in error.text else "This function"
    if "couldn't deduce template parameter" in notes:
        return (
            f"{shown} takes its number in angle brackets, because it must be known when the "
            f"kernel is compiled: `{name[1]}<...>()`."
            if name
            else ""
        )
    if counts:
        return f"{shown} takes {counts[1]} arguments, and gets {counts[2]}."
    if "is not a constant expression" in error.text + notes:
        return (
            "What stands in angle brackets must be known when the kernel is compiled: "
            "template parameters and `constexpr`, not M, N or K."
        )
    return f"{shown} is called with other arguments than it takes: look at its declaration."


def overrun(error, _student):
    """What the compiler has proved to be out of bounds, in a loop or by an index."""
    notes = " ".join([error.text, *error.notes])
    names = re.findall(r"(?:object|referencing) '(\w+)'", notes)
    arrays = " and ".join(f"`{name}`" for name in dict.fromkeys(names)) or "an array"
    return (
        f"This goes beyond the end of {arrays}. g++ may leave out what it can prove to be out "
        "of bounds, so the result can be right here and wrong on a GPU."
    )


def read_only(error, _student):
    """An assignment to what is const."""
    name = re.search(r"variable '(\w+)'", error.text)
    if name:
        return (
            f"`{name[1]}` is `const`, so it keeps its first value. Use a variable without "
            f"`const`."
        )
    return "A and B are only read: pointers to them are `const float*`. Results go to C."


def seen_in_line(error, student):
    """A meaning that the line itself shows, whatever the compiler makes of it; or None."""
    line = re.sub(r'"(?:\\.|[^"\\])*"', '""', student.line(error.file, error.line))
    twin = next((sign for sign in line if sign in LOOK_ALIKE), None)
    if twin:
        return (
            f"`{twin}` is a full-width or typographic sign that only looks like "
            f"`{LOOK_ALIKE[twin]}`: type that one."
        )
    if "<<<" in line:
        return (
            "Here a kernel is launched with launch(kernel<BM, BN>, {.grid = grid, .block = block, "
            ".stream = stream}, arguments...), which works on a GPU and without one."
        )
    return None


# (what the compiler says, what it means: a text, or a function of the error and the files)
MEANINGS = (
    (NO_SEMICOLON, semicolon),
    (r"expected initializer before", semicolon),
    (
        r"expected '}' (?:at end of input|before)|^expected "
        r"(?:unqualified-id|declaration|constructor)|"
        r"qualified-id in declaration|a function-definition is not allowed|"
        r"extraneous closing brace",
        braces,
    ),
    (r"expected '[)\]>]'", bracket),
    (
        r"was not declared|has not been declared|does not name a type|there are no arguments to '",
        undeclared,
    ),
    (
        r"storage size of|variable-sized|size of array .* is not|array bound is not an integer "
        r"constant",
        "The size of a `__shared__` array must be known when the kernel is compiled: use template "
        "parameters such as BM and BK, or `constexpr`, but not M, N, K or blockDim.",
    ),
    (r"invalid operands of types|no match for 'operator[-+*/]'", operands),
    (
        r"no match for 'operator\[\]'.*(?:float4|Vector4)|'struct .*Vector4<float>.*subscript",
        "A `float4` has no subscripts: its floats are `.x`, `.y`, `.z` and `.w`.",
    ),
    (
        r"invalid types '.*' for array subscript|subscripted value is neither array nor pointer",
        "There is one subscript too many here: this is a single number already.",
    ),
    (r"array subscript is not an integer", "A subscript must be a whole number, an `int`."),
    (r"(?:assignment|increment|decrement) of read-only", read_only),
    (r"cannot convert|invalid conversion|invalid cast", conversion),
    (
        r"operands to '\?:' have different types",
        "Both sides of `? :` must have the same type, for instance two floats, or two float4.",
    ),
    (
        r"redeclaration of|conflicting declaration|redefinition of",
        "This name is declared twice in the same braces: leave out the type to assign, "
        "take another name, or delete the line that declares it first.",
    ),
    (
        r"has no member named",
        "There is no such part: `threadIdx` and `blockIdx` have `.x`, `.y` and `.z`, and a "
        "`float4` has `.w` too.",
    ),
    (
        r"no matching function|no match for call|too (?:many|few) arguments|is not a constant "
        r"expression",
        call,
    ),
    (
        r"static assertion failed",
        "This line states what the tile sizes must satisfy, and they no longer do: look at the "
        "constants in launch.cu.",
    ),
    (
        r"No such file or directory",
        "There is no such file to include. A kernel needs its own files and those of common/.",
    ),
    (r"lvalue required|not assignable", "Only a variable can stand on the left of `=`."),
    (r"expected primary-expression", value),
    (r"expected (?:identifier|type-specifier|nested-name)", "A name or a type is missing here."),
    (
        r"stray '|missing terminating",
        "There is a character here that C++ does not know, perhaps a quotation mark that was "
        "copied from a text.",
    ),
    (r"undefined reference to", "This function is declared, but your folder does not define it."),
    (
        r"array subscript .* (?:outside|above|below) array bounds|out of the bounds|iteration \d+ "
        r"invokes undefined|(?:writing|reading) \d+ bytes? (?:into|from) a region",
        overrun,
    ),
    (
        r"statement is a reference, not call|statement has no effect|value computed is not used|"
        r"will never be NULL",
        "This statement does nothing. A call needs its brackets: `__syncthreads();`",
    ),
)
LAST = (semicolon, bracket, braces)  # after one of these, the other errors say nothing


def tidy(text):
    """A message without what only the emulator's authors know."""
    text = re.sub(r" \{aka '[^']*'\}", "", text)
    text = re.sub(r"ladder::(?!ptx)\w+::", "", text)
    text = re.sub(r"'void\* __builtin_\w+\([^']*\)' ", "", text)
    text = text.replace("using uint3 = struct Vector3<unsigned int>", "uint3")
    return textwrap.shorten(re.sub(r" \[-fpermissive\]", "", text), 150, placeholder=" ...")


def in_columns(text, indent):
    """A paragraph of a terminal."""
    return textwrap.wrap(
        text,
        COLUMNS,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def shown(error, student, meaning):
    """The lines of one error: its place, the code, what it means, what the compiler said."""
    sentence = meaning(error, student) if callable(meaning) else meaning
    code = student.line(error.file, error.line).strip()
    lines = [f"{error.file}:{error.line}"]
    if code and meaning is not braces:
        lines.append(f"    {code}")
    lines += in_columns(sentence, "  ") if sentence else []
    return lines + in_columns(f"(g++: {tidy(error.text)})", "  ")


def one_per_line(errors):
    """The first error of each line, with what the others say as its notes."""
    found = {}
    for error in errors:
        first = found.setdefault((error.file, error.line), error)
        if first is not error:
            first.notes += [error.text, *error.notes]
            if first.text.startswith("there are no arguments to"):  # the other knows a better name
                first.text = error.text
    return list(found.values())


def causes_first(errors):
    """A missing `;` before the line below it, of which g++ complains first."""
    found = []
    for error in errors:
        below = found and found[-1].file == error.file and found[-1].line > error.line
        if below and re.search(NO_SEMICOLON, error.text):
            found.insert(-1, error)
        else:
            found.append(error)
    return found


def explained(output, folder):
    """Lines for the student: the first errors, each with its place, its code and its meaning."""
    student = Student(folder)
    lines, names = [], set()
    for error in causes_first(one_per_line(errors_of(output)))[:MOST]:
        meaning = seen_in_line(error, student) or next(
            (what for says, what in MEANINGS if re.search(says, error.text)), None
        )
        name = re.search(r"'([^']*)'", error.text)
        if meaning is undeclared and name[1] in names:
            continue
        names.add(name[1] if name else "")
        lines += shown(error, student, meaning)
        if meaning in LAST:
            break
    if not lines:
        missing = re.search(r"undefined reference to `([^'(]+)", output)
        if missing:
            lines = in_columns(
                f"The kernel calls `{missing[1]}`, which is not there for it: a kernel uses only "
                "what its own files and those of common/ define.",
                "",
            )
    return lines or output.strip().splitlines()[-MOST:]


def remarks(output, folder):
    """Lines about what compiles here, and is a mistake all the same."""
    student = Student(folder)
    lines = []
    for file, code in student.lines.items():
        for number, line in enumerate(code, 1):
            if re.search(r"__shared__[^;=]*=", line):
                lines += [f"work/{student.folder.name}/{file}:{number}", f"    {line.strip()}"]
                lines += in_columns(
                    "nvcc refuses a `__shared__` array with an initial value: let the threads "
                    "store "
                    "it, and pass a barrier.",
                    "  ",
                )
    for error in one_per_line(errors_of(output, "warning")):
        if TELLING.search(error.text) and not error.file.startswith("/") and len(lines) < 4 * MOST:
            meaning = next((what for says, what in MEANINGS if re.search(says, error.text)), "")
            lines += shown(error, student, meaning)
    return lines
