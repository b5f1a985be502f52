"""Draws plots as SVG with fixed digits and no date: the same data give the same bytes.

Colours are classes of one style sheet. It has a light and a dark half, and every picture brings its
own ground, so that it can be read on any page. All of its rules begin with .drawing, so that a page
that holds the picture itself keeps its own style; there docs/assets/site.css says which half.
"""

import math
from html import escape

STYLE = """
  .drawing { --ground: #ffffff; --ink: #1f2328; --soft: #59636e; --rule: #d8dee4;
             --s0: #0b5fc0; --s1: #b3530b; --s2: #6f42c1; --s3: #12733a; --on: #ffffff; }
  @media (prefers-color-scheme: dark) {
    .drawing { --ground: #0d1117; --ink: #f0f3f6; --soft: #a6b1bc; --rule: #30363d;
               --s0: #6cb0ff; --s1: #f2a15f; --s2: #c9a4ff; --s3: #5fd184; --on: #0d1117; }
  }
  .drawing text { font-family: system-ui, -apple-system, "Segoe UI", Roboto, Helvetica, Arial,
                  sans-serif; font-size: 15px; fill: var(--ink); paint-order: stroke;
                  stroke: var(--ground); stroke-width: 4px; stroke-linejoin: round; }
  .drawing .title { font-size: 20px; font-weight: 600; }
  .drawing .soft { fill: var(--soft); }
  .drawing .strong { font-weight: 600; }
  .drawing .plain { stroke: none; }
  .drawing .on { fill: var(--on); stroke: none; }
  .drawing .ground { fill: var(--ground); }
  .drawing .rule { stroke: var(--rule); stroke-width: 1; }
  .drawing .axis { stroke: var(--soft); stroke-width: 1; }
  .drawing .line { fill: none; stroke-width: 2; }
  .drawing .dashed { stroke-dasharray: 7 5; }
  .drawing .lead { stroke: var(--soft); stroke-width: 1; fill: none; }
  .drawing .ink { stroke: var(--ink); }
  .drawing .soft-line { stroke: var(--soft); }
  .drawing .f0 { fill: var(--s0); } .drawing .f1 { fill: var(--s1); }
  .drawing .f2 { fill: var(--s2); } .drawing .f3 { fill: var(--s3); }
  .drawing .l0 { stroke: var(--s0); } .drawing .l1 { stroke: var(--s1); }
  .drawing .l2 { stroke: var(--s2); } .drawing .l3 { stroke: var(--s3); }
  .drawing .hollow { fill: var(--ground); stroke-width: 2; }
  .drawing .tint { fill-opacity: 0.28; }
  .drawing .half { fill-opacity: 0.55; }
  .drawing .empty { fill: none; }
  .drawing .soft-fill { fill: var(--rule); }
  .drawing .head { fill: var(--soft); }
  .drawing .edge { stroke: var(--ground); stroke-width: 1; }
  .drawing .thick { stroke-width: 3; }
  .drawing .large { font-size: 18px; font-weight: 600; }
"""
WIDTH = 1000  # of all pictures
SERIES = 4  # colours f0 to f3
GAP = 18  # pixels between the base lines of two labels

SIZES = {"title": 20, "large": 18}  # pixels; 15 for all other text
NARROW, WIDE = set("ijltfrI.,:;'|()[]!/ "), set("mwMW%@+=<>~")


def number(value):
    """A coordinate with a tenth of a pixel."""
    return f"{value:.1f}".rstrip("0").rstrip(".")


def text_width(words, style=""):
    """Pixels that words take at most, in the widest of the usual fonts."""
    size = next((SIZES[name] for name in style.split() if name in SIZES), 15)
    # Hundredths of the size: versions of Python add fractions with different roundings.
    units = sum(
        39 if letter in NARROW else 90 if letter in WIDE else 68 if letter.isupper() else 61
        for letter in words
    )
    bold = 106 if {"strong", "title", "large"} & set(style.split()) else 100
    return size * units * bold / 10_000


class Scale:
    """Maps values to pixels, linearly or by logarithm."""

    def __init__(self, values, pixels, logarithmic=False):
        """values and pixels: (first, last)"""
        self.map = math.log10 if logarithmic else float
        self.low, high = (self.map(value) for value in values)
        self.first, last = pixels
        self.slope = (last - self.first) / (high - self.low)

    def __call__(self, value):
        """The pixel of a value."""
        return self.first + (self.map(value) - self.low) * self.slope

    def inverse(self, pixel):
        """The value at a pixel."""
        mapped = self.low + (pixel - self.first) / self.slope
        return 10**mapped if self.map is math.log10 else mapped


class Drawing:
    """Elements of one picture."""

    def __init__(self, name, width, height, title, subtitle, description):
        """name: prefix of the identifiers; description: what a reader who cannot see needs."""
        self.width, self.height = width, height
        self.name, self.title, self.description = name, title, description
        self.elements = []
        self.lacks = []  # what is not in the picture because it is not recorded
        self.text(24, 36, title, "title")
        if subtitle:
            self.text(24, 60, subtitle, "soft")

    def text(self, x, y, words, style="", anchor="start"):
        """Words whose base line begins, ends or is centred at (x, y)."""
        at_anchor = f' text-anchor="{anchor}"' if anchor != "start" else ""
        of_class = f' class="{style}"' if style else ""
        self.elements.append(
            f'<text x="{number(x)}" y="{number(y)}"{of_class}{at_anchor}>{escape(words)}</text>'
        )

    def line(self, points, style):
        """A line through points."""
        path = " ".join(f"{number(x)},{number(y)}" for x, y in points)
        self.elements.append(f'<polyline class="{style}" points="{path}" fill="none"/>')

    def bar(self, left, top, right, bottom, style):
        """A filled rectangle."""
        self.elements.append(
            f'<rect class="{style}" x="{number(left)}" y="{number(top)}" '
            f'width="{number(right - left)}" height="{number(bottom - top)}"/>'
        )

    def dot(self, x, y, style, words="", radius=5):
        """A dot; words show when the mouse rests on it."""
        title = f"<title>{escape(words)}</title>" if words else ""
        self.elements.append(
            f'<circle class="{style}" cx="{number(x)}" cy="{number(y)}" r="{radius}">'
            f"{title}</circle>"
        )

    def squares(self, points, style, side=6):
        """Many small squares as one element."""
        drawn = "".join(
            f"M{number(x - side / 2)} {number(y - side / 2)}h{side}v{side}h-{side}z"
            for x, y in points
        )
        self.elements.append(f'<path class="{style}" d="{drawn}"/>')

    def grid(self, y_scale, ticks, left, right, words=str):
        """Level rules with their values at the left; none where words(value) is empty."""
        for tick in ticks:
            y = y_scale(tick)
            self.line([(left, y), (right, y)], "rule")
            if words(tick):
                self.text(left - 8, y + 5, words(tick), "soft", "end")

    def labels(self, labels, x, highest, lowest):
        """Labels in a column, each led to its place: (from x, y, words, style) by y."""
        labels = sorted(labels, key=lambda label: label[1])
        places = spread([y for _, y, _, _ in labels], highest, lowest)
        for (from_x, y, words, style), at in zip(labels, places, strict=True):
            self.line([(from_x, y), (x - 16, at), (x - 5, at)], "lead")
            self.text(x, at + 5, words, style)

    def __str__(self):
        """The file."""
        name, width, height = self.name, self.width, self.height
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="drawing" '
            f'viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
            f'aria-labelledby="{name}-title {name}-desc">\n'
            f'<title id="{name}-title">{escape(self.title)}</title>\n'
            f'<desc id="{name}-desc">{escape(self.description)}</desc>\n<style>{STYLE}</style>\n'
            f'<rect class="ground" width="{width}" height="{height}" rx="6"/>\n'
            + "\n".join(self.elements)
            + "\n</svg>\n"
        )


def spread(places, highest, lowest):
    """Ascending places moved as little as needed to be GAP apart and within the limits."""
    groups = []  # [sum of wished first places, how many labels]
    for place in places:
        groups.append([place, 1])
        while len(groups) > 1 and start(groups[-2], highest, lowest) + groups[-2][1] * GAP > start(
            groups[-1], highest, lowest
        ):
            wished, count = groups.pop()
            groups[-1][0] += wished - count * groups[-1][1] * GAP
            groups[-1][1] += count
    return [start(group, highest, lowest) + i * GAP for group in groups for i in range(group[1])]


def start(group, highest, lowest):
    """Where the first label of a group is."""
    wished, count = group
    return max(highest, min(wished / count, lowest - (count - 1) * GAP))


def log_ticks(low, high, scale, candidates, distance=24):
    """Those candidates between low and high that leave room for those before them."""
    chosen = []
    for tick in candidates:
        if low <= tick <= high and all(abs(scale(tick) - scale(c)) >= distance for c in chosen):
            chosen.append(tick)
    return sorted(chosen)
