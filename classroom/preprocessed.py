"""What the compiler reads of a student's files, once its preprocessor has joined lines, left out
comments and replaced macros: no word can be spelled so that it is not seen here.

    directives_of(text)   directives of one file, as the preprocessor finds them
    own_code(text)        of g++'s -E: the tokens and pragmas that come from the student's files
    code_faults(text)     attributes, pragmas, assembly and built-in functions that no kernel needs

Whose a line is follows from the files that were entered and left. `#line` and `# 1 "file"` would
lie about that, so directive_faults() refuses them.
"""

import dataclasses
import itertools
import re

_TOKEN = re.compile(
    r"(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))"
    r'|(?P<raw>(?:u8|[uUL])?R"(?P<mark>[^()\\\s"]{0,16})\(.*?(?:\)(?P=mark)"|\Z))'
    r"|(?P<text>(?:u8|[uUL])?(?:\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^'\\\n])*'?))"
    r"|(?P<number>\.?\d(?:[eEpP][+-]|'?[\w.])*)"
    r"|(?P<word>[^\W\d][\w$]*|\$[\w$]*)"
    r"|(?P<newline>\n)"
    r"|(?P<sign>::|<:|:>|<%|%>|%:|[^\s\w])",
    re.S,
)
_CONTINUED = re.compile(r"\\[ \t\v\f\r]*\Z")
_SPELLED = {"<:": "[", ":>": "]", "<%": "{", "%>": "}", "%:": "#"}
_MARKER = re.compile(r'# (\d+) "((?:\\.|[^"\\])*)"([ \d]*)\Z')

ASSEMBLY = {"asm", "__asm", "__asm__"}
# What an attribute may be called, of those that CUDA's words stand for and of harmless ones.
ATTRIBUTES = set(
    "aligned always_inline cold const deprecated fallthrough flatten hot likely may_alias "
    "maybe_unused noclone nodiscard noinline noreturn no_unique_address packed pure unlikely "
    "unused vector_size warn_unused_result".split()
)
PRAGMAS = re.compile(
    r"once|message\b.*|(?:no)?unroll(?:\b.*)?|"
    r"GCC (?:unroll\b.*|ivdep|(?:diagnostic|error|warning)\b.*)"
)
# Built-in functions whose accesses the tracer is not told of, and its own names.
UNSEEN = re.compile(
    r"__builtin_ia32_\w+|__builtin_(?:apply|longjmp|setjmp|return)\w*|__(?:ub|[atm])san_\w+|"
    r"__builtin_\w*(?:thread_pointer|frame_address|dwarf_cfa)\w*|"  # ways to the tracer's variables
    r"__builtin_(?!mem(?:cpy|move|set|cmp)\b)\w*(?:mem|str|stp|bcopy|bcmp|bzero)\w*"
)
# What CUDA's words have replaced where accesses are traced: whoever has undone that.
UNTOLD = re.compile(r"(?:__builtin_)?mem(?:cpy|move|set|cmp)")


@dataclasses.dataclass(frozen=True)
class Token:
    """A word, a sign or the like, and where it stands."""

    text: str
    kind: str  # word, sign, number, text, pragma
    file: str  # the name of a student's file
    line: int


def joined(text):
    """A source whose continued lines are one; empty lines behind it keep the count."""
    lines, more = [], 0
    for line in text.split("\n"):
        end = _CONTINUED.search(line)
        lines.append(line[: end.start()] if end else line + "\n" * (more + 1))
        more = more + 1 if end else 0
    return "".join(lines).removesuffix("\n")


def _tokens(text):
    """(kind, text, offset) of a text without continued lines; digraphs as what they stand for."""
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup if match.lastgroup != "mark" else "raw"
        yield kind, _SPELLED.get(match[0], match[0]), match.start()


def directives_of(text):
    """[(line, name, rest)] of a source: (3, 'include', '<vector>'), (4, 'define', 'A(x) x').

    Comments are blanks, continued lines are one. `# 1 "file"` has the name '1', a lone # the
    name ''. Those between #if and #endif are here whether or not the compiler takes them.
    """
    text = joined(text)
    bare = list(text)  # comments are blanks, and # at the beginning of a line is known by its place
    begins, fresh = [], True
    for kind, word, at in _tokens(text):
        if kind == "comment":
            bare[at : at + len(word)] = " " * len(word)
        elif fresh and word == "#":
            begins.append(at)
        fresh = kind == "newline" or (fresh and kind == "comment")
    found = []
    for at in begins:
        end = bare.index("\n", at) if "\n" in bare[at:] else len(bare)
        match = re.match(r"(?:#|%:)\s*(\w*)(.*)", "".join(bare[at:end]))
        found.append((1 + text.count("\n", 0, at), match[1], " ".join(match[2].split())))
    return found


def constants_of(text):
    """Names of the __constant__ variables of a source, as it is written."""
    kinds = ("word", "sign", "number")
    tokens = [word for kind, word, _ in _tokens(joined(text)) if kind in kinds]
    names = set()
    for begin, token in enumerate(tokens):
        if token != "__constant__":
            continue
        depth = 0
        for before, word in itertools.pairwise(tokens[begin:]):
            if depth == 0 and word in ("[", "=", "{", ",", ";"):
                names.add(before)
            depth += (word in ("(", "[", "{", "<")) - (word in (")", "]", "}", ">"))
            if depth == 0 and word == ";":
                break
    return {name for name in names if re.fullmatch(r"[^\W\d]\w*", name)}


def directive_faults(name, text):
    """[(kind, sentence)]: directives that would lie about whose lines these are, and raw strings,
    in which lines are not continued."""
    faults = [
        ("forbidden_word", f"{name}:{line}: #{word} {rest} gives lines another name. Remove it.")
        for line, word, rest in directives_of(text)
        if word == "line" or word[:1].isdigit()
    ]
    text = joined(text)
    return faults + [
        (
            "forbidden_word",
            f"{name}:{1 + text.count(chr(10), 0, at)}: raw strings are not allowed. Use an "
            "ordinary one.",
        )
        for kind, _, at in _tokens(text)
        if kind == "raw"
    ]


def own_rows(text, folders):
    """(row, name, line) of the lines that come from a student's files in what g++ -E has written.

    folders  where the student's files lie, each ending in '/'
    """
    inside = []  # is the file ours, from the outermost to the innermost
    name, line = "", 0
    for row in text.split("\n"):
        marker = _MARKER.match(row)
        if marker:
            number, path, flags = int(marker[1]), marker[2], marker[3].split()
            own = path.startswith(tuple(folders))
            if "1" in flags or not inside:
                inside.append(own)
            elif "2" in flags:
                inside.pop()
            elif len(inside) == 1:  # the compiler's own words are in front of the first file
                inside[0] = inside[0] or own
            if own:
                name = path.rpartition("/")[2]
            line = number
            continue
        if inside and inside[-1]:
            yield row, name, line
        line += 1


def own_code(text, folders):
    """The tokens of a student's files in what g++ -E has written, macros replaced.

    folders  as own_rows() takes them; a pragma is one token
    """
    for row, name, line in own_rows(text, folders):
        yield from _own_row(row, name, line)


def _own_row(row, name, line):
    """The tokens of one line; none of an #include, which g++ -dI leaves there."""
    if re.match(r"\s*#\s*(?:include|include_next|import)\b", row):
        return
    pragma = re.match(r"\s*#\s*pragma\b(.*)", row)
    if pragma:
        yield Token(" ".join(pragma[1].split()), "pragma", name, line)
        return
    for kind, word, _ in _tokens(row):
        if kind not in ("comment", "newline"):
            yield Token(word, kind, name, line)


def code_faults(text, folders, traced=False):
    """[(kind, sentence)]: what a student's code may not hold once macros are replaced.

    traced  whether the text is that of the traced flavour
    """
    tokens = list(own_code(text, folders))
    faults = []

    def add(token, sentence, kind="forbidden_word"):
        faults.append((kind, f"{token.file}:{token.line}: {sentence}"))

    for at, token in enumerate(tokens):
        if token.kind == "pragma" and not PRAGMAS.fullmatch(token.text):
            add(token, f"#pragma {token.text} is not allowed. Remove it.")
        if token.kind != "word" and token.text != "[":
            continue
        if token.text in ASSEMBLY:
            add(
                token,
                "inline assembly is not allowed; common/ptx/ has the instructions that the rungs "
                "need. Remove it.",
            )
        elif UNSEEN.fullmatch(token.text) or (traced and UNTOLD.fullmatch(token.text)):
            add(
                token,
                f"{token.text} is not allowed: its accesses cannot be counted. Write plain C++.",
            )
        for attribute in attributes_at(tokens, at):
            if attribute.strip("_") not in ATTRIBUTES:
                add(token, f"the attribute {attribute} is not allowed. Remove it.")
    return list(dict.fromkeys(faults))


def attributes_at(tokens, at):
    """Names of the attributes that begin at a token: __attribute__((...)) or [[...]]."""
    if tokens[at].text in ("__attribute__", "__attribute"):
        inner = at + 1
    elif tokens[at].text == "[" and at + 1 < len(tokens) and tokens[at + 1].text == "[":
        inner = at
    else:
        return []
    names, depth, fresh = [], 0, True
    for token in tokens[inner:]:
        if token.text in "([{":
            depth += 1
        elif token.text in ")]}":
            depth -= 1
            if depth == 0:
                break
        elif depth == 2 and token.text == ",":
            fresh = True
        elif depth == 2 and token.text in ("::", ":"):
            # gnu::name, and using gnu: name; what stood in front was a namespace
            names, fresh = names[:-1], True
        elif depth == 2 and fresh and token.kind == "word" and token.text != "using":
            names.append(token.text)
            fresh = False
    return names
