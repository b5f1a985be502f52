"""Variables that only count: they survive a call, and nothing depends on them.

`++calls;`, `atomicAdd(&calls, 1);` and printing are all that happens to such a variable. Whoever
lets a call depend on an earlier one has to do something else with it.
"""

import re

TYPES = set("int unsigned long short char float double size_t int64_t uint64_t uint32_t".split())
COUNTING = ("printf", "atomicAdd")  # as long as they are CUDA's
ADDED = ("+=", "-=")
# In a format: what writes to memory, and escapes that could spell it.
TELLS = re.compile(r"%[-+ #0-9.*$']*(?:hh?|ll?|[zjtLq])?n|\\(?![nt\"\\])")


def counters_in(tokens):
    """Names of variables that only count. tokens: of preprocessed.own_code()."""
    texts = [token.text for token in _joined(tokens)]
    if any(_is_made(texts, at) for at, text in enumerate(texts) if text in COUNTING):
        return set()
    places, declared = {}, set()
    for at, text in enumerate(texts):
        if re.fullmatch(r"[A-Za-z_]\w*", text):
            places.setdefault(text, []).append(at)
            if _declares(texts, at):
                declared.add(text)
    return {
        name
        for name in declared
        if all(_declares(texts, at) or _counts(texts, at) for at in places[name])
    }


def _is_made(texts, at):
    """Whether a name may get a meaning of the student's there."""
    before = texts[at - 1] if at else ";"
    word = re.fullmatch(r"\w+", before) and before not in ("else", "do", "return")
    return bool(word) or before in ("*", "&", ">", "::", "[", ",")


def _joined(tokens):
    """The tokens with ++, -- and the like as one sign."""
    kept = []
    for token in tokens:
        pair = kept[-1].text + token.text if kept else ""
        if pair in ("++", "--", *ADDED):
            kept[-1] = type(token)(pair, token.kind, token.file, token.line)
        else:
            kept.append(token)
    return kept


def _declares(texts, at):
    """Whether a name is declared there, as a number that is 0 or another constant."""
    if at == 0 or texts[at - 1] not in TYPES:
        return False
    after = texts[at + 1 : at + 5]
    return (
        after[:1] == [";"]
        or after[:3] == ["{", "}", ";"]
        or (after[:1] == ["="] and after[2:3] == [";"] and after[1][:1].isdigit())
        or (after[:1] == ["{"] and after[2:4] == ["}", ";"] and after[1][:1].isdigit())
    )


def _counts(texts, at):
    """Whether all that happens to a name there is counting, or printing it."""
    if texts[at - 1] in ("++", "--"):
        return _is_statement(texts, at - 1, at + 1)
    if texts[at + 1 : at + 2] in (["++"], ["--"]):
        return _is_statement(texts, at, at + 2)
    if texts[at + 1 : at + 2] and texts[at + 1] in ADDED:
        return _is_statement(texts, at, _end(texts, at))
    if texts[at - 3 : at] == ["atomicAdd", "(", "&"] and texts[at + 1 : at + 2] == [","]:
        return _is_statement(texts, at - 3, _end(texts, at)) and _closes_at_end(texts, at - 2)
    return _is_printed(texts, at)


def _end(texts, at):
    """Where the next ; is."""
    return texts.index(";", at) if ";" in texts[at:] else len(texts)


def _is_statement(texts, first, end):
    """Whether tokens are a statement whose value nobody takes."""
    if texts[end : end + 1] != [";"] or texts[end + 1 : end + 3] == ["}", ")"]:  # ({ ++x; })
        return False
    before = texts[first - 1]
    if before == ")":  # if (...) ++x, and not (int) ++x
        opens = _opens(texts, first - 1)
        return opens > 0 and texts[opens - 1] in ("if", "for", "while")
    return before in (";", "{", "}", "else", "do")


def _opens(texts, at):
    """Where the bracket opens that closes there; -1 if nowhere."""
    depth = 0
    for place in range(at, -1, -1):
        depth += (texts[place] == ")") - (texts[place] == "(")
        if depth == 0:
            return place
    return -1


def _closes_at_end(texts, opens):
    """Whether the bracket that opens there closes in front of the next ;"""
    end = _end(texts, opens)
    return texts[end - 1] == ")" and _opens(texts, end - 1) == opens


def _is_printed(texts, at):
    """Whether a name is an argument of a call that prints and does nothing else."""
    if texts[at - 1] != "," or texts[at + 1 : at + 2] not in ([","], [")"]):
        return False
    depth, opens = 1, at
    while depth > 0 and opens > 0:
        opens -= 1
        depth += (texts[opens] == ")") - (texts[opens] == "(")
    ends = opens + 1
    while ends < at and texts[ends].startswith('"'):
        ends += 1
    format_of_it = "".join(text[1:-1] for text in texts[opens + 1 : ends])
    return (
        texts[opens - 1] == "printf"
        and _is_statement(texts, opens - 1, _end(texts, at))
        and _closes_at_end(texts, opens)
        and texts[ends] == ","
        and not TELLS.search(format_of_it)
    )
