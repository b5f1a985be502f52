"""What MkDocs does beyond its plugins: lessons, sources, figures and the reference join the site.

Pages link to files as they lie in the repository, so that the links work there too. Here they are
led to the place that the file has in the site:

    docs/X.md                page X.html
    README.md                page index.html
    any other FOLDER/X.md    page FOLDER/X.html; the lessons are ladder/NN_name/README.md
    other files and folders  page sources/PATH.html: the lines with colours, or what is inside
"""

import functools
import html
import importlib.metadata
import json
import pathlib
import posixpath
import re
import subprocess

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, InclusionLevel
from mkdocs.structure.nav import Link

from docs.figures import opening
from docs.reading import paths
from docs.talks import slides

ROOT = pathlib.Path(__file__).resolve().parent.parent
LESSONS = "ladder/[0-9][0-9]_*/README.md"
KATEX = pathlib.Path("/usr/share/javascript/katex")  # of Debian's libjs-katex
LICENCES = pathlib.Path("/usr/share/doc")  # of Debian's packages
REFERENCE = ROOT / "build" / "doxygen" / "html"
THEME = '<script src="theme.js"></script>'
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?!\w+:|#)([^)\s#]+)(#[^)\s]*)?\)")
FIGURE = re.compile(r"!\[([^\]]*)\]\((?!\w+:)([^)\s]+\.svg)\)")
TRACE = "trace.html"  # a page of the site, which another one shows in a frame
OPENING = re.compile(r"<!-- opening (\d\d) (\d\d) -->")
QUOTED = re.compile(r"```cuda\n// (\S+\.cu), line (\d+)\n")
EXCERPT = re.compile(r"<!-- begin code (\S+): (.+?) -->\n```cuda")
SHAPE = re.compile(r"<td>(?=\d+ [x×] \d+ [x×] \d+</td>)")
PRUNED = "navigation.prune"  # of the theme: half of a page
PLAIN_FROM = 14_000  # characters of a file that is not a rung's
PHONE = 480  # pixels: pictures up to this width fit a phone
TAUGHT = {  # what readers search for, and the page that teaches it
    "tiling": "ladder/03_shared_tile",
    "register tiling": "ladder/04_register_tile",
    "vectorized loads": "ladder/05_vector_access",
    "prefetch": "ladder/06_double_buffer",
    "double buffering": "ladder/06_double_buffer",
    "rasterization": "ladder/07_wave_swizzle",
    "swizzle": "ladder/07_wave_swizzle",
    "warp tiling": "ladder/08_warp_tile",
    "cp.async": "ladder/09_async_copy",
    "software pipelining": "ladder/09_async_copy",
    "warp specialization": "ladder/11_producer_warps",
    "TMA": "ladder/11_producer_warps",
    "split-k": "ladder/12_stream_k",
    "stream-k": "ladder/12_stream_k",
    "cluster": "ladder/13_shared_k",
    "distributed shared memory": "ladder/13_shared_k",
    "coalescing": "docs/chapters/coalescing.md",
    "bank conflict": "docs/chapters/shared_memory.md",
    "occupancy": "docs/chapters/registers.md",
    "spilling": "docs/chapters/registers.md",
    "arithmetic intensity": "docs/chapters/roofline.md",
    "race": "docs/chapters/debugging.md",
    "compute-sanitizer": "docs/chapters/debugging.md",
    "nsight": "docs/chapters/profiling.md",
}
LANGUAGES = {
    ".cmake": "cmake",
    ".cpp": "cpp",
    ".cu": "cuda",
    ".cuh": "cuda",
    ".hpp": "cpp",
    ".js": "javascript",
    ".py": "python",
}
ONLY_WHERE = {  # what a page has to have for a style or script of ours to be loaded
    "katex": 'class="arithmatex"',
    "maths": 'class="arithmatex"',
    "claims": 'class="verdict',
    "home": 'class="home-',
    "opening": 'class="opening"',
}
ASSET = re.compile(
    rf'<(?:link|script)\b[^>]*"(?:\.\./)*assets/({"|".join(ONLY_WHERE)})[./][^>]*>(?:</script>)?\n*'
)
KEPT_AS_IT_IS = re.compile(r"(<(?:pre|script|textarea)\b.*?</(?:pre|script|textarea)>)", re.S)
SEARCH = 'data-md-component="search" role="dialog"'
DATA = (".csv", ".json")  # shown as they are
DATA_SHOWN = 8_000  # characters of them


def repository_path(file):
    """Where the Markdown of a page lies, relative to the root of the sources."""
    inside_docs = ROOT / "docs" / file.src_uri
    return f"docs/{file.src_uri}" if inside_docs.exists() else file.src_uri


def mounted(path):
    """The place among the pages of a file or folder of the repository."""
    if path == "README.md":
        return "index.md"
    if path.startswith("docs/talks/") and path.endswith(".md"):
        return path.removeprefix("docs/").removesuffix(".md") + ".html"
    programs = path in ("docs/figures", "docs/report") or path.endswith(".py")
    if path.startswith("docs/") and not programs:
        return path.removeprefix("docs/")
    return path if path.endswith(".md") else f"sources/{path}.md"


def resolved(link, page_path):
    """What a page's relative link means, relative to the root of the sources."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(page_path), link))


def linked_from(path):
    """What a Markdown file links to, relative to the root of the sources."""
    text = (ROOT / path).read_text()
    return {resolved(match[2], path) for match in LINK.finditer(text)}


def children(folder):
    """Files that lie in a folder, and not in one below it."""
    inside = sorted((ROOT / folder).iterdir())
    return [f"{folder}/{path.name}" for path in inside if path.is_file()]


def source_page(config, path):
    """A page that shows a file or a folder of the repository."""
    if (ROOT / path).is_dir():
        name = posixpath.basename(path)
        body = "\n".join(
            f"- [{posixpath.basename(child)}]({name}/{posixpath.basename(child)}.md)"
            for child in children(path)
        )
    else:
        text = (ROOT / path).read_text()
        kind = posixpath.splitext(path)[1]
        # Colours and numbers make a page ten times as large as its file.
        is_rung = path.startswith("ladder/")
        if kind in DATA:
            shown, rest = text[:DATA_SHOWN], len(text) - DATA_SHOWN
            body = f"<pre><code>{html.escape(shown, quote=False)}</code></pre>"
            if rest > 0:
                body += f"\n\n{rest:,} more characters are in the file."
        elif len(text) >= PLAIN_FROM and not is_rung:
            body = f"<pre><code>{html.escape(text, quote=False)}</code></pre>"
        else:
            body = f'`````{LANGUAGES.get(kind, "text")} linenums="1"\n{text}\n`````'
    page = File.generated(
        config,
        f"sources/{path}.md",
        content=f"---\nsearch:\n  exclude: true\n---\n# {path}\n\n{body}\n",
    )
    page.inclusion = InclusionLevel.NOT_IN_NAV
    return page


def linked_pages(files):
    """What pages link to outside of docs/, and what these link to: (Markdown files, sources)."""
    known = {repository_path(file) for file in files.documentation_pages()}
    waiting, sources = list(known), set()
    while waiting:
        for target in linked_from(waiting.pop()):
            if not (ROOT / target).exists() or target in known or target == "README.md":
                continue
            if target.endswith(".md"):
                known.add(target)
                waiting.append(target)
            elif mounted(target).startswith("sources/"):
                sources.add(target)
    folders = [source for source in sources if (ROOT / source).is_dir()]
    sources.update(child for folder in folders for child in children(folder))
    return sorted(path for path in known if not path.startswith("docs/")), sorted(sources)


def katex_files():
    """(name in the site, file): style, script and fonts that draw formulas."""
    if not KATEX.is_dir():
        raise PluginError(f"{KATEX} is missing: install libjs-katex, or run make docs, which does")
    for name in ("katex.min.css", "katex.min.js", "contrib/auto-render.js"):
        yield f"assets/katex/{posixpath.basename(name)}", (KATEX / name).resolve()
    for font in sorted((KATEX / "fonts").glob("*.woff2")):
        yield f"assets/katex/fonts/{font.name}", font.resolve()


@functools.cache
def recorded_trace():
    """What docs/figures/record.py kept of a rung's trace, and the sources that its lines name."""
    trace = json.loads((ROOT / "docs" / "figures" / "data" / "trace.json").read_text())
    names = sorted({entry["file"] for entry in trace["lines"]})
    return {
        **trace,
        "source": [{"file": name, "text": (ROOT / name).read_text()} for name in names],
    }


def trace_page():
    """The trace page of that rung, as the program would write it."""
    data = json.dumps(recorded_trace()).replace("<", "\\u003c")
    template = (ROOT / "common" / "terminal" / "trace_page.html").read_text()
    return template.replace("/*TRACE*/null", data)


def trace_frame():
    """The trace page in a frame, at its most expensive line."""
    trace = recorded_trace()
    line = max(trace["lines"], key=lambda entry: entry["wavefronts"])
    file = [source["file"] for source in trace["source"]].index(line["file"])
    return (
        f'<iframe class="trace-page" src="{TRACE}?at=file{file}-line{line["line"]}" loading="lazy" '
        f'title="The trace page of rung {trace["rung"]}"></iframe>\n'
        f'<p class="trace-link"><a href="{TRACE}">The trace page in a window of its own</a></p>'
    )


def licences():
    """(name in the site, file): the licence of each work of others that the site ships.

    It lies beside the files that it is for.
    """
    theme = next(
        path
        for path in importlib.metadata.files("mkdocs-material")
        if path.name == "LICENSE" and ".dist-info" in str(path)
    ).locate()
    for uri, path in {
        "assets/katex/LICENSE.txt": LICENCES / "libjs-katex" / "copyright",
        "assets/katex/fonts/LICENSE.txt": LICENCES / "fonts-katex" / "copyright",
        "assets/javascripts/LICENSE.txt": theme,
        "assets/stylesheets/LICENSE.txt": theme,
        "api/LICENSE.txt": LICENCES / "doxygen" / "copyright",
    }.items():
        if not pathlib.Path(path).exists():
            raise PluginError(f"{path} is missing: the site may not ship files without it")
        yield uri, pathlib.Path(path).resolve()


def reference_files():
    """(name in the site, file) of what Doxygen writes, in the theme that the reader chose.

    Its warnings are errors.
    """
    result = subprocess.run(
        ["doxygen", "docs/doxygen/Doxyfile"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if result.returncode != 0:
        raise PluginError(f"doxygen docs/doxygen/Doxyfile failed:\n{result.stderr}")
    for page in REFERENCE.glob("*.html"):  # those of its search stand in a frame
        page.write_text(page.read_text().replace("<head>", f"<head>\n{THEME}", 1))
    for file in sorted(REFERENCE.rglob("*.*")):
        yield f"api/{file.relative_to(REFERENCE).as_posix()}", file


def on_config(config):
    """Puts the lessons into the navigation, in their order, before the page on all of them."""
    (ROOT / "build" / "doxygen").mkdir(parents=True, exist_ok=True)
    for entry in config.nav:
        if "Lessons" in entry:
            entry["Lessons"][:0] = [
                path.relative_to(ROOT).as_posix() for path in sorted(ROOT.glob(LESSONS))
            ]
    return config


def on_files(files, config):
    """Adds lessons, KaTeX, the reference, licences and what pages link to."""
    for lesson in sorted(ROOT.glob(LESSONS)):
        uri = lesson.relative_to(ROOT).as_posix()
        files.append(File.generated(config, uri, abs_src_path=str(lesson)))
    for uri, path in (*katex_files(), *reference_files(), *licences()):
        files.append(File.generated(config, uri, abs_src_path=str(path)))
    files.append(File.generated(config, TRACE, content=trace_page()))
    for path in slides.talks():
        uri = mounted(path.relative_to(ROOT).as_posix())
        files.append(File.generated(config, uri, content=slides.deck(path)))
    in_site = {file.src_uri for file in files}
    pages, sources = linked_pages(files)
    for path in pages:
        if path not in in_site:
            page = File.generated(config, path, abs_src_path=str(ROOT / path))
            page.inclusion = InclusionLevel.NOT_IN_NAV
            files.append(page)
    for path in sources:
        files.append(source_page(config, path))
    for file in [file for file in files if file.src_uri.endswith(".map")]:
        files.remove(file)  # a megabyte for those who work on the theme's scripts
    return files


def on_nav(nav, config, files):
    """Doxygen's pages are no pages of MkDocs: a plain link leads to them."""
    section = next(item for item in nav.items if item.title == "Reference and research")
    section.children.append(Link("All functions and kernels", "api/index.html"))
    return nav


def on_page_context(context, page, config, nav):
    """All pages but the first lead to the sections and to their neighbours, not to all pages."""
    features = [each for each in config.theme["features"] if each != PRUNED]
    is_first = page.file.src_uri == "index.md"
    config.theme["features"] = features if is_first else [*features, PRUNED]
    return context


def search_words(path):
    """What a page teaches: the theme's search looks at tags first."""
    return [words for words, place in TAUGHT.items() if path in (place, f"{place}/README.md")]


@functools.cache
def source_lines(path):
    """The lines of a file that pages quote."""
    return path.read_text().splitlines()


def signposted(markdown, page):
    """A page that says below its title what it needs, and where on which path it stands."""
    text = paths.signpost(page)
    if not text:
        return markdown
    box = f'<div class="signpost" data-search-exclude markdown>\n\n{text}\n\n</div>'
    return re.sub(r"^(# .+)$", rf"\1\n\n{box}", markdown, count=1, flags=re.M)


def on_page_markdown(markdown, page, config, files):
    """Leads links to the places of their targets, puts figures into the page, and numbers the
    lines of excerpts as their files do: reports name lines."""
    if page.file.src_uri.startswith("sources/"):
        return markdown
    page.meta.setdefault("tags", search_words(repository_path(page.file)))
    here = repository_path(page.file)
    markdown = signposted(markdown, here)

    def lead(match):
        target = mounted(resolved(match[2], here))
        relative = posixpath.relpath(target, posixpath.dirname(page.file.src_uri) or ".")
        return f"[{match[1]}]({relative}{match[3] or ''})"

    def draw(match):
        path = ROOT / resolved(match[2], here)
        narrow = path.with_name(f"{path.stem}_narrow.svg")
        if not narrow.exists():
            return figure(path)
        return f"{figure(path, 'for-desks')}\n\n{figure(narrow, 'for-phones')}"

    def numbered(match):
        beside = ROOT / resolved(match[1], here)  # in lessons; elsewhere from the root on
        lines = source_lines(beside if beside.exists() else ROOT / match[1])
        title = f"// -- {match[2]}"
        first = next((i for i, line in enumerate(lines, 1) if line.strip().startswith(title)), None)
        return f'{match[0]} linenums="{first}"' if first else match[0]

    markdown = QUOTED.sub(r'```cuda title="\1" linenums="\2"\n', markdown)
    return EXCERPT.sub(numbered, FIGURE.sub(draw, LINK.sub(lead, markdown)))


def on_page_content(html, page, config, files):
    """Marks cells that hold a shape: the style sheet keeps its extents on one line."""
    html = html.replace("<!-- trace page -->", trace_frame())
    html = OPENING.sub(lambda match: opening.block([int(match[1]), int(match[2])]), html)
    return SHAPE.sub('<td class="shape">', html)


def without_indentation(output):
    """A page without what moves its lines to the right: a sixth of its bytes."""
    parts = KEPT_AS_IT_IS.split(output)  # every second one is kept
    parts[::2] = [re.sub(r"\n\s+", "\n", part) for part in parts[::2]]
    return "".join(parts)


def on_post_page(output, page, config):
    """Takes out what this page does not use, and gives the search's dialog a name."""
    output = ASSET.sub(lambda match: match[0] if ONLY_WHERE[match[1]] in output else "", output)
    return without_indentation(output.replace(SEARCH, f'{SEARCH} aria-label="Search"'))


def figure(path, *styles):
    """A picture as part of the page. The style sheet shows one of two that are drawn twice.

    The search leaves its labels out: it would quote them instead of the page's first sentences.
    """
    svg = path.read_text()
    if int(re.search(r' width="(\d+)', svg)[1]) <= PHONE:
        styles = (*styles, "small")
    style = " ".join(("figure", *styles))
    return f'<div class="{style}" data-search-exclude markdown="0">\n{svg}</div>'
