"""Puts a widget where a page says so, as MkDocs builds the page.

    <!-- widget coalescing stride=32 -->

on a line of its own becomes the widget, which starts from its first setting with these values
changed. Everywhere else the line is an invisible comment. Each kind is the name of a page next to
this file.
"""

import pathlib
import posixpath
import re

from mkdocs.exceptions import PluginError

FOLDER = pathlib.Path(__file__).parent
KINDS = sorted(path.stem for path in FOLDER.glob("*.md"))
MARKER = re.compile(r"^<!-- widget\b(.*?)-->$", re.M)
SCRIPTS = ("data", "formulas", "widget")  # before those of the kinds
WITHOUT_SCRIPTS = (
    '<noscript markdown="0"><p>This widget needs JavaScript; <a href="{page}">its page</a> has '
    "a table that does not.</p></noscript>"
)


def parsed(text):
    """(kind, {field: value}) of what a marker says after `widget`."""
    words = text.split()
    if not words or words[0] not in KINDS:
        raise PluginError(f"<!-- widget{text}-->: there are {', '.join(KINDS)}")
    for word in words[1:]:
        if not re.fullmatch(r"\w+=\w+", word):
            raise PluginError(f"<!-- widget{text}-->: '{word}' is not FIELD=VALUE")
    return words[0], dict(word.split("=") for word in words[1:])


def embedded(markdown, url):
    """A page's Markdown with its widgets; url: of the page, below the root of the site."""
    here = posixpath.dirname(url) or "."
    kinds = []

    def place(match):
        kind, values = parsed(match[1])
        page = posixpath.relpath(f"widgets/{kind}.html", here)
        own = url == f"widgets/{kind}.html"
        name = kind if own else f"widget-{kind}-{kinds.count(kind) + 1}"
        kinds.append(kind)
        data = "".join(f' data-{field.lower()}="{value}"' for field, value in values.items())
        data += "" if own else f' data-page="{page}"'
        held = "" if own else WITHOUT_SCRIPTS.format(page=page)
        return f'<div class="widget" id="{name}" data-widget="{kind}"{data}>{held}</div>'

    markdown = MARKER.sub(place, markdown)
    if not kinds:
        return markdown
    files = [f"{name}.js" for name in (*SCRIPTS, *dict.fromkeys(kinds))]
    folder = posixpath.relpath("widgets", here)
    lines = [f'<link rel="stylesheet" href="{folder}/widgets.css">']
    lines += [f'<script src="{folder}/{name}"></script>' for name in files]
    return "\n".join([markdown, "", *lines, ""])


def on_page_markdown(markdown, page, config, files):
    """Called by MkDocs for each page."""
    if page.file.src_uri.startswith("sources/"):
        return markdown
    return embedded(markdown, page.url)
