"""The frame of a class's pages, and their tables.

Pages hold names and messages that come from students' files, so all text is escaped. They bring
their own style, with a light and a dark half, and load nothing.
"""

import html

STYLE = """
:root { color-scheme: light dark; --ground: #ffffff; --ink: #1f2328; --soft: #59636e;
  --rule: #d8dee4; --tint: #f6f8fa; --bar: #0b5fc0; --good: #12733a; --bad: #b3530b; }
@media (prefers-color-scheme: dark) { :root { --ground: #0d1117; --ink: #f0f3f6; --soft: #a6b1bc;
  --rule: #30363d; --tint: #161b22; --bar: #6cb0ff; --good: #5fd184; --bad: #f2a15f; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 60rem; background: var(--ground);
  color: var(--ink); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.2; } h2 { font-size: 1.25rem; margin-top: 2.2rem; }
h3 { font-size: 1rem; margin: 1.4rem 0 0.3rem; }
a { color: var(--bar); } .soft { color: var(--soft); }
.good { color: var(--good); } .bad { color: var(--bad); }
.wide { overflow-x: auto; } .wide table { overflow-wrap: normal; }
table { border-collapse: collapse; } caption { text-align: left; color: var(--soft); }
th, td { padding: 0.25rem 0.7rem 0.25rem 0; border-bottom: 1px solid var(--rule);
  text-align: left; vertical-align: top; }
thead th { color: var(--soft); font-weight: 600; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
pre { margin: 0.3rem 0; padding: 0.6rem; background: var(--tint); overflow-x: auto;
  white-space: pre-wrap; font-size: 0.82rem; }
.plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(17rem, 100%), 1fr));
  gap: 1rem; }
figure { margin: 0; } figcaption { font-weight: 600; } svg { width: 100%; height: auto; }
svg text { fill: var(--soft); font-size: 11px; } svg rect { fill: var(--bar); }
svg line { stroke: var(--rule); }
.score { font-size: 1.3rem; font-weight: 600; }
meter { width: 5rem; max-width: 30%; }
"""
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<h1>{title}</h1>
{body}
</body>
</html>
"""


def esc(text):
    """Text as HTML."""
    return html.escape(str(text))


def page(title, parts):
    """A page of its own."""
    return PAGE.format(title=esc(title), style=STYLE, body="\n".join(parts))


def table(heads, rows, numbers=()):
    """An HTML table of cells that are HTML already. numbers: columns that stand to the right."""

    def cells(tag, row):
        kind = [' class="number"' if column in numbers else "" for column in range(len(row))]
        return "".join(f"<{tag}{each}>{cell}</{tag}>" for each, cell in zip(kind, row, strict=True))

    lines = [f"<tr>{cells('td', row)}</tr>" for row in rows]
    return (
        '<div class="wide"><table><thead><tr>'
        + cells("th", heads)
        + "</tr></thead><tbody>\n"
        + "\n".join(lines)
        + "\n</tbody></table></div>"
    )
