"""Blocks of the page about public programs: what became of them in the glass box, and why."""

import collections

from bench import public_programs
from docs.report.page_blocks.markdown import table


def programs():
    """All entries of the record."""
    return public_programs.read()["programs"]


def in_scope(entries):
    """Those that the trial's rule asks about."""
    return [entry for entry in entries if not entry["scope"]]


def run(entries):
    """Those in scope that somebody has run."""
    return [entry for entry in in_scope(entries) if entry["outcome"] != "not run"]


def counts_of(entries):
    """How many entries ended how, and how many findings are true and false."""
    judgements = public_programs.verdicts()
    counts = collections.Counter(entry["outcome"] for entry in in_scope(entries))
    for entry in in_scope(entries):
        for finding in public_programs.findings_of(entry):
            verdict = public_programs.verdict_of(entry, finding, judgements)
            counts["false" if verdict == "false" else "true"] += 1
    return counts


def row_of(name, entries):
    """A row of the table of repositories."""
    counts = counts_of(entries)
    return [
        name,
        len(entries),
        len(entries) - len(in_scope(entries)),
        counts["ran"],
        counts["too long"] + counts["too large"],
        counts["refused"] + counts["not compiled"] + counts["several files"],
        counts["true"],
        counts["false"],
        counts["not run"],
    ]


def summary_block(*_):
    """Per repository: programs by outcome, and findings by verdict."""
    entries = programs()
    heads = ["repository", "all", "out", "ran", "stopped", "refused", "true", "false"]
    heads += ["left"] if any(entry.get("outcome") == "not run" for entry in entries) else []
    rows = [
        row_of(
            f"[{name.split('/')[1]}](https://github.com/{name})",
            [entry for entry in entries if entry["repository"] == repository],
        )
        for repository in public_programs.REPOSITORIES
        for name in [public_programs.name_of(repository)]
    ]
    return table(heads, [row[: len(heads)] for row in (*rows, row_of("all", entries))])


def sentence_block(*_):
    """The shares."""
    entries = run(programs())
    counts = counts_of(entries)
    stopped = counts["too long"] + counts["too large"]
    begun = counts["ran"] + stopped
    quiet = [
        entry
        for entry in entries
        if entry["outcome"] == "ran"
        and entry["traced"] > 0
        and not public_programs.findings_of(entry)
    ]
    seconds = public_programs.read()["context"]["seconds"]
    places = counts["true"] + counts["false"]
    left = len(in_scope(programs())) - len(entries)
    waiting = f" {left} programs are still to be run." if left else ""
    return (
        f"**{begun} of {len(entries)} programs in scope ({100 * begun / len(entries):.0f} %) "
        f"compile and run unchanged.** {counts['ran']} of them run to their end. The other "
        f"{stopped} were stopped after {seconds} seconds of CPU time: their problems, or the "
        f"number of their repetitions, are meant for a GPU. In {len(quiet)} programs that launch "
        f"kernels and ran to their end, the glass box reports nothing. In the others, and in those "
        f"that were stopped, it reports {places} places, {counts['false'] or 'none'} of them "
        f"falsely.{waiting}"
    )


def judged_block(verdict):
    """A block that lists what was found with a verdict: a sentence for each cause."""

    def block(*_):
        judgements = public_programs.verdicts()
        found = {}
        for entry in in_scope(programs()):
            for finding in public_programs.findings_of(entry):
                key = (entry["repository"], entry["path"], finding["line"])
                if public_programs.verdict_of(entry, finding, judgements) == verdict:
                    found.setdefault((*key[:2], judgements[key]["why"]), None)
        return (
            "\n".join(
                f"- `{path}` of {public_programs.name_of(repository)}: {why}"
                for repository, path, why in found
            )
            or "None."
        )

    return block


def missed_block(*_):
    """Faults that a person has seen and the glass box has not."""
    return (
        "\n".join(
            f"- `{one['path']}` of {public_programs.name_of(one['repository'])}, line "
            f"{one['lines'][0]}: {one['why']}"
            for one in public_programs.missed()
        )
        or "None."
    )


def note_of(entry):
    """What a row says of a program, beyond numbers."""
    if entry["scope"]:
        return f"out of scope: {entry['scope']}"
    if entry["outcome"] in ("refused", "not compiled", "several files"):
        return entry["said"].replace("|", "\\|")
    if entry["outcome"] != "ran":
        return entry["outcome"]
    return f"exit code {entry['exit_code']}" if entry["exit_code"] else ""


def all_block(*_):
    """One row for each program."""
    heads = ["program", "launches", "requests traced", "findings", "note"]
    parts = []
    for repository in public_programs.REPOSITORIES:
        rows = [
            [
                f"`{entry['path']}`",
                f"{entry.get('launches', ''):,}" if "launches" in entry else "",
                f"{entry['requests']:,}" if "requests" in entry else "",
                len(public_programs.findings_of(entry)) or "",
                note_of(entry),
            ]
            for entry in programs()
            if entry["repository"] == repository
        ]
        if rows:
            commit = public_programs.read()["context"]["commits"][repository][:12]
            name = public_programs.name_of(repository)
            parts += [f"**{name}**, commit {commit}", table(heads, rows)]
    return "\n\n".join(
        ["<details markdown>", "<summary>All programs</summary>", *parts, "</details>"]
    )


BLOCKS = {
    "public_programs": summary_block,
    "public_shares": sentence_block,
    "public_bugs": judged_block("bug"),
    "public_harmless": judged_block("harmless"),
    "public_meant": judged_block("meant"),
    "public_false": judged_block("false"),
    "public_missed": missed_block,
    "public_all": all_block,
}
